"""A file with one event of a tournament can be imported without the other events, and its log can be checked."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Model

from pairing.results.services.finish import finish_event
from scoring.archive.selectors.checks import check_archive
from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.files import ArchiveReader, ArchiveRefused
from scoring.archive.services.imports import ImportMode, import_tournament
from scoring.cards.services.paper_cards import confirm_staff_entry
from scoring.models import Card, StaffEntry
from scoring.rehearsal.services.random_event import RandomEvent
from scoring.rules.evidence.sealing import check_log_file
from scoring.seals.selectors.keys import load_trusted_public_keys
from scoring.seals.selectors.log import compare_log_with_database, write_log_file
from tests.kit import client_as, fresh, get_page, page_text, refused
from tests.scoring.helpers.archive import (
    DIRECTOR,
    NAMES,
    RANDOM_EVENTS,
    another_installation,
    change_lines,
    checks_of,
    export,
    facts_in,
    import_event,
    play_to_the_end,
    read_lines,
    read_members,
    staff,
    write_archive,
)
from tests.scoring.helpers.two_events import ONLY_THERE, SECOND, two_events
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.left_out import LEFT_OUT_VERB
from tournament.core.selectors.log import check_log_chain
from tournament.core.selectors.rows import MODELS_SHARED_BY_EVENTS, find_foreign_key_path, list_archived_models
from tournament.models import AuditEntry, CashMoved, Event, Player, PlayerCorrection, Tournament
from tournament.money.services.drawers_and_close import open_drawer
from tournament.money.services.fees_and_refunds import take_payment
from tournament.setup.services.tournaments import create_event

pytestmark = pytest.mark.django_db

DIFFERENT: Final = ("origin", "chain of seals", "closes")
"""The `verify_event` checks that count rows of the whole tournament. A file with one event changes their results."""
EVENTS: Final = ("singles", SECOND)


@dataclass(frozen=True)
class Before:
    """The events before the import, the files that they were exported to, and the results of `verify_event`.

    The events, files, and results are keyed by the event's slug.
    """

    folder: Path
    events: dict[str, Event]
    files: dict[str, Path]
    checks: dict[str, list[tuple[str, bool, str]]]


def export_event(event: Event, folder: Path, name: str = "") -> Path:
    path = folder / (name or f"{event.slug}.zip")
    export_tournament(event.tournament, path, event=event)
    return path


@pytest.fixture(scope="module")
def before(rows_of_module: None, tmp_path_factory: pytest.TempPathFactory) -> Before:
    folder, events = tmp_path_factory.mktemp("events"), {event.slug: event for event in two_events()}
    files = {slug: export_event(event, folder) for slug, event in events.items()}
    return Before(folder, events, files, {slug: own_checks(event) for slug, event in events.items()})


def own_checks(event: Event) -> list[tuple[str, bool, str]]:
    return [check for check in checks_of(event) if check[0] not in DIFFERENT]


# --- The file --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", EVENTS)
def test_the_file_is_whole(before: Before, slug: str) -> None:
    out = io.StringIO()
    call_command("check_file", str(before.files[slug]), stdout=out)
    answer = json.loads(out.getvalue())
    assert (answer["ok"], answer["event"]) == (True, before.events[slug].name)


def test_nothing_about_people_of_other_events_is_in_the_file(before: Before) -> None:
    only_first = [name for name in NAMES if name not in ("Ada Lovelace", "Alan Turing")]
    assert find_names(only_first, before.files[SECOND]) == []
    assert find_names(only_first, before.files["singles"]) == only_first
    assert find_names(ONLY_THERE, before.files["singles"]) == []


def find_names(names: Sequence[str], file: Path) -> list[str]:
    content = b"".join(read_members(file).values())
    return [name for name in names if name.encode() in content]


def test_the_summary_has_this_event_alone(before: Before) -> None:
    [event] = json.loads(read_members(before.files[SECOND])["summary.json"])["events"]
    assert event["slug"] == SECOND


def test_rows_of_the_log_about_other_events_have_only_digests(before: Before) -> None:
    log = read_lines(read_members(before.files[SECOND])["log.jsonl"])
    manifest = json.loads(read_members(before.files[SECOND])["manifest.json"])
    empty = [row for row in log if row.keys() == {"seq", "previous", "digest"}]
    assert len(empty) == manifest["left_out"]["log_rows"] > 20
    assert [row["digest"] for row in log] == list(
        AuditEntry.objects.filter(tournament=before.events[SECOND].tournament).values_list("digest", flat=True)
    )


def test_a_kind_of_row_that_belongs_to_no_event_is_decided() -> None:
    """If this fails, declare in `MODELS_SHARED_BY_EVENTS` which rows of the new model belong in an event's file."""
    undecided = {
        model._meta.label
        for model in list_archived_models()
        if find_foreign_key_path(model, Tournament) and not find_foreign_key_path(model, Event)
    }
    assert undecided == MODELS_SHARED_BY_EVENTS.keys()


