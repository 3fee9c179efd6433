"""Matrix products: packed operands, register tiles, any shape and strides.

C (+)= A @ B is cut into tiles of a few rows by two vectors of columns, held
in registers while the inner dimension runs.  B is packed into *panels* of two
vectors' width, `[N/width][K][width]`, padded with zeros, before (`pack_b`) or block by
block when it is needed; a row-major B is read unpacked if few rows or little
depth would not repay that (`unpacked_b.py`).  A is read unpacked unless its
layout is bad.

Each element of C is one sum in the order of the inner dimension, cut into blocks that
depend on K alone: neither the tiling, nor the position in the matrix, nor the number
of threads changes a bit of it.  (The exception is a product of at most four rows with
a transposed matrix, whose sums run in lanes; it too gives the same bits for any number
of threads.)

In: matrices of any shape, strides and layout.
Out: symbols that compiled programs call, compiled once for a machine.
"""

from .library import GemmLibrary, gemm_library
from .tile import TileShape, emit_product_tile, tile_shape

__all__ = [
    "GemmLibrary",
    "TileShape",
    "emit_product_tile",
    "gemm_library",
    "tile_shape",
]
