"""An export without persons contains no personal data, and a copy made from it has the same results and money."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db.models import BinaryField, CharField, FileField, JSONField, TextField

from pairing.draws.order import compute_commitment
from pairing.models import Commitment, Draw
from pairing.stages.selectors.course import load_event_stages, load_final_placings
from scoring.archive.selectors import persons
from scoring.archive.selectors.checks import check_archive
from scoring.archive.selectors.export import export_tournament, make_summary
from scoring.archive.selectors.files import ArchiveReader
from scoring.archive.selectors.persons import COLUMN_RULES, PersonalDataRemover, keep_value, list_undeclared_columns
from scoring.archive.selectors.pseudonyms import REMOVED_TEXT, NumberedNames, Pseudonyms, is_harmless_cut
from scoring.archive.services.imports import ImportMode, import_tournament
from scoring.models import (
    Appeal,
    AppealDecided,
    Card,
    CardPosted,
    CardVersion,
    Committee,
    Dispute,
    Evidence,
    Ruling,
    Signature,
)
from scoring.rehearsal.services.random_event import RandomEvent
from scoring.verification.selectors.checks import VerificationCheck
from scoring.verification.selectors.event import verify_event
from tests.factories import a_player, a_tournament, a_user, an_entrant, an_event
from tests.kit import fresh, refused
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.rows import (
    get_archived_columns,
    list_archived_models,
    row_to_json,
    select_tournament_rows,
)
from tournament.core.services.record import writing
from tournament.models import (
    BankList,
    BankTransfer,
    CardEvent,
    CardPayment,
    Entrant,
    EntrantFact,
    Event,
    EventExtra,
    EventMoney,
    ImportBatch,
    ImportRow,
    LedgerLine,
    LinkRequest,
    Message,
    MessageCopy,
    PaidOut,
    PayoutSignature,
    Player,
    PlayerCorrection,
    SidePool,
    Tournament,
    User,
)
from tournament.money.selectors.finances import load_event_money_figures
from tournament.money.selectors.ledger import load_payout, load_prize_pool

pytestmark = pytest.mark.django_db

MARK = "Zanzibar Quicksilver"
"""A text that tests store as if a user had typed it. It has two words, like a name."""


# --- The table -------------------------------------------------------------------------------------------------------


def test_every_column_is_declared() -> None:
    assert list_undeclared_columns() == []


def test_a_column_that_is_not_declared_is_not_exported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tournament = a_tournament()
    monkeypatch.setitem(COLUMN_RULES, "tournament.StaffRole", {keep_value: "tournament user"})  # type: ignore[arg-type]
    assert list_undeclared_columns() == ["tournament.StaffRole.role"]
    with refused("undeclared-columns"):
        export_tournament(tournament, tmp_path / "file", without_persons=True)
    assert list(tmp_path.iterdir()) == []


TEXTS_OF_THE_PROGRAM = frozenset(
    """
    pairing.Commitment.draw_id pairing.Draw.public pairing.Match.ident pairing.PartnerDraw.public
    pairing.PartnerSeal.draw_id pairing.Stage.kind pairing.StageSeal.draw_id scoring.Card.sides_key
    scoring.ConductPenalty.offence scoring.Dispute.kind scoring.DisputeFacts.kind scoring.RuleSheet.variant
    scoring.Ruling.kind scoring.Ruling.rule scoring.Ruling.ruling scoring.UpCard.up tournament.EntrantFact.role
    tournament.Event.prize_percent tournament.Message.audience tournament.Movement.kind tournament.Posting.account
    tournament.Posting.kind tournament.Posting.method tournament.SidePool.prize_percent
    tournament.Tournament.time_zone tournament.Tournament.currency
    """.split()
)
"""Text columns that are exported unchanged although they have no fixed choices.

