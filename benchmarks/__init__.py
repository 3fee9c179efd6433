"""Measurements of Anadrome beside its peers; `make bench` runs them all."""
