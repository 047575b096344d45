"""The explorer: a fit as one HTML page with a slider over gamma."""

from fastcaf.display.explorer.page import write_page

__all__ = ["write_page"]
