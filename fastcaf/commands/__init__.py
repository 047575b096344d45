"""The command line, one command a file."""

from fastcaf.commands.main import main

__all__ = ["main"]