def test_a_request_of_another_event_is_not_in_the_file(before: Before) -> None:
    rows = [json.loads(line)["kind"] for line in facts_in(before.files[SECOND])]
    assert rows.count("IdempotencyKey") == 5  # the payments


def test_an_event_that_refers_to_another_one_is_refused(before: Before, tmp_path: Path) -> None:
    ours, theirs = (Card.objects.filter(match__event=event).order_by("pk")[0] for event in before.events.values())
    Card.objects.filter(pk=ours.pk).update(sheet=theirs.sheet)
    with refused("event-depends") as refusal:
        export_event(before.events["singles"], tmp_path)
    assert "Export the whole tournament" in refusal.value.message
    assert list(tmp_path.iterdir()) == []


# --- It comes back ---------------------------------------------------------------------------------------------------

Way = Callable[[Before, str, ExitStack], Event]


def on_another_computer(before: Before, slug: str, stack: ExitStack) -> Event:
    stack.enter_context(another_installation())
    return import_event(before.files[slug])


def among_other_rows(before: Before, slug: str, stack: ExitStack) -> Event:
    stack.enter_context(another_installation(with_keys_of=before.events[slug]))
    return import_event(before.files[slug])


def beside_the_original(before: Before, slug: str, stack: ExitStack) -> Event:
    return import_event(before.files[slug], ImportMode.COPY)


def as_a_whole_tournament_later(before: Before, slug: str, stack: ExitStack) -> Event:
    again = export(among_other_rows(before, slug, stack), before.folder, "tournament.zip")
    stack.enter_context(another_installation("third"))
    return import_event(again)


WAYS: Final = (on_another_computer, among_other_rows, beside_the_original, as_a_whole_tournament_later)


@pytest.fixture(
    scope="module",
    params=[(slug, way) for slug in EVENTS for way in WAYS],
    ids=lambda each: f"{each[0]}-{each[1].__name__}",
)
def moved_once(request: pytest.FixtureRequest, before: Before, django_db_blocker: Any) -> Iterator[tuple[str, Event]]:
    """Move the event once for all tests of the same way. Each test rolls back its own changes."""
    slug, way = request.param
    with django_db_blocker.unblock(), transaction.atomic(), ExitStack() as stack:
        yield slug, way(before, slug, stack)
        transaction.set_rollback(True)


@pytest.fixture
def moved(moved_once: tuple[str, Event]) -> tuple[str, Event]:
    slug, event = moved_once
    return slug, fresh(event)


def test_every_check_says_the_same(before: Before, moved: tuple[str, Event]) -> None:
    slug, event = moved
    assert own_checks(event) == before.checks[slug]
    assert [check for check in checks_of(event) if not check[1]] == []


def test_the_tournament_has_this_event_alone(before: Before, moved: tuple[str, Event]) -> None:
    slug, event = moved
    assert [each.slug for each in event.tournament.events.all()] == [slug]
    assert check_log_chain(event.tournament).is_intact
    [event_in_file] = json.loads(read_members(before.files[slug])["summary.json"])["events"]
    assert event.entrants.count() == len(event_in_file["entrants"])


def test_it_goes_on_until_the_end(before: Before, moved: tuple[str, Event]) -> None:
    _slug, event = moved
    director = staff(DIRECTOR, "Dora Director")
    for entry in StaffEntry.objects.filter(card__match__event=event):
        confirm_staff_entry(entry, by=director)
    play_to_the_end(event)
    finish_event(fresh(event), by=director)
    assert [check for check in checks_of(fresh(event)) if not check[1]] == []


def test_a_new_row_may_have_the_key_of_a_row_that_was_left_out(before: Before, tmp_path: Path) -> None:
    left_out = set(CashMoved.objects.values_list("pk", flat=True))
    with another_installation():
        event = import_event(before.files[SECOND])
        begin_keys_again(CashMoved)
        drawer = open_drawer(event.tournament, 50_00, by=staff("desk@desert.example", "Dan"), key="", brought=True)
        assert left_out & set(drawer.tournament.cash_moved.values_list("pk", flat=True))
        assert [check for check in checks_of(fresh(event)) if not check[1]] == []
        with ArchiveReader(export(event, tmp_path)) as archive:
            assert check_archive(archive).faults == []
        CashMoved.objects.all().update(cents=1)
        assert [check for check in checks_of(fresh(event)) if not check[1]] != []


