"""The command line for mutation testing: `python -m tests.devtools.mutants money pairings`."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import chdir
from dataclasses import replace

from mutmut.configuration import reset_config
from mutmut.mutation.diff_apply import get_diff_for_mutant

from tests.devtools.mutants.folder import Folder, folders, lay_out, mutmut

NO_NAME = "none of them"
"""A name that no mutant has. With this name, mutmut prepares everything but tries nothing."""

NOT_TRIED = "not checked"
AGAIN = ("survived", "timeout", "suspicious", "no tests")


def main(arguments: Sequence[str]) -> int:
    known = folders()
    wanted = _parser(known).parse_args(arguments)
    for name in wanted.folders or known:
        folder = known[name] if wanted.share is None else replace(known[name], share=wanted.share)
        run(folder, wanted.seed, wanted.processes, again=wanted.again)
    return 0


def _parser(known: Iterable[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.devtools.mutants", description=__doc__)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help=f"of {', '.join(known)}; none: all of them")
    parser.add_argument("--seed", type=int, default=1, help="of the choice, where only a share is tried")
    parser.add_argument("--share", type=float, help="of the mutants that is tried: 1 for all of them")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="try those once more that no test noticed before")
    return parser


def run(folder: Folder, seed: int, processes: int, *, again: bool) -> None:
    """Test the mutants that were not tested yet, and print a report."""
    lay_out(folder)
    mutmut(folder, "run", "--max-children", str(processes), NO_NAME, quiet=True)
    found = results(folder)
    chosen = sample(found, folder.share, seed)
    states = {NOT_TRIED, *(AGAIN if again else ())}
    names = [name for name in chosen if found[name] in states]
    if names:
        mutmut(folder, "run", "--max-children", str(processes), *names)
    report(folder, chosen)


def results(folder: Folder) -> dict[str, str]:
    """Return each mutant's status, keyed by name."""
    printed = mutmut(folder, "results", "--all", "true", quiet=True)
    rows = (line.strip().rsplit(": ", 1) for line in printed.splitlines() if ": " in line)
    return dict(rows)


def sample(names: Iterable[str], share: float, seed: int) -> list[str]:
    """Choose a share of the mutants. The same code and seed always give the same mutants."""
    return sorted(name for name in names if random.Random(f"{seed}|{name}").random() < share)


def report(folder: Folder, chosen: Sequence[str]) -> None:
    """Print the figures, and write the surviving mutants to `survivors.txt` in the copy."""
    found = results(folder)
    tally = Counter(found[name] for name in chosen)
    print(f"{folder.name}: {len(chosen)} of {len(found)} mutants tried: {dict(sorted(tally.items()))}")
    open_ones = [name for name in chosen if found[name] not in ("killed", NOT_TRIED)]
    reset_config()
    with chdir(folder.place):
        shown = [f"# {name}: {found[name]}\n{get_diff_for_mutant(name)}\n" for name in open_ones]
    (folder.place / "survivors.txt").write_text("\n".join(shown))
    print(f"Those that are left: {folder.place / 'survivors.txt'}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
