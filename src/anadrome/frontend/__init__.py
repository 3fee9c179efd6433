"""Python source becomes a graph."""