The program writes all these texts, except for the cut of a draw, which users type and `is_harmless_cut` checks.
"""


def test_a_kept_text_has_fixed_choices_or_is_known_here() -> None:
    """Before you add a column to `TEXTS_OF_THE_PROGRAM`, make sure that nobody can type a name into it."""
    kept = set()
    for model in list_archived_models():
        names = (COLUMN_RULES[model._meta.label] or {}).get(keep_value, "").split()
        for column in get_archived_columns(model):
            is_text = isinstance(column, CharField | TextField | FileField | BinaryField) and not column.choices
            if column.name in names and is_text:
                kept.add(f"{model._meta.label}.{column.name}")
    assert kept == TEXTS_OF_THE_PROGRAM


# --- What is in the file ---------------------------------------------------------------------------------------------


def members_of(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in members_of(path)["facts.jsonl"].splitlines()]


def exported(tournament: Tournament, folder: Path, name: str = "file") -> Path:
    export_tournament(tournament, folder / name, without_persons=True)
    return folder / name


def test_nothing_personal_is_in_the_file(tmp_path: Path) -> None:
    tournament = a_tournament(
        slug="karlsson-cup",
        name="Karlsson Cup",
        venue="Villa Astrid",
        contact="Pippi, 555-0199",
        about="Ask Tommy for breakfast.",
        bank_account="IBAN SE35 5000 0000 0549 1000 0003",
        expense_categories=["Advertising", "Horse of Pippi"],
    )
    director = a_user("director", tournament, name="Bengt Prysselius")
    User.objects.filter(pk=director.pk).update(email="bengt@kurrekurredutt.se")
    fact = {"by": director, "by_name": "Bengt Prysselius", "reason": "Annika was ill"}
    event = an_event(tournament, slug="villa", name="Villa Singles", sites=["Villekulla", "Taka-Tuka"])
    pippi = a_player(
        "Pippilotta Långstrump",
        email="pippi@taka-tuka.example",
        email_key="pippi@taka-tuka.example",
        phone="+46 70 555 0123",
        address="Villa Villekulla 1\nVisby",
        club="Hoppetossa",
        sort_name="Långstrump, Pippilotta",
    )
    tommy = a_player("Tommy Settergren", club="Hoppetossa", hides_name=True)
    one = an_entrant(event, player=pippi, club="Hoppetossa", site="Villekulla", notes="keep me apart from Klang")
    an_entrant(event, player=tommy, club=" hoppetossa ", site="Taka-Tuka")
    Entrant.objects.filter(pk=one.pk).update(token="secret-link-of-pippi", sign_code="918273")
    by_player = {"by_name": f"{one.name} (entry {one.number})", "reason": "the monkey did it"}
    EntrantFact.objects.create(
        entrant=one, kind="site", data={"site": "Villekulla"}, link_by="Bengt Prysselius", **fact
    )
    PlayerCorrection.objects.create(
        **{"player": pippi, "event": event, "changes": {"name": ["Pippi Lang", "Pippilotta Långstrump"]}, **fact},
        shown_before="Pippi Lang",
    )
    LinkRequest.objects.create(
        event=event, name="Kling Klang", birth_year=1945, phone_end="0123", browser="browser-of-klang", **by_player
    )
    message = Message.objects.create(event=event, subject="To the horse", body="Annika waits at the door.", **fact)
    MessageCopy.objects.create(message=message, entrant=one, channel="phone", note="did not answer, drunk")
    batch = ImportBatch.objects.create(
        event=event, file_name="friends of pippi.csv", content=b"Herr Nilsson", headers=["Nilsson"], **fact
    )
    ImportRow.objects.create(batch=batch, number=1, cells=["Herr Nilsson"], verdict="new")
    BankList.objects.create(tournament=tournament, file_name="bank of pippi.csv", content=b"gold coins", **fact)
    BankTransfer.objects.create(
        **{"tournament": tournament, "ident": "ident-of-transfer", "booked": "24 Dec, Efraim", "cents": 100, **fact},
        payer="Efraim Långstrump",
        text="for the monkey",
    )
    payment = CardPayment.objects.create(event=event, entrant=one, ident="pi_secret_ident", cents=300, **by_player)
    CardEvent.objects.create(
        ident="evt_secret",
        kind="charge.of-efraim",
        at=fresh(event).tournament.created_at,
        cents=300,
        payload={"name": "Efraim Långstrump"},
        payment=payment,
        refund="re_secret",
        note="from Efraim",
    )
    SidePool.objects.create(event=event, name="Strongest girl", condition="only for Pippi", fee_cents=100)
    EventExtra.objects.create(event=event, name="Pancakes of Pippi", price_cents=100)
    LedgerLine.objects.create(event=event, entrant=one, kind="extra", cents=100, reference="Pancakes of Pippi", **fact)
    LedgerLine.objects.create(event=event, entrant=one, kind="payment", cents=100, reference="check of Efraim", **fact)
    EventMoney.objects.create(
        **{"event": event, "kind": "expense", "cents": 5, "method": "cash", "category": "Horse of Pippi", **fact},
        party="Dunder Karlsson",
        reference="bill of Dunder",
    )
    paid = PaidOut.objects.create(event=event, entrant=one, cents=100, method="cash", **fact)
    PayoutSignature.objects.create(paid_out=paid, player=pippi, cents=100, strokes=[[7654321, 1]], **fact)
    dispute = Dispute.objects.create(
        **{"event": event, "kind": "conduct", "about": "she lifted the horse", "claims": {"A": "Blom saw it"}, **fact},
        facts={"by": "A", "note": "Prussiluskan says so"},
        entries=[1, 2],
    )
    Evidence.objects.create(
        **{"dispute": dispute, "kind": "photo", "digest": "d" * 64, "words": "statement of Annika", **by_player},
        photo=ContentFile(b"photo of the horse", name="horse-and-pippi.jpg"),
    )
    ruling = Ruling.objects.create(
        **{"dispute": dispute, "number": 1, "kind": "conduct", "rule": "singles 16", "ruling": "no-penalty", **fact},
        decided="Pippi may stay.",
        recommended={"rule": "singles 16", "text": "Pippi may go."},
    )
    appeal = Appeal.objects.create(ruling=ruling, **by_player)
    AppealDecided.objects.create(appeal=appeal, upheld=True, members=["Fridolf Blom"], **fact)
    Committee.objects.create(event=event, members=["Fridolf Blom", "Elisif Kling"], **fact)
    with writing(tournament, verb="tournament.changed", by=SYSTEM_ACTOR, reason="Annika was ill") as write:
        write.about(tournament, name="Karlsson Cup")

    path = exported(tournament, tmp_path)

    members = members_of(path)
    assert set(members) == {"manifest.json", "facts.jsonl", "log.jsonl", "summary.json"}
    assert members["log.jsonl"] == ""
    personal = """
        Karlsson Astrid Pippi 0199 Tommy breakfast SE35 Horse horse Bengt Prysselius kurrekurredutt Annika Villekulla
        Taka taka Långstrump Lang Settergren Hoppetossa hoppetossa 555 Visby Klang klang secret 918273 monkey 1945 0123
        browser-of drunk friends Nilsson gold ident-of Dec, Efraim efraim girl Pancakes Dunder 7654321 lifted Blom
        Prussiluskan dddd statement photo-of jpg stay Fridolf Elisif karlsson-cup
    """.split()
    for name, content in members.items():
        without_times = re.sub(r'"\d{4}-\d\d-\d\d[^"]*"|"[0-9a-f]{32,}"|"sha256"|"bytes":\d+', "", content)
        assert [word for word in personal if word in without_times] == [], name

    by_kind: dict[str, list[dict[str, Any]]] = {}
    for row in rows_of(path):
        by_kind.setdefault(row["kind"], []).append(row["columns"])
    assert by_kind.keys().isdisjoint({"ImportBatch", "ImportRow", "BankList", "IdempotencyKey", "TournamentImport"})
    assert [row["name"] for row in by_kind["Player"]] == ["Player 1", "Player 2"]
    assert [row["name"] for row in by_kind["Entrant"]] == ["Player 1", "Player 2"]
    assert {row["club"] for row in by_kind["Entrant"] + by_kind["Player"]} == {"Club 1"}
    assert [row["site"] for row in by_kind["Entrant"]] == ["Site 2", "Site 1"]
    assert by_kind["EntrantFact"][0]["data"] == {"site": "Site 2"}
    assert by_kind["EntrantFact"][0]["by"] == "official-1@example.invalid"
    assert by_kind["CardPayment"][0]["by_name"] == "Player 1 (entry 1)"
    assert by_kind["PlayerCorrection"][0]["shown_before"] == "Player 1"
    assert [row["reference"] for row in by_kind["LedgerLine"]] == ["Extra 1", REMOVED_TEXT]
    assert by_kind["Committee"][0]["members"][0] == by_kind["AppealDecided"][0]["members"][0]
    assert by_kind["Ruling"][0]["rule"] == "singles 16"
    assert by_kind["Tournament"][0]["expense_categories"] == ["Advertising", "Category 1"]


def typed_values(column: Any) -> Any:
    """Return a value for this column that contains the text `MARK`, as if a user had typed it.

    Return None if the column cannot contain a user's text, for example if it contains a number.
    """
    if isinstance(column, JSONField):
        return {"note": MARK, MARK: [MARK, {"said": MARK}], "text": {"message": "%(a)s", "values": {"a": MARK}}}
    return MARK if isinstance(column, CharField | TextField | FileField) else None


def has_mark(value: Any) -> bool:
    return MARK in json.dumps(value, ensure_ascii=False)


NEED_THEIR_OWN_SHAPE = {
    *(("Event", "plan"), ("Stage", "terms"), ("RuleSheet", "options"), ("CardVersion", "facts")),
    *((kind, column) for kind in ("Commitment", "PartnerSeal", "StageSeal") for column in ("commitment", "secret")),
}
"""Columns that the export can read only in the form that the program writes, such as the secret of a draw."""


def test_no_rule_lets_a_typed_text_through() -> None:
    """Put the text `MARK` into every column that must not be exported unchanged, and search the exported rows for it.

    The rows come from a played event.
    """
    played = RandomEvent("knockout", "gra-singles", seed=1, entrants=4).play()
    remover = PersonalDataRemover(Pseudonyms(played.tournament))
    looked_at = 0
    for model in filter(remover.exports_model, list_archived_models()):
        row = select_tournament_rows(model, played.tournament).first()
        if row is None:
            continue
        kept = (COLUMN_RULES[model._meta.label] or {}).get(keep_value, "").split()
        for column in get_archived_columns(model):
            name = (str(model._meta.object_name), column.name)
            if column.name not in kept and name not in NEED_THEIR_OWN_SHAPE and (value := typed_values(column)):
                setattr(row, column.attname, value)
                looked_at += 1
        shared = {"tournament.User": dict.fromkeys(range(1000), "someone"), "scoring.SealKey": {}}
        assert not has_mark(row_to_json(remover.replace(row), shared)), model._meta.label
    assert looked_at > 100


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        (
            persons.replace_typed_json,
            {"A": "he said so", "n": 3, "x": ["", None]},
            {"A": REMOVED_TEXT, "n": 3, "x": ["", None]},
        ),
        (persons.make_fixed_choices_rule(), {"by": "A", "up": "10H", "line": ["gin", "3S", 7, "so he said"]}, None),
        (persons.clear_value, "text", ""),
        (persons.clear_value, [1], []),
        (persons.clear_value, {"a": 1}, {}),
        (persons.clear_value, 1945, None),
        (persons.keep_booking_date, "2026-11-28", "2026-11-28"),
        (persons.keep_booking_date, "28 Nov by Ada", REMOVED_TEXT),
    ],
)
def test_rules(rule: Any, value: Any, expected: Any) -> None:
    expected = (
        {**value, "line": ["gin", "3S", 7, REMOVED_TEXT]} if expected is None and isinstance(value, dict) else expected
    )
    assert rule(None, None, value) == expected


def test_stored_sentences_keep_their_wording_and_lose_their_names() -> None:
    event = an_event()
    an_entrant(event, "Ada Lovelace", club="Reno")
    names = Pseudonyms(event.tournament)
    told = {"message": "%(a)s, %(b)s, %(c)s", "values": {"a": "Ada Lovelace", "b": "4–0", "c": "the cook of Ada"}}
    record = {
        "texts": {"reasons": [[[1, 2], told]]},
        "bye_reason": "Ada waits",
        "kept_apart": {"groups": {"Reno": [1]}},
    }
    changed = persons.replace_names_in_pairing_record(names, None, record)
    assert changed["texts"]["reasons"][0][1] == {**told, "values": {"a": "Player 1", "b": "4–0", "c": REMOVED_TEXT}}
    assert (changed["bye_reason"], changed["kept_apart"]) == (REMOVED_TEXT, {"groups": {"Club 1": [1]}})


def test_things_are_numbered_in_the_order_of_their_names() -> None:
    clubs = NumberedNames("Club", [*map(str, range(11)), "", " 3 "])
    assert [clubs("0"), clubs("9"), clubs(" 3 "), clubs(""), clubs("new")] == [
        "Club 01",
        "Club 11",
        "Club 05",
        "",
        "Club 12",
    ]


@pytest.mark.parametrize("cut", ["7H QS 2D", "", "10♥ A♠", "Queen of hearts, then the black ace", "the dice showed 4"])
def test_harmless_cuts(cut: str) -> None:
    assert is_harmless_cut(cut)


@pytest.mark.parametrize("cut", ["Ada cut the king", "555", "QHSX", "king for Mary"])
def test_cuts_with_other_words(cut: str) -> None:
    assert not is_harmless_cut(cut)


def a_draw(event: Event, cut: str) -> Draw:
    sealed = Commitment.objects.create(
        event=event, draw_id=f"{event.tournament.slug}-{event.slug}-1", numbers=[1], secret="1" * 64, by_name="test"
    )
    return Draw.objects.create(commitment=sealed, public=cut, order=[1], places=[1], by_name="test")


def test_a_cut_with_names_is_refused(tmp_path: Path) -> None:
    event = an_event()
    a_draw(event, "Ada threw a coin")
    with refused("names-in-draw") as refusal:
        export_tournament(event.tournament, tmp_path / "file", without_persons=True)
    assert "Ada threw a coin" in str(refusal.value.message)


def test_a_draw_named_after_a_player_is_refused(tmp_path: Path) -> None:
    event = an_event(a_tournament(slug="ada-lovelace-cup"))
    a_draw(event, "7H")
    export_tournament(event.tournament, tmp_path / "file", without_persons=True)
    an_entrant(event, "Ada Lovelace")
    with refused("names-in-draw"):
        export_tournament(event.tournament, tmp_path / "file", without_persons=True)


def test_a_secret_that_still_decides_a_draw_is_replaced(tmp_path: Path) -> None:
    event = an_event()
    Commitment.objects.create(
        event=event, draw_id="next", numbers=[1], secret="ab" * 32, commitment="c" * 64, by_name="test"
    )
    a_draw(event, "7H")
    sealed = [row["columns"] for row in rows_of(exported(event.tournament, tmp_path)) if row["kind"] == "Commitment"]
    assert [each["secret"] for each in sealed if each["draw_id"] != "next"] == ["1" * 64]
    pending = next(each for each in sealed if each["draw_id"] == "next")
    assert pending["secret"] != "ab" * 32
    assert pending["commitment"] == compute_commitment(bytes.fromhex(pending["secret"]))


# --- The copy --------------------------------------------------------------------------------------------------------

ORDERS = (
    ("knockout", "gra-singles", 1, 4),
    ("sites", "standard", 4, 4),
    ("tables", "hollywood", 3, 4),
    ("rotation", "metzker", 5, None),
    ("swiss-pairs", "oklahoma", 1, 4),
    ("court-whist", "court-whist", 5, None),
)
FIGURES = (
    "draws",
    "stages",
    "tables",
    "matches",
    "standings",
    "places",
    "ledger",
    "payouts",
    "late_entries",
    "lengths",
)


def figures_of(event: Event) -> list[tuple[str, str]]:
    """Return the kind and the result of each `verify_event` check whose result contains no names."""
    return [(check.kind, check.finding) for check in verify_event(event) if check.kind in FIGURES]


def results_of(event: Event) -> dict[str, Any]:
    """Return an event's results and money as its pages show them, with entry numbers in place of names."""
    course, placings, payout = load_event_stages(event), load_final_placings(event), load_payout(event)
    summary = make_summary(event.tournament)["events"][0]
    return {
        "standings": [[[row.entry for row in rows] for _part, rows in stage.pool.standings] for stage in course.pools],
        "bracket": {
            ident: str(view.entries) for ident, view in (course.progress.views if course.progress else {}).items()
        },
        "matches": [(each["match"], each["winner"], each["credits"], each["score"]) for each in summary["matches"]],
        "places": [str(each) for each in placings.finish] if placings else [],
        "pool": load_prize_pool(event),
        "payout": [] if payout is None else [(award.entry, award.cents) for award in payout.awards],
        "money": load_event_money_figures(event),
        "postings": sorted(event.postings.values_list("account", "kind", "method", "cents", "entrant__number")),
    }


