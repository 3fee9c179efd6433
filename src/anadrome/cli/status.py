"""Exit statuses, for scripts."""

DONE = 0
"""Everything went well."""

FAILED = 1
"""A file, a folder or a number is not as it should be; a line says which and why."""

MISUSED = 2
"""The command line itself is wrong: an unknown flag, a value that cannot be."""

INTERRUPTED = 130
"""Stopped by Ctrl-C, as shells count it: 128 and the number of the signal."""

TERMINATED = 143
"""Stopped by SIGTERM."""
