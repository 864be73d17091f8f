"""Lets `python -m textgrain.cli` run the command line."""

import sys

from textgrain.cli.main import main

sys.exit(main())
