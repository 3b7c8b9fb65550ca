"""Move an event through files at a random moment, and compare it wherever it goes.

    home ──file──► copy at home: a few more actions, while the original stays as it is
      └────file──► second installation: to the payouts ──file──► third installation
                           └──file──► home again, in place of the original (half of the events)

After each import, the event must have the same pages, checks, and facts as before. The comparison with the second
readings must find no disagreement, either then or after any later action.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Final
from urllib.parse import urlsplit

import lxml.html
from django.db import connection
from django.test import Client, override_settings

from scoring.archive.selectors.export import make_summary
from scoring.archive.selectors.files import FACTS, FILES, LOG, SUMMARY
from scoring.archive.services.imports import ImportMode
from scoring.models import Card
from scoring.rehearsal.services.play import ActionRecord
from tests.devtools.whole_events.checks import compare_earlier_rows, read_all_rows
from tests.devtools.whole_events.files import run_command
from tests.devtools.whole_events.playing import IsTimeToStop, WatchedPlay
from tests.devtools.whole_events.values import Disagreement, Found, compare
from tests.devtools.whole_events.words import words
from tests.kit import clear_caches, fresh
from tests.migrated import lay_migrated
from tests.scoring.helpers.archive import checks_of, export, facts_in, import_event, read_members, take_keys_of
from tournament.models import Event

_State = Event.State
MOMENTS: Final = {
    _State.OPEN: (2, 12),
    _State.CLOSED: (2, 5),
    _State.DRAWN: (1, 1),
    _State.IN_PLAY: (6, 30),
    _State.FINISHED: (2, 5),
}
"""The states in which an event can be moved to another installation.

Each state has a weight for the random choice, and the maximum number of actions in that state before the move.
"""
HOME_AGAIN_CHANCE: Final = 0.5
TAKEN_KEYS_CHANCE: Final = 0.3
"""The probability that another tournament of the second installation already has the event's primary keys."""
FEW_CARDS: Final = 2
"""The number of cards to compare if `compare_moved` has already compared the texts of all pages."""


def choose_moment(seed: int) -> IsTimeToStop:
    """Return a function that returns true when it is time to move the event.

    An event that ends before this time is moved at its end.
    """
    dice, states = Random(f"moment {seed}"), list(MOMENTS)
    state = dice.choices(states, [weight for weight, _most in MOMENTS.values()])[0]
    remaining = dice.randint(1, MOMENTS[state][1])

    def is_time_to_stop(done: ActionRecord) -> bool:
        nonlocal remaining
        if done.event.state not in MOMENTS:
            return False
        remaining -= done.event.state == state
        return remaining <= 0 or states.index(done.event.state) > states.index(state)

    return is_time_to_stop


def play_with_round_trips(play: WatchedPlay, folder: Path) -> None:
    """Play an event until a random moment, and then move it to other installations and back.

    `folder` is for the files and databases.
    """
    dice = Random(f"round trip {play.order.seed}")
    home = play.begin(choose_moment(play.order.seed))
    original = take_snapshot(home.event, folder / "original.zip")
    _play_copy(play, original, dice.randint(4, 10))
    back = _play_elsewhere(play, original, dice, comes_home=dice.random() < HOME_AGAIN_CHANCE)
    if back is not None:
        _play_at_home_again(play, back)


def _play_copy(play: WatchedPlay, original: Snapshot, acts: int) -> None:
    """Import a copy of the event, and play the copy. The original must not change."""
    earlier, home = read_all_rows(), play.watches[0]
    copy = play.watch(import_event(original.file, ImportMode.COPY), "copy")
    with play.timed():
        copy.run("imported", lambda: compare_copy(original, copy.event))
        copy.compare_everything("imported")
    play.go_on(copy, most_acts=acts)
    with play.timed():
        home.run("beside a copy", lambda: compare_earlier_rows(earlier))
        now = take_snapshot(home.event, original.file.with_name("beside.zip"))
        home.run("beside a copy", lambda: compare_moved(original, now))
        home.compare_everything("beside a copy", most_cards=FEW_CARDS)


def _play_elsewhere(play: WatchedPlay, original: Snapshot, dice: Random, *, comes_home: bool) -> Snapshot | None:
    """Play the event to the payouts on a second installation.

    If `comes_home` is true, return its state for the move back to the first installation.
    """
    folder, back = original.file.parent, None
    with empty_installation(folder / "second.sqlite3"):
        if dice.random() < TAKEN_KEYS_CHANCE:
            take_keys_of(original.event)
        second = play.watch(import_event(original.file), "second installation")
        with play.timed():
            now = take_snapshot(second.event, folder / "second.zip")
            second.run("imported", lambda: compare_moved(original, now))
            second.compare_everything("imported", most_cards=FEW_CARDS)
        if comes_home and dice.random() < 0.5:
            play.go_on(second, most_acts=dice.randint(1, 20))
            back = take_snapshot(second.event, folder / "back.zip")
        play.go_on(second)
        finished = take_snapshot(second.event, folder / "finished.zip")
    with empty_installation(folder / "third.sqlite3"), play.timed():
        third = play.watch(import_event(finished.file), "third installation")
        third.run("imported", lambda: compare_moved(finished, take_snapshot(third.event, folder / "third.zip")))
    return (back or finished) if comes_home else None


