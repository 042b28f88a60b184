"""What all pictures ask of what they are to draw."""

from graycube.layout.layout import require_cube


def require_layout(layout: object) -> None:
    """Refuse to draw anything but a layout.

    >>> require_layout("(b1 || b0)")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: the layout is '(b1 || b0)': it must be a Layout; build
    one, for example Layout.nodes(6, 'gray') for 2^6 nodes
    """
    require_cube(layout, "a picture")
