"""The demo's pictures, drawn where matplotlib is installed."""

from pathlib import Path
from typing import TYPE_CHECKING

import graycube as gc
from graycube.demo.story import DT, STEPS, Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_GLOW = ("#d8f6ff", "#5cc3f2", "#1d62b8", "#0b1026", "#b83a1d", "#f2a15c", "#fff3d8")


def draw(scene: Scene, folder: Path) -> dict[str, tuple[str, ...]]:
    """Draw into a folder; the files' names by chapter. Without matplotlib there are none.

    >>> from unittest.mock import patch
    >>> with patch.dict("sys.modules", {"matplotlib.figure": None}):
    ...     draw(Scene(), Path())
    {}
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - the demo runs without it
    except ImportError:
        return {}
    for name in ("binary", "gray"):
        layout = Figure(figsize=(5, 5), layout="constrained")
        gc.view.plot(getattr(scene, name), ax=layout.subplots()).set_title(f"{name} code")
        layout.savefig(folder / f"{name}.png", dpi=110)
    flow = Figure(figsize=(10, 3.2), layout="constrained")
    _draw_flow(flow, scene)
    flow.savefig(folder / "flow.png", dpi=110)
    return {"where": ("binary.png", "gray.png"), "solve": ("flow.png",)}


def _draw_flow(figure: "Figure", scene: Scene) -> None:
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415

    glow = LinearSegmentedColormap.from_list("glow", _GLOW)
    most = max(abs(frame).max() for frame in scene.frames)
    for k, (ax, frame) in enumerate(zip(figure.subplots(1, 3), scene.frames, strict=True)):
        image = ax.imshow(frame.T[::-1], vmin=-most, vmax=most, cmap=glow)
        ax.set(title=f"t = {k * STEPS * DT / 2:g}", xticks=(), yticks=())
    figure.colorbar(image, ax=figure.axes, label="vorticity", pad=0.01)
