"""`python -m tohlab` is the command line."""

import sys

from tohlab.cli import run

sys.exit(run())
