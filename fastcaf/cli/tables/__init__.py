"""Numeric tables from files: CSV and TSV, NumPy's .npy, Parquet."""

from fastcaf.cli.tables.columns import ChosenColumns, Columns
from fastcaf.cli.tables.reading import is_piped, read_table
from fastcaf.cli.tables.table import Table, TableError

__all__ = ["ChosenColumns", "Columns", "Table", "TableError", "is_piped", "read_table"]