def failed(event: Event) -> list[str]:
    return [f"{check.subject}: {check.finding}" for check in verify_event(event) if not check.passed]


def kinds_of_faults(event: Event) -> list[str]:
    """Return the sorted kinds of the `verify_event` checks that failed.

    Some checks of a played event can fail, because the simulated players leave cards that need new signatures.
    """
    return sorted(check.kind for check in verify_event(event) if not check.passed)


@pytest.mark.long
@pytest.mark.parametrize(
    "order", [pytest.param(order, marks=pytest.mark.sample("copies without persons", 3)) for order in ORDERS], ids=str
)
def test_a_copy_has_the_same_results_and_money(order: tuple[str, str, int, int | None], tmp_path: Path) -> None:
    kind, rules, seed, entrants = order
    event = fresh(RandomEvent(kind, rules, seed=seed, entrants=entrants).play().event)
    names = {*Player.objects.values_list("name", flat=True), *Entrant.objects.values_list("name", flat=True)}
    secrets = {*Entrant.objects.values_list("token", flat=True), *Card.objects.values_list("token", flat=True)}
    clubs = set(event.entrants.exclude(club="").values_list("club", flat=True))

    path = exported(event.tournament, tmp_path)

    for name, content in members_of(path).items():
        assert [text for text in names | secrets | clubs if text in content] == [], name
    with ArchiveReader(path) as archive:
        assert check_archive(archive).faults == []
    for mode in (ImportMode.ORIGINAL, ImportMode.REPLACE):
        with refused("without-persons"):
            import_tournament(path, mode=mode, by=SYSTEM_ACTOR)

    copy = import_tournament(path, mode=ImportMode.COPY, by=SYSTEM_ACTOR).tournament.events.get()

    assert copy.tournament.is_copy
    assert kinds_of_faults(copy) == kinds_of_faults(event)
    checks: list[VerificationCheck] = verify_event(copy)
    assert [check.finding for check in checks if check.subject == "origin"] == [
        "this is a copy without persons: signatures and the log cannot be compared with the original"
    ]
    assert results_of(copy) == results_of(event)
    assert figures_of(copy) == figures_of(event)
    signed = Signature.objects.filter(card__match__event=event).count()
    assert Signature.objects.filter(card__match__event=copy).count() == signed
    posted = {posting.digest for posting in CardPosted.objects.filter(card__match__event=copy)}
    assert posted <= {version.digest for version in CardVersion.objects.filter(card__match__event=copy)}

    again = exported(copy.tournament, tmp_path, "again")
    assert facts_without_keys(again) == facts_without_keys(path)


