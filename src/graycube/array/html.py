"""Arrays as notebooks show them: what they are and where, never their data."""

from graycube.array.cube_array import CubeArray
from graycube.layout.html import layout_lines, printed
from graycube.layout.words import amount
from graycube.markup import Markup, card, card_of, joined


@card_of.register(CubeArray)
def array_card(array: CubeArray) -> Markup:
    """Shape, dtype and bytes here, and the layout."""
    shape = " x ".join(map(str, array.shape))
    here = f"{amount(len(array.nodes), 'block')} here, {amount(array.blocks.nbytes, 'byte')}"
    return card(
        f"CubeArray {shape}, {array.dtype}",
        here,
        joined(["in the layout ", printed(array.layout)]),
        *layout_lines(array.layout),
    )
