"""Check the PDFs of all signed cards and the log file with the commands, and read the printed text."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from django.core.management import call_command
from pypdf import PdfReader

from tests.devtools.whole_events.compare_cards import FLAGS, name_of
from tests.devtools.whole_events.facts import Facts
from tests.devtools.whole_events.second_cards import CardReading, Counts, what_it_counts_for
from tests.devtools.whole_events.values import Disagreement, Found, reports_failed_pages
from tests.devtools.whole_events.words import Pages

GENUINE, SUPERSEDED = 0, 1


def run_command(name: str, *arguments: str) -> tuple[int, str]:
    """Return the exit status and the output of a command."""
    out = io.StringIO()
    try:
        call_command(name, *arguments, stdout=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def verify_file(path: Path) -> tuple[int, str]:
    """Return the exit status and the output of `verify_card`."""
    return run_command("verify_card", str(path))


def compare_files(
    facts: Facts, pages: Pages, cards: list[CardReading], chosen: list[CardReading] | None = None
) -> Found:
    """Check the downloaded PDFs of the chosen cards, or of all cards, and the downloaded log."""
    with tempfile.TemporaryDirectory() as folder:
        for own in cards if chosen is None else chosen:
            if own.card.versions:
                yield from _card_file(facts, pages, own, cards, Path(folder) / f"{own.card.token}.pdf")
        yield from _log(facts, pages, Path(folder) / "log.json")


@reports_failed_pages
def _card_file(facts: Facts, pages: Pages, own: CardReading, cards: list[CardReading], path: Path) -> Found:
    where = pages.of_event(f"card/{own.card.token}/pdf/")
    path.write_bytes(pages.raw(where))
    counts = what_it_counts_for(facts, own, cards)
    text = " ".join(" ".join(page.extract_text() for page in PdfReader(path).pages).split())
    made_of = f"{name_of(facts, own.card)}, {counts.value}"
    is_shortened = "… " in text.partition(" Total ")[0]  # the line at the top, if the names are long
    for said in _figures(own):
        sums = text.rpartition(" Total ")[2].split()
        if said not in text and not (is_shortened and said.split()[-1] in sums):
            yield Disagreement("total on paper", where, said, text[:160], made_of)
    for name in own.names:
        if name.split()[0] not in text and _is_plain(name):
            yield Disagreement("name on paper", where, name, text[:160], made_of)
    if counts in (Counts.AGAINST, Counts.REPLACED) and not FLAGS.search(text):
        yield Disagreement("superseded paper", where, "said to be superseded", text[:200], made_of)
    if own.digest in own.card.digests_of_original:
        return
    status, said = verify_file(path)
    is_signed = own.is_posted and not own.reading.closed and own.digest in own.card.versions
    if is_signed:
        wanted = GENUINE if counts in (Counts.AGREES, Counts.OPEN) else SUPERSEDED
        if status != wanted and not (counts is Counts.DIFFERS and status == GENUINE and FLAGS.search(said)):
            yield Disagreement("verify_card", where, wanted, (status, said[:300]), made_of)
    elif "ALTERED" in said:
        yield Disagreement("verify_card", where, "not altered", (status, said[:300]), made_of)


def _figures(own: CardReading) -> list[str]:
    """Return the totals in the form printed at the top of a card."""
    totals = [str(total).replace("-", "\u2212") for total in own.reading.totals.values()]
    if len(totals) == 2:
        return [" – ".join(totals)]
    return [f"{name.split()[-1]} {total}" for (_n, name), total in zip(own.card.sides.values(), totals, strict=True)]


def _is_plain(name: str) -> bool:
    return name.split()[0].isascii()


@reports_failed_pages
def _log(facts: Facts, pages: Pages, path: Path) -> Found:
    where = f"/desk/{facts.tournament}/log/file/"
    path.write_bytes(pages.raw(where, staff=True))
    status, output = run_command("verify_event", facts.tournament, facts.event.slug, "--log", str(path))
    if status:
        for line in [line for line in output.splitlines() if line.startswith("BAD") and "log file" in line]:
            yield Disagreement("log file", where, "as it is on record", line, "the log")
