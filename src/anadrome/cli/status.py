"""Exit statuses."""

INTERRUPTED = 130
"""Of a command that was stopped by Ctrl-C."""
