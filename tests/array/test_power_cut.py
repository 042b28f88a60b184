"""What takes the place of something older is on the disk before, and its folder after."""

import os
from pathlib import Path
from shutil import rmtree

import numpy as np
import pytest

import graycube as gc
from graycube import whole_files
from graycube.array.disk import archive, checkpoint

LAYOUT = gc.Layout.mesh((8, 6), (4, 2), code="gray")
U = gc.CubeArray.from_function(lambda i, j: 10 * i + j, LAYOUT)


class Disk:
    """What os.fsync wrote, by inode; and complaints about what came too early."""

    def __init__(self, monkeypatch):
        self.settled, self.complaints, self.replaced = {}, [], []
        own = {name: getattr(os, name) for name in ("fsync", "replace", "rename")}

        def fsync(handle):
            about = os.fstat(handle)
            self.settled[about.st_ino] = self._state(about)
            own["fsync"](handle)

        def moving(name):
            def move(source, target, **options):
                if Path(source).suffix != ".partial":  # Zarr's, within what is to be settled
                    self.require(Path(source), f"{source} is moved")
                own[name](source, target, **options)
                self.replaced.append(Path(target))

            return move

        monkeypatch.setattr(os, "fsync", fsync)
        monkeypatch.setattr(os, "replace", moving("replace"))
        monkeypatch.setattr(os, "rename", moving("rename"))

    @staticmethod
    def _state(about):
        return about.st_size, about.st_mtime_ns

    def require(self, path, when):
        """Complain unless a file, or a folder with all that is in it, is as it was written."""
        for each in [path, *(path.rglob("*") if path.is_dir() else ())]:
            about = each.stat()
            if self.settled.get(about.st_ino) != self._state(about):
                self.complaints.append(f"{each.name} is not on the disk when {when}")


@pytest.fixture
def disk(monkeypatch):
    return Disk(monkeypatch)


@pytest.mark.parametrize("name", ["u.npy", "u.zarr"])
def test_an_array_is_on_the_disk_before_it_replaces_another(name, disk, tmp_path):
    if name.endswith("zarr"):
        pytest.importorskip("zarr", reason="the extra zarr is not installed")
    U.save(tmp_path / name)
    (2 * U).save(tmp_path / name)
    assert disk.replaced.count(tmp_path / name) == 2
    disk.require(tmp_path / name, "it is saved")
    assert disk.settled[tmp_path.stat().st_ino]
    assert not disk.complaints


def test_a_text_is_on_the_disk_before_it_replaces_another(disk, tmp_path):
    whole_files.write_whole(tmp_path / "text", "5")
    disk.require(tmp_path, "it is written")
    assert not disk.complaints


def test_a_generation_is_on_the_disk_before_it_counts_and_others_go(
    disk, tmp_path, monkeypatch
):
    pytest.importorskip("zarr", reason="the extra zarr is not installed")
    state = checkpoint.Checkpoint(tmp_path / "state")
    write = checkpoint.write_whole
    counted = []

    def written(path, text):
        disk.require(tmp_path / "state", "it is to count")
        write(path, text)
        counted.append(path)

    def removed(path, **options):
        if path.name.endswith(".generation"):
            counts = disk.settled.get((tmp_path / "state").stat().st_ino)
            if counts != disk._state((tmp_path / "state").stat()):
                disk.complaints.append("an old generation goes before the new one counts")
        rmtree(path, **options)

    monkeypatch.setattr(checkpoint, "write_whole", written)
    monkeypatch.setattr(checkpoint, "rmtree", removed)
    state.save({"u": U, "half": gc.rfft(U)})
    state.save({"u": 2 * U})
    assert len(counted) == 2
    assert disk.settled.get(tmp_path.stat().st_ino) == disk._state(tmp_path.stat())
    assert not disk.complaints
    assert np.array_equal(state.load(LAYOUT)["u"].blocks, 2 * U.blocks)


def test_each_rank_settles_the_chunks_that_it_writes(disk, tmp_path, monkeypatch):
    pytest.importorskip("zarr", reason="the extra zarr is not installed")
    finish = archive._finish

    def finished(began, target):
        for chunk in (path for path in (began[0] / "c").rglob("*") if path.is_file()):
            disk.require(chunk, "the ranks have written")
        return finish(began, target)

    monkeypatch.setattr(archive, "_finish", finished)
    monkeypatch.setattr(archive, "CHUNK", 64)
    gc.stack([U, U, U]).save(tmp_path / "v.zarr")
    assert len([*(tmp_path / "v.zarr" / "c").rglob("*")]) > 16
    assert not disk.complaints
