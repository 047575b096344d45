"""The command line, one command a file."""

from fastcaf.cli.commands.main import main

__all__ = ["main"]
