"""``python -m fastcaf``."""

import sys

from fastcaf.cli.commands import main

if __name__ == "__main__":
    sys.exit(main())
