"""Define the result of a verification check, and compare every database row with its last digest in the log."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from django.db.models import Model, Q, QuerySet

from tournament.core.selectors.left_out import load_left_out_parts
from tournament.core.selectors.log import compute_row_digest, list_recorded_models
from tournament.core.selectors.rows import RecordedKeys, find_foreign_key_path, load_recorded_keys, load_unknown_columns
from tournament.models import AuditEntry, Event, Player, Tournament

PROBLEM_CODES: Final = {
    "log": "log-broken",
    "steps": "state-differs",
    "partners": "partners-differ",
    "draws": "draw-differs",
    "late_entries": "late-entry-differs",
    "stages": "stage-differs",
    "tables": "tables-differ",
    "matches": "matches-differ",
    "results": "result-differs",
    "statements": "card-against-result",
    "cards": "card-altered",
    "hands": "card-altered",
    "signatures": "card-altered",
    "versions": "card-altered",
    "seals": "seal-differs",
    "lengths": "length-differs",
    "decisions": "decision-altered",
    "rulings": "ruling-not-carried-out",
    "standings": "standings-differ",
    "places": "places-differ",
    "ledger": "ledger-differs",
    "payouts": "payout-differs",
    "files": "file-differs",
    "rows": "row-differs",
}
"""The code of the problem that each kind of check reports."""

VerificationFacts = Mapping[str, int | Sequence[int]]
"""The facts from which a value was recomputed, by kind: either how many facts there were, or their primary keys."""


@dataclass(frozen=True, slots=True)
class VerificationCheck:
    """The result of recomputing a value and comparing it with the database."""

    subject: str
    passed: bool
    finding: str
    kind: str = field(kw_only=True)
    """One of the keys of `PROBLEM_CODES`."""
    counts: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    """How many items of each kind were checked."""
    facts: VerificationFacts = field(default_factory=dict, kw_only=True)

    @property
    def facts_text(self) -> str:
        """A description of the facts, such as “from 12 hands and 2 signatures”. It is empty if there are none."""
        numbers = {kind: each if isinstance(each, int) else len(each) for kind, each in self.facts.items()}
        counts = [_describe_count(kind, number) for kind, number in numbers.items() if number]
        if not counts:
            return ""
        return f"from {' and '.join([', '.join(counts[:-1]), counts[-1]] if len(counts) > 1 else counts)}"


def _describe_count(kind: str, count: int) -> str:
    """Return a count with the name of its kind.

    >>> _describe_count("hands", 1), _describe_count("entries", 1), _describe_count("log_rows", 3)
    ('1 hand', '1 entry', '3 log rows')
    """
    words = kind.replace("_", " ")
    one = words[:-3] + "y" if words.endswith("ies") else words.removesuffix("s")
    return f"{count} {one if count == 1 else words}"


def checks_as_json(checks: Sequence[VerificationCheck]) -> dict[str, Any]:
    """Return the output of `verify_event --json`."""
    bad = [check for check in checks if not check.passed]
    total = Counter(dict.fromkeys(PROBLEM_CODES, 0))
    for check in checks:
        total.update(check.counts)
    return {
        "ok": not bad,
        "checked": dict(total),
        "problems": [
            {"code": PROBLEM_CODES[check.kind], "place": check.subject, "message": check.finding} for check in bad
        ],
        "figures": [
            {"what": check.subject, "found": check.finding, "facts": dict(check.facts)}
            for check in checks
            if check.facts
        ],
    }


# --- Every row against its last digest in the log --------------------------------------------------------------------

_MAX_NAMED_ROWS: Final = 50
"""The maximum number of altered rows to list. The others are only counted."""

_CHANGE_EXPLANATIONS: Final[Mapping[str, str]] = {
    "tournament.Event": "Fees, prizes, dates or the plan may not be those that were announced.",
    "tournament.EventStep": "When and by whom the event was opened, drawn or finished is no longer certain.",
    "tournament.Tournament": "Dates, currency, bank account or what is public may not be what the director set.",
    "tournament.StaffRole": "Somebody may act here to whom no director gave that right.",
    "tournament.Player": "The name, address or consent of a player may not be what they gave.",
    "tournament.Entrant": "Who is entered, under which name, and whether they came may not be what the desk recorded.",
    "tournament.Member": "Another player than the one who was entered may hold this entry, and its prize.",
    "tournament.EntrantFact": "A withdrawal, an approval or an arrival may be missing, or may never have happened.",
    "tournament.LedgerLine": "What was paid or is owed may differ from the receipts.",
    "tournament.PaidOut": "What was paid out may differ from what the players signed for.",
    "tournament.Finish": "The final places, and with them the prizes, may be others.",
    "tournament.Movement": "Money may be counted twice, or be missing, in the close of the day.",
    "tournament.Posting": "Money may be counted twice, or be missing, in the close of the day.",
    "tournament.SidePool": "The fee or the prizes of a side pool may not be those that were announced.",
    "pairing.Commitment": "The secret of the draw may have been chosen after the cards were cut. Check the draw.",
    "pairing.Draw": "The order of the draw may not be the one that the room saw. Check the draw.",
    "pairing.DrawPosted": "When the draw was posted, and by whom, is no longer certain.",
    "pairing.Match": "A match may stand elsewhere in the bracket than where it was drawn.",
    "pairing.MatchSeat": "Somebody else may have been put into a match.",
    "pairing.MatchResult": "Another player may have been made the winner of a match.",
    "pairing.Pairing": "Others may have been paired than those who were sent to a table.",
    "scoring.RuleSheet": "Cards may be counted by other rules than those they were played by.",
    "scoring.RuleSheetFrozen": "Since when the rules are fixed is no longer certain.",
    "scoring.CardSeat": "The name on a card may be another than that of the player who signed it.",
    "scoring.SheetLine": "A hand of a score card may be another than the one that was recorded.",
    "scoring.Signature": "A signature may belong to other content, or to somebody else.",
    "scoring.Ruling": "A ruling may not be the one that was made.",
}
"""Possible meanings of an altered row, explained for a director and keyed by the model's name."""

