"""Bit vectors, matrices and affine maps over GF(2), as exact integers, and Gray codes.

A *bit vector* is a Python ``int``: bit j is its coordinate j, addition is ``^``, and the
inner product of ``a`` and ``b`` is :func:`parity` of ``a & b``. A :class:`Matrix` keeps one
such integer per column, an :class:`AffineMap` adds a constant, and an :class:`Exchange` is
the conditional flip of address bits that every algorithm of graycube is made of. All of them
work at any width without ever building an array of length 2^p; arrays are only what the user
passes in to be mapped (:mod:`graycube.gf2.arrays`).

The reflected Gray code works on integers and arrays, and its conversions are lists of
exchanges; any other code is given by its sequence of words.
"""

from graycube.gf2.affine import AffineMap
from graycube.gf2.bits import (
    bit_indices,
    is_power_of_two,
    log2_exact,
    parity,
    require_int,
    require_ints,
)
from graycube.gf2.conversion import binary_to_gray, gray_to_binary, rotation
from graycube.gf2.exchange import Exchange, compose
from graycube.gf2.gates import circuit
from graycube.gf2.gray import gray, gray_inverse, gray_matrix
from graycube.gf2.matrix import Matrix
from graycube.gf2.sequences import (
    GrayCode,
    Histogram,
    displacement_profile,
    histogram,
    is_gray_code,
    stride_profile,
)
from graycube.gf2.span import Span, reduced_basis, without

__all__ = [
    "AffineMap",
    "Exchange",
    "GrayCode",
    "Histogram",
    "Matrix",
    "Span",
    "binary_to_gray",
    "bit_indices",
    "circuit",
    "compose",
    "displacement_profile",
    "gray",
    "gray_inverse",
    "gray_matrix",
    "gray_to_binary",
    "histogram",
    "is_gray_code",
    "is_power_of_two",
    "log2_exact",
    "parity",
    "reduced_basis",
    "require_int",
    "require_ints",
    "rotation",
    "stride_profile",
    "without",
]
