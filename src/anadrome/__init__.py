"""Gradients of plain Python and NumPy that you can read."""
