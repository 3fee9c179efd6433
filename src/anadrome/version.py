"""The version of the package, which names what it leaves on disk."""

VERSION = "0.1.0"
