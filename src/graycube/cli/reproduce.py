"""``graycube reproduce``: the claims of the four papers, computed again."""

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from fnmatch import fnmatch
from functools import partial
from itertools import islice, starmap
from multiprocessing import active_children, cpu_count, get_context, parent_process
from pathlib import Path
from signal import SIG_BLOCK, SIG_SETMASK, SIGINT, pthread_sigmask
from threading import Thread

import click

from graycube.cli.console import complain, print_json, progress, say, show, tell
from graycube.cli.files import require_new
from graycube.errors import InvalidValueError
from graycube.papers import (
    Claim,
    Outcome,
    Paper,
    as_dict,
    details,
    papers,
    report,
    reproduce as compute,
    summary,
    unexpected,
)
from graycube.show import Table
from graycube.texts import shortened
from graycube.whole_files import write_whole

UNEXPECTED = 1
_SHORT = 60  # characters of a statement in a list

Chosen = list[tuple[Paper, list[Claim]]]
Run = Callable[[Paper, Claim], Outcome]
Outcomes = Generator[Outcome, None, None]


@click.command(short_help="Compute every claim of the four papers again.")
@click.argument("names", nargs=-1, metavar="[PAPER]...")
@click.option("--claim", "pattern", help="Only these, told in full: theorem-8, 'table-*'.")
@click.option("--quick", is_flag=True, help="Small sizes only: seconds instead of minutes.")
@click.option("-j", "--jobs", type=click.IntRange(1), help="Processes; as many as cores.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write a page of it all.")
@click.option("--list", "only_list", is_flag=True, help="Only list the claims.")
@click.option("--papers", "folder", type=click.Path(path_type=Path), help="Another folder.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def reproduce(  # noqa: PLR0913 - click passes them by name
    names: Sequence[str],
    pattern: str | None,
    jobs: int | None,
    output: Path | None,
    folder: Path | None,
    *,
    quick: bool,
    only_list: bool,
    as_json: bool,
) -> int:
    """Compute the theorems, tables and figures of the papers again, each with its evidence.

    PAPER is a key such as TR-764; all of them by default. A claim holds, holds with a
    correction (which the errata name), or fails. The exit status is 1 if one does not come out
    as recorded.

    \b
    graycube reproduce -o report.html
    graycube reproduce TR-764 --claim 'theorem-*' --quick
    graycube reproduce TR-20-91 --claim theorem-8       what it says
    """
    chosen = _chosen(papers(folder), names, "*" if pattern is None else pattern)
    if only_list:
        _list(chosen, as_json=as_json)
        return 0
    require_new([output])
    run = partial(compute, quick=quick, draws=output is not None)
    results = _computed(chosen, jobs or (1 if quick else cpu_count()), run)
    if output is not None:
        write_whole(output, report(results))
        tell(f"written as {output}")
    if as_json:
        print_json(as_dict(results))
    else:
        if pattern is not None:
            show(*details(results))
        say(summary(results))
    wrong = unexpected(results)
    for line in wrong:
        complain(line)
    return UNEXPECTED if wrong else 0


def _chosen(known: Sequence[Paper], names: Sequence[str], pattern: str) -> Chosen:
    keys = [paper.key for paper in known]
    for name in names:
        if name.upper() not in keys:
            raise InvalidValueError(
                f"the paper is {name!r:.60}", f"there are {', '.join(keys)}", "name one of them"
            )
    wanted = {name.upper() for name in names} or set(keys)
    found = [
        (paper, [claim for claim in paper.claims if fnmatch(claim.key, pattern)])
        for paper in known
        if paper.key in wanted
    ]
    if not any(claims for _, claims in found):
        raise InvalidValueError(
            f"no claim is called {pattern!r:.60}",
            "names are like theorem-8 or table-2",
            "see: graycube reproduce --list",
        )
    return found


def _computed(chosen: Chosen, jobs: int, run: Run) -> list[tuple[Paper, list[Outcome]]]:
    """All claims, by so many processes; no paper waits for the end of another."""
    every = [(paper, claim) for paper, claims in chosen for claim in claims]
    with progress() as bar, closing(_outcomes(every, jobs, run)) as outcomes:
        done = bar.track(outcomes, total=len(every), description="computing")
        return [(paper, list(islice(done, len(claims)))) for paper, claims in chosen]


def _outcomes(every: Sequence[tuple[Paper, Claim]], jobs: int, run: Run) -> Outcomes:
    """The outcomes in order."""
    if jobs == 1:
        yield from starmap(run, every)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _end_together) as pool:
        try:
            with _no_interrupts():  # nor in the processes: they are ended here, and say nothing
                outcomes = [pool.submit(run, *one) for one in every]
            yield from (outcome.result() for outcome in outcomes)
        except BrokenProcessPool as error:
            raise InvalidValueError(
                "a process was ended", str(error).lower(), "use --jobs 1, or more memory"
            ) from error
        except BaseException:
            for process in active_children():
                process.terminate()
            raise


def _end_together() -> None:
    """Let this process end when the one that started it is killed; else it waits for ever."""

    def follow() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    Thread(target=follow, daemon=True).start()


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Interrupts wait for the end of this; processes that start within never hear of them."""
    before = pthread_sigmask(SIG_BLOCK, {SIGINT})
    try:
        yield
    finally:
        pthread_sigmask(SIG_SETMASK, before)


def _list(chosen: Chosen, *, as_json: bool) -> None:
    rows = list(_rows(chosen))
    if as_json:
        names = ("paper", "claim", "where", "verdict", "statement")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    else:
        columns = ("paper", "claim", "recorded", "statement")
        short = [(*row[:2], row[3], shortened(row[4], _SHORT)) for row in rows]
        show(Table(columns, short, "llll"))


def _rows(chosen: Chosen) -> Iterator[tuple[str, ...]]:
    for paper, claims in chosen:
        for claim in claims:
            yield paper.key, claim.key, claim.where, claim.verdict, claim.statement
