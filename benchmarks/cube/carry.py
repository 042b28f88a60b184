"""Carries a saved plan out on the ranks of a cube: its time, its result, and its links.

carry.py PLAN RUNS REPORT
"""

import json
import sys
from pathlib import Path

import numpy as np
from blocks import given, wanted
from measured import latency, measured
from mpi4py import MPI

import graycube as gc
from graycube.cost import replay


def main(path: str, runs: int, report: str) -> None:
    comm = MPI.COMM_WORLD
    plan = gc.load_plan(path)
    task = plan.task
    bound = plan.bind(given(plan, comm.rank), comm)
    (found,) = measured([bound.run], comm, runs)
    right = comm.allreduce(np.array_equal(bound.result, wanted(plan, comm.rank)), MPI.LAND)
    byte_time = latency(comm)
    bound.free()
    if comm.rank == 0:
        planned = replay(plan.moves()).link_loads * task.itemsize
        content = {
            "algorithm": plan.algorithm,
            "nodes": comm.size,
            "block": task.block_bytes,
            "predicted": plan.cost,
            "right": right,
            "latency": byte_time,
            "seconds": found.seconds,
            "links": found.links,
            "planned": planned.tolist(),
            "resent": found.resent,
        }
        Path(report).write_text(json.dumps(content), encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