_DEFAULT_CHANGE_EXPLANATION: Final = (
    "Compare it with the paper, or restore a backup from before, and ask who had the database."
)


@dataclass(frozen=True, slots=True)
class _LastLogEntry:
    """The last log entry about a database row. `digest` is empty if that entry records the row's deletion."""

    digest: str
    seq: int
    act: str
    event: int | None
    keys: RecordedKeys
    """The changes that imports made to the tournament's primary keys."""

    def __str__(self) -> str:
        return f"row {self.seq} of the log ({self.act})"


def check_every_row(event: Event) -> Iterator[VerificationCheck]:
    """Check all rows of the event, and all rows of its tournament that belong to no event."""
    logged = _load_last_entries(event)
    unknown, left_out = load_unknown_columns(event.tournament_id), load_left_out_parts(event.tournament_id)
    counted = 0
    faults: list[tuple[str, str]] = []
    for model, rows in load_rows_to_check(event).items():
        last = logged.get(model._meta.db_table, {})
        of_event = {pk: each for pk, each in last.items() if each.event in (event.pk, None)}
        own = {pk for pk, each in of_event.items() if not left_out.has_row(model, pk, each.seq)}
        there = {**rows, **model._base_manager.in_bulk([pk for pk in own if pk not in rows])}
        counted += len(there)
        for pk in sorted(there.keys() | own):
            if fault := _describe_row_fault(there.get(pk), last.get(pk), unknown):
                meaning = _CHANGE_EXPLANATIONS.get(model._meta.label, _DEFAULT_CHANGE_EXPLANATION)
                faults.append((f"{model._meta.verbose_name} {pk}", f"{fault} {meaning}"))
    for name, fault in faults[:_MAX_NAMED_ROWS]:
        yield VerificationCheck(name, False, fault, kind="rows")
    more, right = max(len(faults) - _MAX_NAMED_ROWS, 0), counted - len(faults)
    text = f"{right} rows as they were recorded" + (f", and {more} more that are not" if more else "")
    yield VerificationCheck("every row", not more, text, kind="rows", counts={"rows": counted}, facts={"rows": counted})


