"""The tables of the race in the documents are those of the times that are kept."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MADE = runpy.run_path(str(ROOT / "benchmarks" / "race" / "documents.py"))


@pytest.mark.parametrize(("page", "row"), MADE["PAGES"])
def test_each_figure_is_that_of_the_times(page, row):
    """Also where all were other ones, but for those whose times are not kept there."""
    text = (ROOT / "docs" / page.name).read_text(encoding="utf-8")
    assert MADE["written"](text, row) == text
    lines = [
        re.sub(r"\d+\.\d+", "7.7", line) if line.startswith("| ") else line
        for line in text.splitlines()
    ]
    spoilt = "\n".join(lines) + "\n"
    made = MADE["written"](spoilt, row)
    figures = sum(line.count(".") for line in lines if line.startswith("| "))
    assert spoilt.count("7.7") - made.count("7.7") > min(90, figures // 8)


def test_figures_have_two_or_three_digits():
    shown = [MADE["milliseconds"]([x]) for x in (1e-4, 9.46e-3, 0.0146, 0.0546, 0.1546, 1.786)]
    assert shown == ["0.10", "9.5", "14.6", "55", "155", "1790"]
    words = ("2^14", "256 x 256", "96^3 complex", "64^2 real", "8 KiB", "1 MiB")
    assert [MADE["case_of"](x) for x in words] == [
        "16384",
        "256x256",
        "96x96x96",
        "64x64r",
        "8192",
        "1048576",
    ]
