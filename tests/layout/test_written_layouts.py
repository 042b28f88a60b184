"""A written layout of any size is read or refused cheaply."""

import json
import subprocess
import sys

import pytest

HUGE_TEXTS = {
    "a bit of 5000 digits": f"(|| b{'9' * 5000})",
    "an extent of 5000 digits": f"(|| b2 b1 b0) x {'9' * 5000}",
    "an extent of 4000 digits": f"(|| b2 b1 b0) x {'9' * 4000}",
    "a bit far away": "(|| b2 b1 b999999999999999)",
    "an axis far away": "(|| b99999999999999:2 b1 b0)",
    "an extent on an axis far away": "(|| b2 b1 b0) x 3 on axis 99999999999999",
    "an extent above a bit far away": "(|| b2 b1 b0) x 3 above bit 99999999999999",
    "blanks and no end": "(|| b0)x" + " " * 300_000 + "x\ny",
    "very many bits": f"({' '.join(f'b{j}' for j in range(30000))} ||)",
    "very many terms": f"(|| b2 b1 {'^'.join(['b0'] * 100001)})",
    "very many bars": f"(|| b2 b1 {'~' * 100001}b0)",
    "very many extents": "(|| b2 b1 b0)" + ", x 3" * 100000,
}

READ = """
import json, resource, sys
import graycube as gc
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
for text in json.load(sys.stdin):
    try:
        gc.Layout.parse(text)
    except gc.GraycubeError as error:
        print("refused" if len(str(error)) < 1000 else "at length")
    else:
        print("read")
"""


@pytest.mark.long
def test_a_huge_text_is_read_or_refused_in_little_memory():
    child = [sys.executable, "-c", READ]
    texts = json.dumps([*HUGE_TEXTS.values()])
    result = subprocess.run(child, input=texts, capture_output=True, text=True, check=False)
    fates = dict(zip(HUGE_TEXTS, result.stdout.split(), strict=False))
    assert len(fates) == len(HUGE_TEXTS), (fates, result.stderr[-300:])
    assert set(fates.values()) <= {"refused", "read"}, fates
