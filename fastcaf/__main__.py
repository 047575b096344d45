"""``python -m fastcaf``."""

import sys

from fastcaf.cli import main

if __name__ == "__main__":
    sys.exit(main())
