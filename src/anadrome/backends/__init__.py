"""What graphs become: readable Python, and native code."""
