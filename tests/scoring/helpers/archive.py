"""Helpers that create a tournament with rows of almost every kind, export it, and import the file."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import rfc8785
from django.test import override_settings

from pairing.desk.services.sending import call_ready_matches
from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.files import Manifest, encode_json_line
from scoring.archive.services.imports import ImportMode, import_tournament
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import load_ready_seated_matches
from scoring.cards.services.checks import DisplayedHand, TurnedUpCard, confirm_hand, record_up_card
from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.disputes.services.disputes import SubmittedEvidence, add_evidence
from scoring.models import EarlierKey, SealKey
from scoring.posting.services.correction_period import set_correction_terms
from scoring.posting.services.opening import get_or_open_card, start_play
from scoring.rehearsal.services.engine import close_registration_and_draw
from scoring.rules.evidence.sealing import derive_seal_key, encode_public_key, sha256_hex
from scoring.rules.sheet.card_status import CorrectionTerms, StaffEntryCheck
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from scoring.verification.selectors.event import verify_event
from tests.factories import a_tournament
from tests.kit import fresh
from tests.scoring.helpers.disputes import ACCEPTED, a_picture, called, ruled
from tests.scoring.helpers.playing import cut_for, gin, knock, play, post, sign_both, the_card
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_player_actor, make_staff_actor
from tournament.core.selectors.log import compute_row_digest
from tournament.core.selectors.rows import get_archived_columns, list_archived_models, row_from_json
from tournament.core.services.record import writing
from tournament.messages.services import MessageDraft, send_message
from tournament.models import Event, FilePart, Merge, Player, Tournament, User
from tournament.money.services.checkin import set_check_in_status
from tournament.money.services.drawers_and_close import open_drawer
from tournament.money.services.fees_and_refunds import take_payment
from tournament.registration.services.entries import EntryRequest, add_entry, withdraw_entrant
from tournament.registration.services.imported_lists import store_uploaded_list
from tournament.registration.services.people import Person, merge_players
from tournament.setup.services.tournaments import create_event, create_tournament, grant_role, open_registration

FEE: Final = 60_00
RANDOM_EVENTS: Final = (
    ("swiss-pairs", "word-gin", 2),
    ("double-elimination", "standard", 1),
    ("play-off", "gra-singles", 4),
    ("tables", "captain", 4),
    ("rotation", "metzker", 1),
)
"""The kind, the rule set, and the seed of each random event to play."""
NAMES: Final = (
    *("Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Gödel"),
    *("Emmy Noether", "Ida Rhodes", "John von Neumann", "Srinivasa Ramanujan"),
)
BY_EARLIER_KEY: Final = re.compile(r", \d+ of them genuine by an earlier key")
DIRECTOR: Final = "director@desert.example"


def staff(email: str, name: str) -> Actor:
    """Return the member of staff with this email address as an actor.

    An account that an import created is inactive, so the account is activated.
    """
    User.objects.filter(email=email).update(is_active=True)
    user = User.objects.filter(email=email).first() or User.objects.create_user(email, "x", name=name)
    return make_staff_actor(user)


def a_tournament_in_play() -> Event:
    """Create an event in play through the services, so that the log has the digests of all rows, and return the event.

    The score card of match R1M1 is posted. R1M2 has a hand, a dispute with a photo, and a ruling. A paper card of R1M3
    waits for a second official. On R1M4, only the scorekeeper is recorded.
    """
    director, desk = staff(DIRECTOR, "Dora Director"), staff("desk@desert.example", "Dan Desk")
    days = {"starts_on": "2026-11-27", "ends_on": "2026-11-29"}
    about = {"slug": "desert-classic", "name": "Desert Classic", "venue": "Palm Desert", **days}
    tournament = create_tournament(by=SYSTEM_ACTOR, **about)
    for actor, role in ((director, "director"), (desk, "desk")):
        assert actor.user is not None
        grant_role(tournament, actor.user, role, by=SYSTEM_ACTOR)
    event = open_registration(
        create_event(tournament, by=director, slug="singles", name="Singles", fee_cents=FEE, in_steps=True), by=director
    )
    _enter(event, director)
    terms = CorrectionTerms(corrections=30, rulings=30, appeals=30, second=StaffEntryCheck.APPROVAL)
    set_correction_terms(event, terms, by=director)
    save_rule_sheet(event, ChosenRules("gra-singles", {"target": 50}, 1), by=director)
    event = start_play(close_registration_and_draw(fresh(event), "7H", by=director), by=director)
    call_ready_matches(event, 1, 4, by=director)
    post(the_card(event, "R1M1"))
    _dispute(event)
    paper, offline = the_card(event, "R1M3"), the_card(event, "R1M4")
    totals = PaperCard(totals={"A": 60, "B": 0}, keeper=paper.entrants[0], signed=("A", "B"), witness="Dan")
    enter_paper_card(paper, totals, by=desk)
    cut_for(offline)
    send_message(event, MessageDraft("Tables", "Look at the wall.", "in"), by=director, key="")
    return fresh(event)


def _enter(event: Event, director: Actor) -> None:
    """Enter eight players who pay and check in.

    Two more entries are withdrawn and merged with the first player, because they are the same person.
    """
    twins = ("Ada Lovelacce", "Ada Lovlace")
    entries = [EntryRequest((Person(name, consents=True),), source="desk") for name in (*NAMES, *twins)]
    entrants = [add_entry(event, entry, by=director) for entry in entries]
    store_uploaded_list(event, "list.csv", b"name,email\nIda Rhodes,ida@example.org\n", by=director)
    players = [entrant.members.get().player for entrant in entrants]
    for entrant in entrants[8:]:
        withdraw_entrant(entrant, by=director)
    for kept, gone in ((8, 9), (0, 8)):
        merge_players(event.tournament, players[kept], players[gone], by=director, reason="the same person")
    open_drawer(event.tournament, 100_00, by=director, key="", brought=True)
    for entrant in entrants[:8]:
        take_payment(entrant, FEE, "cash", by=director, key=f"paid-{entrant.number}")
        set_check_in_status(entrant, by=director)


def _dispute(event: Event) -> None:
    card = the_card(event, "R1M2")
    play(card, knock("A", 5, 20))
    players = [make_player_actor(entrant) for entrant in card.entrants]
    confirm_hand(card, DisplayedHand(1, card.lines.get().pk), by=players[1])
    record_up_card(card, TurnedUpCard(2, "7C"), by=players[0])
    evidence = SubmittedEvidence(photo=io.BytesIO(a_picture()), words="He said so.")
    add_evidence(called(card, "conduct", by="B"), evidence, by=players[0])
    ruled(called(card, "improper-knock", hand=1, **ACCEPTED))


def play_to_the_end(event: Event) -> None:
    """Play, sign, and post the score card of each remaining match."""
    while meetings := load_ready_seated_matches(event):
        for meeting in meetings:
            card = get_or_open_card(meeting, 1, by=SYSTEM_ACTOR)
            for up in ("7C", "9D"):
                if not load_card_state_by_pk(card.pk).is_complete:
                    play(card, gin("A", 30, up))
            sign_both(card)


# --- Another installation --------------------------------------------------------------------------------------------


def export(event: Event, folder: Path, name: str = "desert.zip") -> Path:
    export_tournament(event.tournament, folder / name)
    return folder / name


def import_event(file: Path, mode: ImportMode = ImportMode.ORIGINAL, by: Actor = SYSTEM_ACTOR) -> Event:
    """Import a file, and return its first event."""
    tournament = import_tournament(file, mode=mode, by=by).tournament
    return fresh(tournament.events.order_by("pk")[0])


@contextmanager
def another_installation(name: str = "other", *, with_keys_of: Event | None = None) -> Iterator[None]:
    """Run the block as another installation, with its own secrets, no attached files, and no rows.

    If `with_keys_of` is given, another tournament has the primary keys of this event and its tournament.
    """
    Tournament.objects.all().delete()
    Player.objects.update(merged_into=None)
    for model in (Merge, Player, SealKey, EarlierKey, User, FilePart):
        model.objects.all().delete()
    if with_keys_of is not None:
        take_keys_of(with_keys_of)
    with override_settings(SECRET_KEY=f"secret of {name}", SEAL_SECRET=f"seal of {name}"):
        yield


def take_keys_of(event: Event) -> None:
    """Create another event and tournament with the primary keys of this deleted event and its tournament."""
    other = a_tournament(pk=event.tournament_id, slug="other")
    Event.objects.create(pk=event.pk, tournament=other, slug="singles", name="Other")
    with writing(other, verb="tournament.created", by=SYSTEM_ACTOR) as write:
        write.about(other)


def facts_in(file: Path, *leaving_out: str) -> list[bytes]:
    """Return the lines of the file's `facts.jsonl`, without rows of the kinds in `leaving_out`."""
    lines = zipfile.ZipFile(file).read("facts.jsonl").splitlines()
    return [line for line in lines if json.loads(line)["kind"] not in leaving_out]


