"""Passes over graphs, and the one list that orders them."""
