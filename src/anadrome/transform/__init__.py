"""Derivatives of graphs: forward mode, reverse mode, checkpoints."""
