"""`python -m anadrome.cli`."""

from anadrome.cli import main

main()
