"""``python -m fastcaf``."""

import sys

from fastcaf.commands import main

if __name__ == "__main__":
    sys.exit(main())
