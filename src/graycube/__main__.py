"""``python -m graycube`` is the command ``graycube``."""

import sys

from graycube.cli import main

if __name__ == "__main__":
    sys.exit(main())
