"""`python -m anadrome` does what `anadrome` does."""

from anadrome.cli import main

if __name__ == "__main__":
    main()
