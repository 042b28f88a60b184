"""Draws ``qubits.png``: which qubits are the number of the node while a circuit is carried out.

python docs/pictures/qubits.py [FILE]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import graycube as gc
from graycube.qubits.circuits import Circuit, Whereabouts

P, N = 8, 2
ORANGE, BLUE, GREY = "#f2c9a8", "#33658a", "#444444"
LOOKS = {"mixed": ("o", BLUE), "kept": (".", GREY)}


def fourier() -> list[tuple[object, ...]]:
    """The Fourier transform, without the swaps in the end, which are a change of layout."""
    q, gates = gc.qubits, list[tuple[object, ...]]()
    for j in reversed(range(P)):
        gates.append(("h", j))
        gates += [(q.controlled(q.phase(np.pi / 2 ** (j - k))), k, j) for k in range(j)]
    return gates


def draw(ax: Axes, circuit: Circuit) -> None:
    """A column for each gate, a row for each qubit."""
    layout, gate = circuit.layout, 0
    for step in circuit.steps:
        if isinstance(step, Whereabouts):
            layout = step.layout
            if step.share:
                ax.axvline(gate - 0.5, color=GREY, linewidth=1)
                ax.text(gate - 0.3, P - 0.35, f"{step.share:.0%} move", fontsize=9, color=GREY)
            continue
        for qubit in range(P):
            if layout.node_change(1 << qubit):
                ax.barh(qubit, 1, left=gate - 0.5, height=0.8, color=ORANGE)
        for qubits, (mark, color) in zip(
            (step.mixing, step.keeping), LOOKS.values(), strict=True
        ):
            ax.plot([gate] * len(qubits), qubits, mark, color=color)
        gate += 1
    for name, (mark, color) in LOOKS.items():
        ax.plot([], [], mark, color=color, label=f"{name} by the gate")
    ax.bar([0], [0], color=ORANGE, label="tells nodes apart")
    ax.set(xlim=(-0.5, gate - 0.5), ylim=(-0.5, P + 0.1), xlabel="gates", xticks=[])
    ax.set_yticks(range(P), [f"qubit {k}" for k in range(P)])
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.06), ncols=3, frameon=False)


def main(path: Path) -> None:
    """Draw the picture."""
    figure = Figure(figsize=(9.5, 3.6), layout="constrained")
    draw(figure.subplots(), gc.qubits.plan(fourier(), gc.Layout.consecutive(P, N)))
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix(".png")))