def facts_of_all(file: Path) -> list[list[bytes]]:
    """Return the `facts.jsonl` lines of each tournament in an installation's file, without the rows about imports."""
    facts = []
    for name, content in sorted(read_members(file).items()):
        if name.startswith("tournaments/"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                lines = archive.read("facts.jsonl").splitlines()
            facts.append([line for line in lines if json.loads(line)["kind"] != "TournamentImport"])
    return facts


def checks_of(event: Event) -> list[tuple[str, bool, str]]:
    """Return the name, the outcome, and the text of each `verify_event` check, without texts that an import changes.

    An import changes the texts about the log and about rows, and the number of seals by earlier keys.
    """
    return [
        (check.subject, check.passed, "" if check.kind in ("log", "rows") else BY_EARLIER_KEY.sub("", check.finding))
        for check in verify_event(event)
    ]


# --- Files that were changed -----------------------------------------------------------------------------------------


def read_members(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_lines(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def change_lines(content: bytes, change: Callable[[list[dict[str, Any]]], object]) -> bytes:
    """Parse JSON Lines, apply `change` to the list of objects, and return the list as JSON Lines again."""
    lines = [json.loads(line) for line in content.splitlines()]
    change(lines)
    return b"".join(map(encode_json_line, lines))


def write_archive(file: Path, members: Mapping[str, bytes], *, seal: str = "a forger") -> Path:
    """Write an archive with these members, and return its path.

    The manifest has the digests of the members, but is sealed with another key.
    """
    content = json.loads(members["manifest.json"])
    content["members"] = {
        name: {
            "rows": each.count(b"\n") if name.endswith(".jsonl") else 1,
            "bytes": len(each),
            "sha256": sha256_hex(each),
        }
        for name, each in members.items()
        if name != "manifest.json"
    }
    key = derive_seal_key(seal)
    content["seal"] = {"key": encode_public_key(key), "signature": ""}
    try:
        content["seal"]["signature"] = key.sign(Manifest(content, {}).signable_bytes).hex()
    except ValueError:
        content["seal"]["signature"] = "0" * 128
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, each in members.items():
            archive.writestr(name, json.dumps(content) if name == "manifest.json" else each)
    return file


Change = Callable[[list[dict[str, Any]]], object]


def forge_log(members: Mapping[str, bytes], change: Change, change_log: Change = list) -> dict[str, bytes]:
    """Change rows and log entries of an exported file, recompute all digests, and return the file's members."""
    facts, log = read_lines(members["facts.jsonl"]), read_lines(members["log.jsonl"])
    manifest = json.loads(members["manifest.json"])
    before = {(row["kind"], row["key"]): encode_json_line(row) for row in facts}
    change(facts)
    changed = [row for row in facts if before.get((row["kind"], row["key"])) != encode_json_line(row)]
    models = {model.__name__: model for model in list_archived_models()}
    shared = {
        "tournament.User": {each["email"]: each["key"] for each in manifest["accounts"]},
        "scoring.SealKey": {each["public"]: each["key"] for each in manifest["seal_keys"]},
    }
    for row in changed:
        model = models[row["kind"]]
        known = {column.name for column in get_archived_columns(model)}
        columns = {name: value for name, value in row["columns"].items() if name in known}
        unknown = {name: value for name, value in row["columns"].items() if name not in known}
        digest = compute_row_digest(row_from_json(model, row["key"], columns, shared), unknown)
        for line in reversed(log):
            digests = line.get("row_digests", {}).get(model._meta.db_table, {})
            if str(row["key"]) in digests:
                digests[str(row["key"])] = digest
                break
    change_log(log)
    previous = "0" * 64
    for line in log:
        line["previous"] = previous
        content = {name: value for name, value in line.items() if name not in ("digest", "account", "current")}
        line["digest"] = previous = sha256_hex(rfc8785.dumps(content))
    manifest["log"] = {"rows": len(log), "digest": previous}
    return {
        **members,
        "facts.jsonl": b"".join(map(encode_json_line, facts)),
        "log.jsonl": b"".join(map(encode_json_line, log)),
        "manifest.json": json.dumps(manifest).encode(),
    }