def load_rows_to_check(event: Event) -> dict[type[Model], dict[int, Model]]:
    """Return the rows to check, keyed by model and primary key.

    These are the event's rows, and the rows of its tournament that belong to no event.
    """
    return {model: {row.pk: row for row in _query_rows(model, event)} for model in list_recorded_models()}


def _describe_row_fault(row: Model | None, last: _LastLogEntry | None, unknown: Mapping[str, Any]) -> str:
    if row is None:
        return f"was deleted in the database after {last}." if last is not None and last.digest else ""
    if last is None or not last.digest:
        return "was added to the database past the program: the log has no row for it."
    recorded, columns = last.keys.restore_row(row, last.seq), unknown.get(f"{row._meta.object_name} {row.pk}")
    digests = (compute_row_digest(recorded), compute_row_digest(recorded, columns))
    return "" if last.digest in digests else f"was changed in the database after {last}."


def _load_last_entries(event: Event) -> dict[str, dict[int, _LastLogEntry]]:
    """Return each row's last log entry, keyed by table and primary key.

    A player can have entries in several tournaments, so the last entry for a player's row may be in the log of another
    tournament. For example, staff there may have created the player's record, or merged it with another one. A merge
    also changes the player's records that have no entry in that tournament.
    """
    players = Player._meta.db_table
    entries: dict[str, dict[int, _LastLogEntry]] = {players: {}}
    labels = {model._meta.db_table: model._meta.label for model in list_recorded_models()}
    for _tournament, table, pk, last in _iter_log_entries(AuditEntry.objects.filter(tournament=event.tournament_id)):
        entries.setdefault(table, {})[last.keys.find_current_key(labels.get(table, ""), pk, last.seq)] = last
    people = Player.objects.filter(Q(pk__in=list(entries[players])) | Q(pk__in=_query_rows(Player, event).values("pk")))
    pairs = people.values_list("pk", "merged_into")
    records = {pk for pair in pairs for pk in pair if pk is not None}
    others = Tournament.objects.filter(events__entrants__members__player__in=records)
    shared = AuditEntry.objects.filter(tournament__in=others.distinct(), row_digests__has_key=players)
    for tournament, table, pk, last in _iter_log_entries(shared):
        current = last.keys.find_current_key(Player._meta.label, pk, last.seq)
        if table == players and current in records:
            here = tournament == event.tournament_id
            entries[players][current] = last if here else replace(last, event=None)
    return entries


def _iter_log_entries(log: QuerySet[AuditEntry]) -> Iterator[tuple[int, str, int, _LastLogEntry]]:
    rows, keys = log.exclude(row_digests={}).order_by("pk"), cache(load_recorded_keys)
    columns = ("tournament_id", "seq", "verb", "about", "by_name", "event_id", "row_digests")
    for tournament, seq, verb, about, by_name, event, tables in rows.values_list(*columns).iterator():
        act = f"{verb}{f' of “{about}”' if about else ''} by {by_name}"
        for table, digests in _iter_items(tables):
            for pk, digest in _iter_items(digests):
                yield tournament, table, int(pk), _LastLogEntry(str(digest), seq, act, event, keys(tournament))


def _iter_items(value: Any) -> Iterable[tuple[str, Any]]:
    """Return the items of a JSON object, or an empty result if an altered log row contains something else."""
    return value.items() if isinstance(value, dict) else ()


def _query_rows(model: type[Model], event: Event) -> QuerySet[Any]:
    rows: QuerySet[Any] = model._base_manager.all()
    if model is Event:
        return rows.filter(pk=event.pk)
    if model is Tournament:
        return rows.filter(pk=event.tournament_id)
    if model is Player:
        return rows.filter(members__entrant__event=event).distinct()
    to_event, to_tournament = find_foreign_key_path(model, Event), find_foreign_key_path(model, Tournament)
    if to_event is None:
        return rows.filter(**{to_tournament: event.tournament_id}) if to_tournament else rows.none()
    of_tournament = Q(**{f"{to_event}__isnull": True, to_tournament: event.tournament_id}) if to_tournament else Q()
    return rows.filter(Q(**{to_event: event.pk}) | of_tournament if of_tournament else Q(**{to_event: event.pk}))