def begin_keys_again(model: type[Model]) -> None:
    """Reset the primary keys of an empty table, so that the next one is 1, as on a new computer."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [model._meta.db_table])
        else:
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), 1, false)", [model._meta.db_table])


@pytest.mark.parametrize("slug", EVENTS)
def test_another_export_has_the_same_facts_byte_for_byte(before: Before, slug: str) -> None:
    with another_installation():
        again = export_event(import_event(before.files[slug]), before.folder, "again.zip")
    changed = {"singles": ("PlayerCorrection",), SECOND: ("Event",)}[slug]  # they referred to the other event
    assert facts_in(again, "TournamentImport", *changed) == facts_in(before.files[slug], *changed)
    assert len(facts_in(again, "TournamentImport")) == len(facts_in(before.files[slug]))


def test_a_person_keeps_corrections_that_were_made_at_another_event(before: Before) -> None:
    with another_installation():
        event = import_event(before.files["singles"])
        [correction] = PlayerCorrection.objects.all()
        assert (correction.event, correction.shown_before) == (event, "Ada Lovelace")


def test_the_log_says_how_many_rows_are_left_out(before: Before) -> None:
    with another_installation():
        event = import_event(before.files[SECOND])
        staff(DIRECTOR, "Dora Director")
        count = AuditEntry.objects.filter(verb=LEFT_OUT_VERB).count()
        text = get_page(f"/desk/{event.tournament.slug}/log/", client=client_as("director", event.tournament))
        assert f"{count} rows about other events have only their digests here" in page_text(text)


def test_the_sealed_log_as_a_file_is_genuine_and_a_row_that_is_emptied_later_is_noticed(before: Before) -> None:
    with another_installation():
        tournament = import_event(before.files[SECOND]).tournament
        content = write_log_file(tournament)
        checked = compare_log_with_database(*check_log_file(content, load_trusted_public_keys()))
        assert checked.faults == ()
        emptied = AuditEntry.objects.filter(tournament=tournament).exclude(verb=LEFT_OUT_VERB)[3]
        row = next(line for line in content.splitlines() if f'"seq":{emptied.seq},' in line.decode())
        names = {name: json.loads(row)[name] for name in ("seq", "previous", "digest")}
        forged = content.replace(row, json.dumps(names).encode())
        assert compare_log_with_database(*check_log_file(forged, load_trusted_public_keys())).faults


@pytest.mark.parametrize("which", ["one more", "after the file"])
def test_a_row_of_the_log_cannot_be_emptied_in_the_database(before: Before, which: str) -> None:
    with another_installation():
        tournament = import_event(before.files[SECOND]).tournament
        rows = AuditEntry.objects.filter(tournament=tournament).exclude(verb=LEFT_OUT_VERB).order_by("seq")
        emptied = rows[3] if which == "one more" else rows.reverse()[0]
        AuditEntry.objects.filter(pk=emptied.pk).update(verb=LEFT_OUT_VERB, data={}, about="")
        assert not check_log_chain(tournament).is_intact


# --- In place --------------------------------------------------------------------------------------------------------


def test_an_event_is_replaced_if_it_is_alone(before: Before, tmp_path: Path) -> None:
    with another_installation():
        event = import_event(before.files[SECOND])
        file = export_event(event, tmp_path)
        checks = own_checks(event)
        entrant = event.entrants.get(number=5)
        take_payment(entrant, 5_00, "cash", by=staff(DIRECTOR, "Dora Director"), key="more")
        assert own_checks(fresh(event)) != checks
        replaced = import_event(file, ImportMode.REPLACE)
        assert own_checks(replaced) == checks


def test_an_event_is_not_replaced_beside_others(before: Before) -> None:
    with refused("event-not-alone") as refusal:
        import_event(before.files[SECOND], ImportMode.REPLACE)
    assert "share one log" in refusal.value.message
    assert Event.objects.count() == 2


def test_another_event_of_the_same_tournament_is_not_replaced(before: Before) -> None:
    with another_installation():
        import_event(before.files[SECOND])
        with refused("event-not-alone"):
            import_event(before.files["singles"], ImportMode.REPLACE)
        with refused("already-here"):
            import_event(before.files["singles"])
        assert [event.slug for event in Event.objects.all()] == [SECOND]


# --- A file without persons, and an encrypted one --------------------------------------------------------------------


def test_an_event_without_persons(before: Before, tmp_path: Path) -> None:
    file = tmp_path / "without.zip"
    manifest = export_tournament(
        before.events[SECOND].tournament, file, event=before.events[SECOND], without_persons=True
    )
    assert (manifest["event"]["slug"], manifest["log"]["rows"]) == ("event-2", 0)
    names = [*Player.objects.values_list("name", flat=True), "Consolation", "Desert Classic"]
    assert find_names(names, file) == []
    with ArchiveReader(file) as archive:
        assert check_archive(archive).faults == []
    copy = import_event(file, ImportMode.COPY)
    assert [check for check in checks_of(copy) if not check[1]] == []
    assert copy.entrants.count() == before.events[SECOND].entrants.count()


def test_the_commands_take_an_encrypted_event(before: Before, tmp_path: Path) -> None:
    secret, file = tmp_path / "passphrase", tmp_path / "event.age"
    secret.write_text("correct horse battery staple\n")
    out = io.StringIO()
    call_command("export_event", "desert-classic", SECOND, to=file, passphrase_file=secret, stdout=out)
    assert json.loads(out.getvalue())["event"] == SECOND
    with another_installation():
        out = io.StringIO()
        call_command("import_event", str(file), passphrase_file=secret, stdout=out)
        assert json.loads(out.getvalue())["tournament"] == "desert-classic"
        assert [event.slug for event in Event.objects.all()] == [SECOND]


# --- Files that were changed -----------------------------------------------------------------------------------------

Members = dict[str, bytes]


def with_manifest(members: Members, change: Callable[[dict[str, Any]], object]) -> Members:
    manifest = json.loads(members["manifest.json"])
    change(manifest)
    return {**members, "manifest.json": json.dumps(manifest).encode()}


def empty_log_row(log: list[dict[str, Any]]) -> None:
    row = next(row for row in log if row.get("verb") == "entrant.added" or ("verb" in row and row["seq"] > 5))
    for name in row.keys() - {"seq", "previous", "digest"}:
        del row[name]


CHANGED: Final[dict[str, Callable[[Members], Members]]] = {
    "another row of the log is emptied": lambda members: {
        **members,
        "log.jsonl": change_lines(members["log.jsonl"], empty_log_row),
    },
    "a digest is another": lambda members: {
        **members,
        "log.jsonl": change_lines(
            members["log.jsonl"], lambda log: next(row for row in log if "verb" not in row).update(digest="0" * 64)
        ),
    },
    "a row is missing": lambda members: {
        **members,
        "facts.jsonl": change_lines(
            members["facts.jsonl"], lambda rows: rows.remove(next(row for row in rows if row["kind"] == "LedgerLine"))
        ),
    },
    "another event is named": lambda members: with_manifest(members, lambda manifest: manifest["event"].update(key=77)),
    "fewer rows are left out": lambda members: with_manifest(
        members, lambda manifest: manifest["left_out"].update(log_rows=3)
    ),
    "what is left out is not described": lambda members: with_manifest(
        members, lambda manifest: manifest.pop("left_out")
    ),
    "what is left out is nonsense": lambda members: with_manifest(
        members, lambda manifest: manifest.update(left_out={"rows": 7})
    ),
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_a_changed_file_is_refused(before: Before, change: Callable[[Members], Members], tmp_path: Path) -> None:
    file = write_archive(tmp_path / "changed.zip", change(read_members(before.files[SECOND])))
    with another_installation():
        with pytest.raises(ArchiveRefused):
            import_tournament(file, by=SYSTEM_ACTOR)
        assert not Tournament.objects.exists()


# --- Events of every kind --------------------------------------------------------------------------------------------


@pytest.mark.sample("events as files", 5)
@pytest.mark.parametrize(("kind", "rules", "seed"), RANDOM_EVENTS)
def test_an_event_played_at_random_moves_alone(kind: str, rules: str, seed: int, tmp_path: Path) -> None:
    event = RandomEvent(kind, rules, seed=seed, entrants=4).play().event
    create_event(event.tournament, by=SYSTEM_ACTOR, slug="other", name="Other", fee_cents=60_00)
    file, checks = export_event(fresh(event), tmp_path), own_checks(fresh(event))
    with another_installation(with_keys_of=event):
        moved = import_event(file)
        assert own_checks(moved) == checks
        assert [check for check in checks_of(moved) if not check[1]] == []
