"""What a fit found, in words: for a terminal, for a notebook, and for other programs."""

from fastcaf.display.report.findings import Findings
from fastcaf.display.report.html import html_report
from fastcaf.display.report.text import text_report
from fastcaf.display.report.tree import text_tree

__all__ = ["Findings", "html_report", "text_report", "text_tree"]
