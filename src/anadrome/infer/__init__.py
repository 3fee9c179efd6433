"""Types of values, and of the results of primitives."""
