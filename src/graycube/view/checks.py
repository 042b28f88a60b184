"""What all pictures ask of what they are to draw."""

from graycube.errors import InvalidTypeError
from graycube.layout import Layout


def require_layout(layout: object) -> None:
    """Refuse to draw anything but a layout.

    >>> require_layout("(b1 || b0)")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: got a str: pictures show a Layout; pass a layout
    """
    if not isinstance(layout, Layout):
        raise InvalidTypeError(
            f"got a {type(layout).__name__}", "pictures show a Layout", "pass a layout"
        )
