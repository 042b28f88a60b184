"""What all pictures ask of what they are to draw."""

from graycube.layout import Layout
from graycube.layout.in_bits import in_bits


def require_layout(layout: object) -> Layout:
    """The layout in bits; anything else is not drawn.

    >>> require_layout("(b1 || b0)")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: the layout is '(b1 || b0)': it must be a Layout; build
    one, for example Layout.nodes(6, 'gray') for 2^6 nodes
    """
    return in_bits(layout, "a picture")
