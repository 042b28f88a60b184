"""Two processes with four devices each, which talk by gloo."""

import os
import socket
import subprocess
import sys
from pathlib import Path

RANK = Path(__file__).with_name("rank.py")
FOUR = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}


def test_two_processes_reshard_and_transform():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = str(free.getsockname()[1])
    ranks = [
        subprocess.Popen(
            [sys.executable, RANK, port, str(number)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | FOUR,
        )
        for number in range(2)
    ]
    try:
        for rank in ranks:
            said, _ = rank.communicate(timeout=100)
            assert rank.returncode == 0, said
            assert said.endswith("right\n")
    finally:
        for rank in ranks:
            rank.kill()
