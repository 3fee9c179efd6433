"""Graphs as readable Python."""
