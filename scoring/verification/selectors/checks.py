"""The findings of `verify_event`: what was computed again, from which facts, and what differs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from django.db.models import ForeignKey, Model, Q, QuerySet

from tournament.core.selectors.log import logged_digest, recorded_models
from tournament.models import AuditEntry, Event, Player, Tournament

KINDS: Final = {
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
"""The kinds of checks, each with the code of its problem."""

Facts = Mapping[str, int | Sequence[int]]
"""The facts behind a figure: by kind, their number or their primary keys."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check: what was computed again, whether it agrees with the record, and its result.

    `kind` is a key of `KINDS`. `counts` is the number of things checked by kind. `facts` are those behind the result.
    """

    what: str
    good: bool
    found: str
    kind: str = field(kw_only=True)
    counts: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    facts: Facts = field(default_factory=dict, kw_only=True)

    @property
    def from_what(self) -> str:
        """The facts in words, such as “from 12 hands and 2 signatures”, or empty if there are none."""
        numbers = {kind: of if isinstance(of, int) else len(of) for kind, of in self.facts.items()}
        counts = [_count_in_words(kind, number) for kind, number in numbers.items() if number]
        if not counts:
            return ""
        return f"from {' and '.join([', '.join(counts[:-1]), counts[-1]] if len(counts) > 1 else counts)}"


def _count_in_words(kind: str, count: int) -> str:
    """Return a count with its kind in words.

    >>> _count_in_words("hands", 1), _count_in_words("entries", 1), _count_in_words("log_rows", 3)
    ('1 hand', '1 entry', '3 log rows')
    """
    words = kind.replace("_", " ")
    one = words[:-3] + "y" if words.endswith("ies") else words.removesuffix("s")
    return f"{count} {one if count == 1 else words}"


def checks_as_json(checks: Sequence[Check]) -> dict[str, Any]:
    """Return the answer of `verify_event --json`."""
    bad = [check for check in checks if not check.good]
    return {
        "ok": not bad,
        "checked": count_checked(checks),
        "problems": [{"code": KINDS[one.kind], "place": one.what, "message": one.found} for one in bad],
        "figures": [
            {"what": check.what, "found": check.found, "facts": dict(check.facts)} for check in checks if check.facts
        ],
    }


def count_checked(checks: Iterable[Check]) -> dict[str, int]:
    """Return how many things of each kind were checked, including kinds with none."""
    total = Counter(dict.fromkeys(KINDS, 0))
    for check in checks:
        total.update(check.counts)
    return dict(total)


# --- Every row, against the digest that the log has of it ------------------------------------------------------------

MOST_NAMED: Final = 50
"""The most rows that are named one by one. The others are only counted."""

MEANING_OF_CHANGE: Final[Mapping[str, str]] = {
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
"""The meaning for a director of a row that differs from the record, by the name of its model."""

USUAL_MEANING: Final = "Compare it with the paper, or restore a backup from before, and ask who had the database."


@dataclass(frozen=True, slots=True)
class _LastEntry:
    """The last log entry of a row, with the digest of the row, which is empty if the row was deleted."""

    digest: str
    seq: int
    act: str
    event: int | None

    def __str__(self) -> str:
        return f"row {self.seq} of the log ({self.act})"


def check_every_row(event: Event) -> Iterator[Check]:
    """Check the rows of the event, and those of its tournament that belong to no event."""
    logged = _load_logged(event)
    counted = 0
    faults: list[tuple[str, str]] = []
    for model, rows in load_rows(event).items():
        last = logged.get(model._meta.db_table, {})
        own = {pk for pk, each in last.items() if each.event in (event.pk, None)}
        there = {**rows, **model._base_manager.in_bulk([pk for pk in own if pk not in rows])}
        counted += len(there)
        for pk in sorted(there.keys() | own):
            if fault := _row_fault(there.get(pk), last.get(pk)):
                meaning = MEANING_OF_CHANGE.get(model._meta.label, USUAL_MEANING)
                faults.append((f"{model._meta.verbose_name} {pk}", f"{fault} {meaning}"))
    for name, fault in faults[:MOST_NAMED]:
        yield Check(name, False, fault, kind="rows")
    more, right = max(len(faults) - MOST_NAMED, 0), counted - len(faults)
    text = f"{right} rows as they were recorded" + (f", and {more} more that are not" if more else "")
    yield Check("every row", not more, text, kind="rows", counts={"rows": counted}, facts={"rows": counted})


def load_rows(event: Event) -> dict[type[Model], dict[int, Model]]:
    """Return every row of the event, and of its tournament outside any event, by model and key."""
    return {model: {row.pk: row for row in _rows_of(model, event)} for model in recorded_models()}


def _row_fault(row: Model | None, last: _LastEntry | None) -> str:
    if row is None:
        return f"was deleted in the database after {last}." if last is not None and last.digest else ""
    if last is None or not last.digest:
        return "was added to the database past the program: the log has no row for it."
    return "" if logged_digest(row) == last.digest else f"was changed in the database after {last}."


def _load_logged(event: Event) -> dict[str, dict[int, _LastEntry]]:
    """Return the last log entry of each row by table and key.

    A player may have been changed in another tournament that they play.
    """
    players = Player._meta.db_table
    entries: dict[str, dict[int, _LastEntry]] = {}
    for _tournament, table, pk, last in _entries(AuditEntry.objects.filter(tournament=event.tournament_id)):
        entries.setdefault(table, {})[pk] = last
    others = Tournament.objects.filter(events__entrants__members__player__in=list(entries.get(players, ())))
    shared = AuditEntry.objects.filter(tournament__in=others.distinct(), row_digests__has_key=players)
    for tournament, table, pk, last in _entries(shared):
        if table == players and pk in entries[players]:
            here = tournament == event.tournament_id
            entries[players][pk] = last if here else replace(last, event=None)
    return entries


def _entries(log: QuerySet[AuditEntry]) -> Iterator[tuple[int, str, int, _LastEntry]]:
    rows = log.exclude(row_digests={}).order_by("pk")
    columns = ("tournament_id", "seq", "verb", "about", "by_name", "event_id", "row_digests")
    for tournament, seq, verb, about, by_name, event, tables in rows.values_list(*columns).iterator():
        act = f"{verb}{f' of “{about}”' if about else ''} by {by_name}"
        for table, digests in _pairs(tables):
            for pk, digest in _pairs(digests):
                yield tournament, table, int(pk), _LastEntry(str(digest), seq, act, event)


def _pairs(held: Any) -> Iterable[tuple[str, Any]]:
    """Return the pairs of an object. An altered row can contain anything."""
    return held.items() if isinstance(held, dict) else ()


def _rows_of(model: type[Model], event: Event) -> QuerySet[Any]:
    rows: QuerySet[Any] = model._base_manager.all()
    if model is Event:
        return rows.filter(pk=event.pk)
    if model is Tournament:
        return rows.filter(pk=event.tournament_id)
    if model is Player:
        return rows.filter(members__entrant__event=event).distinct()
    to_event, to_tournament = _shortest_path(model, Event), _shortest_path(model, Tournament)
    if to_event is None:
        return rows.filter(**{to_tournament: event.tournament_id}) if to_tournament else rows.none()
    of_tournament = Q(**{f"{to_event}__isnull": True, to_tournament: event.tournament_id}) if to_tournament else Q()
    return rows.filter(Q(**{to_event: event.pk}) | of_tournament if of_tournament else Q(**{to_event: event.pk}))


@cache
def _shortest_path(model: type[Model], target: type[Model]) -> str | None:
    """Return the shortest path along foreign keys, such as “card__match__event”, or None if there is none.

    It does not pass through an event or a player.
    """
    paths: list[tuple[type[Model], str]] = [(model, "")]
    seen = {model}
    for each, path in paths:
        for column in each._meta.concrete_fields:
            if not isinstance(column, ForeignKey):
                continue
            to, name = column.related_model, f"{path}{column.name}"
            if to is target:
                return name
            if to not in seen and to not in (Event, Player):
                seen.add(to)
                paths.append((to, f"{name}__"))
    return None