def facts_without_keys(path: Path) -> list[str]:
    """Return the file's rows as sorted JSON texts without numbers, tokens, and digests, which differ in a copy."""
    lines = []
    for row in rows_of(path):
        text = json.dumps({"kind": row["kind"], **row["columns"]}, sort_keys=True, ensure_ascii=False)
        lines.append(
            re.sub(r"\b\d+\b|\b[0-9a-f]{32,64}\b", "#", re.sub(r'"is_copy": \w+|"receipt_key": \d+, ', "", text))
        )
    return sorted(lines)


@pytest.mark.long
def test_a_copy_can_be_played_on_and_exported_with_its_log(tmp_path: Path) -> None:
    half = RandomEvent("knockout", "gra-singles", seed=2, entrants=4, after_act=lambda done: done.number >= 25).play()
    path = exported(half.tournament, tmp_path)
    copy = import_tournament(path, mode=ImportMode.COPY, by=SYSTEM_ACTOR).tournament.events.get()
    assert copy.state != Event.State.FINISHED

    RandomEvent.continue_event(copy, seed=3)

    assert fresh(copy).state == Event.State.FINISHED
    assert set(kinds_of_faults(fresh(copy))) <= {"statements"}
    export_tournament(copy.tournament, tmp_path / "with log")
    with ArchiveReader(tmp_path / "with log") as archive:
        assert archive.manifest.has_persons
        assert check_archive(archive).faults == []
    second = import_tournament(tmp_path / "with log", mode=ImportMode.COPY, by=SYSTEM_ACTOR).tournament.events.get()
    assert kinds_of_faults(second) == kinds_of_faults(fresh(copy))
    assert results_of(second) == results_of(fresh(copy))


