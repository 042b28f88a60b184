"""Gray codes, their distance profiles, and the exchanges that convert to binary and back.

The reflected code works on integers and arrays, any other is given by its sequence of words.
"""

from graycube.codes.conversion import binary_to_gray, gray_to_binary, rotation
from graycube.codes.gray import gray, gray_inverse, gray_matrix
from graycube.codes.profiles import Histogram, displacement_profile, histogram, stride_profile
from graycube.codes.sequences import GrayCode, is_gray_code

__all__ = [
    "GrayCode",
    "Histogram",
    "binary_to_gray",
    "displacement_profile",
    "gray",
    "gray_inverse",
    "gray_matrix",
    "gray_to_binary",
    "histogram",
    "is_gray_code",
    "rotation",
    "stride_profile",
]
