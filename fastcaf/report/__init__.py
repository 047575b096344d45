"""What a fit found, in words: for a terminal, for a notebook, and for other programs."""

from fastcaf.report.findings import Findings
from fastcaf.report.html import html_report
from fastcaf.report.text import text_report
from fastcaf.report.tree import text_tree

__all__ = ["Findings", "html_report", "text_report", "text_tree"]
