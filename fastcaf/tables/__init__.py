"""Numeric tables from files: CSV and TSV, NumPy's .npy, Parquet."""

from fastcaf.tables.columns import ChosenColumns, Columns
from fastcaf.tables.reading import is_piped, read_table
from fastcaf.tables.table import Table, TableError

__all__ = ["ChosenColumns", "Columns", "Table", "TableError", "is_piped", "read_table"]