def test_a_changed_row_of_a_copy_is_noticed(tmp_path: Path) -> None:
    event = an_event(state=Event.State.DRAFT)
    an_entrant(event, "Ada")
    an_entrant(event, "Alan")
    path = exported(event.tournament, tmp_path)
    copy = import_tournament(path, mode=ImportMode.COPY, by=SYSTEM_ACTOR).tournament.events.get()
    assert failed(copy) == []
    copy.entrants.filter(number=1).update(club="Reno")
    (fault,) = failed(copy)
    assert "was changed in the database" in fault


def test_an_altered_version_of_a_card_is_still_altered(tmp_path: Path) -> None:
    """An export without persons removes a name that somebody wrote into a stored version of a card.

    `verify_event` must still report in the copy that this version was changed.
    """
    played = RandomEvent("knockout", "gra-singles", seed=1, entrants=4).play()
    version = CardVersion.objects.filter(card__match__event=played.event).order_by("-pk")[0]
    content = json.loads(version.content)
    content["sides"][0]["name"] = MARK
    CardVersion.objects.filter(pk=version.pk).update(content=json.dumps(content))
    path = exported(played.tournament, tmp_path)
    assert MARK not in members_of(path)["facts.jsonl"]
    copy = import_tournament(path, mode=ImportMode.COPY, by=SYSTEM_ACTOR).tournament.events.get()
    assert f"The content that was kept of version {version.number} was changed." in " ".join(failed(copy))