def _play_at_home_again(play: WatchedPlay, back: Snapshot) -> None:
    """Replace the original event with the event from the second installation. Then play it until the payouts."""
    read_linked_pages(play.watches[0].event)  # a page that is cached now must not outlive the replacement
    again = play.watch(import_event(back.file, ImportMode.REPLACE), "home again")
    with play.timed():
        now = take_snapshot(again.event, back.file.with_name("home.zip"))
        again.run("imported", lambda: compare_moved(back, now))
    play.go_on(again)


@contextmanager
def empty_installation(database: Path) -> Iterator[None]:
    """Within the block, act as another installation, which has its own secrets and an empty database.

    This works only with SQLite.
    """
    home, name = connection.settings_dict["NAME"], database.stem
    lay_migrated(database)
    _open_database(database)
    try:
        with override_settings(SECRET_KEY=f"secret of {name}", SEAL_SECRET=f"seal of {name}"):
            yield
    finally:
        _open_database(home)


def _open_database(name: str | Path) -> None:
    connection.close()
    connection.settings_dict["NAME"] = str(name)
    clear_caches()


# --- Snapshots -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Snapshot:
    """An event at one moment: its file, the output of `verify_event`, and the text of its pages, keyed by path."""

    event: Event
    file: Path
    checks: list[tuple[str, bool, str]]
    pages: dict[str, str]


def take_snapshot(event: Event, file: Path) -> Snapshot:
    event = fresh(event)
    return Snapshot(event, export(event, file.parent, file.name), checks_of(event), read_linked_pages(event))


def read_linked_pages(event: Event) -> dict[str, str]:
    """Return the text of the tournament's public pages, of the players' private pages, and of the cards' pages."""
    root = f"/t/{event.tournament.slug}/"
    private = [f"/my/{token}/" for token in event.entrants.order_by("number").values_list("token", flat=True)]
    cards = Card.objects.filter(match__event=event).order_by("pk").values_list("token", flat=True)
    paths, texts = [root, *private, *(f"/c/{token}/" for token in cards)], dict[str, str]()
    for path in paths:
        if path in texts or path.endswith("/pdf/"):
            continue
        answer = Client().get(path)
        if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
            texts[path] = f"{answer.status_code} {answer['Content-Type']}"
            continue
        page = lxml.html.fromstring(answer.content.decode())
        main = page.find(".//main")
        texts[path] = words(page if main is None else main)
        if path.startswith(root):
            links = {urlsplit(link.get("href", "")).path for link in page.iter("a")}
            paths += sorted(link for link in links if link.startswith(root))
    return texts


def compare_moved(before: Snapshot, now: Snapshot) -> Found:
    """Compare an event before and after an import.

    If the primary keys are the same, the facts and the log must be the same, too.
    """
    yield from check_archive_file(now.file)
    yield from compare("verify_event", now.file.stem, before.checks, now.checks, "before the import")
    for path in sorted(before.pages.keys() | now.pages.keys()):
        yield from compare_texts("page", path, before.pages.get(path, "no page"), now.pages.get(path, "no page"))
    members, earlier = read_members(now.file), read_members(before.file)
    yield from compare_texts("file", SUMMARY, earlier[SUMMARY].decode(), members[SUMMARY].decode())
    attached = [{name for name in each if name.startswith(FILES)} for each in (earlier, members)]
    yield from compare("file", "attached files", *attached, "before the import")
    if before.event.pk == now.event.pk:
        facts = ["\n".join(map(bytes.decode, facts_in(each.file, "TournamentImport"))) for each in (before, now)]
        yield from compare_texts("file", FACTS, *facts)
        log = members[LOG][: len(earlier[LOG])]
        yield from compare_texts("file", LOG, earlier[LOG].decode(), log.decode())


def compare_copy(original: Snapshot, copy: Event) -> Found:
    """Check that an imported copy of an event is marked as a copy, and has the same figures as the original.

    The pages are not compared, because links must be unique in the database, so the copy has other links.
    """
    where = copy.tournament.slug
    yield from compare("marked as a copy", where, True, copy.tournament.is_copy, "imported as a copy")
    yield from compare("verify_event", where, original.checks, checks_of(copy), "the original")
    yield from compare_texts("figures", where, *(_read_summary(each) for each in (original.event, copy)))


def _read_summary(event: Event) -> str:
    return json.dumps(make_summary(event.tournament)["events"])


def check_archive_file(file: Path) -> Found:
    status, output = run_command("check_file", str(file))
    yield from compare("check_file", file.name, 0, status, output)


def compare_texts(what: str, where: str, expected: str, seen: str) -> Found:
    """Compare two long texts, and report the part where they begin to differ."""
    if expected != seen:
        pairs = enumerate(zip_longest(expected, seen))
        at = next(place for place, (one, other) in pairs if one != other)
        parts = [text[max(0, at - 60) : at + 60] for text in (expected, seen)]
        yield Disagreement(what, where, *parts, f"before the import, at character {at}")
