"""Read an event's recorded rows as plain values, without using any of the program's computations."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pairing.models import (
    Draw,
    LateEntry,
    Match,
    MatchKept,
    MatchResult,
    MatchSeat,
    RulesAtTables,
    Seating,
    Stage,
    StageLots,
)
from scoring.card_state.selectors.state import SCOREKEEPER_SIDE
from scoring.models import (
    Card,
    CardClosed,
    CardPosted,
    CardSeat,
    CardVersion,
    ConductPenalty,
    ConductPenaltyLifted,
    Cut,
    SheetLine,
    Signature,
)
from tournament.models import (
    EndedEarly,
    EntrantFact,
    Event,
    EventMoney,
    Finish,
    LedgerLine,
    Member,
    PaidOut,
    SidePool,
    SidePoolEntry,
    SidePoolResult,
    Withholding,
)

LETTERS = "ABCDE"


@dataclass(frozen=True)
class EntrantRow:
    pk: int
    number: int
    name: str
    state: str
    token: str
    joined_to: int | None


@dataclass(frozen=True)
class CardRow:
    """A score card with its facts. `lines` contains the current lines, sorted by the number of the hand."""

    pk: int
    token: str
    match: int
    game: int
    variant: str
    options: dict[str, Any]
    games_to_win: int
    opened_at: dt.datetime
    sides: dict[str, tuple[int | None, str]]
    lines: tuple[dict[str, Any], ...]
    line_times: tuple[dt.datetime, ...]
    closing: dict[str, Any] | None
    signed: dict[str, set[str]]
    posted: dict[str, dt.datetime]
    closing_moments: frozenset[dt.datetime]
    """When the card was closed or reopened."""

    versions: dict[str, tuple[int, bool]]
    digests_of_original: frozenset[str]
    """The digests of the original, if this card is a copy. A proof with such a digest is about the original card."""

    written: dt.datetime
    """When a hand, a deletion, a cut, or a closing was last recorded on the card."""

    begun: dt.datetime | None
    """When the first hand was recorded on the card, even if it was deleted later."""

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(number for number, _name in self.sides.values() if number is not None)

    def number(self, letter: str | None) -> int | None:
        return None if letter is None else self.sides[letter][0]


@dataclass(frozen=True)
class ResultRow:
    pk: int
    match: int
    at: dt.datetime
    winner: int | None
    credits: dict[int, tuple[str, str]]
    score: dict[int, int]
    by_name: str
    reason: str
    undoes: int | None = None

    @property
    def is_void(self) -> bool:
        """Whether the result cancels the previous one."""
        return not self.credits or any(cause == "void" for _result, cause in self.credits.values())

    @property
    def is_for_nobody(self) -> bool:
        """Whether the match ended without a winner and without points."""
        return self.winner is None and not self.is_void and not self.score


@dataclass(frozen=True)
class MatchRow:
    pk: int
    ident: str
    round: int
    position: int
    stage: int
    seating: int | None
    counts: bool
    seats: tuple[int, ...]
    results: tuple[ResultRow, ...]

    @property
    def last(self) -> ResultRow | None:
        """The last result, unless it is void."""
        return self.results[-1] if self.results and not self.results[-1].is_void else None


@dataclass(frozen=True)
class Facts:
    event: Event
    tournament: str
    entrants: dict[int, EntrantRow]
    by_pk: dict[int, EntrantRow]
    entrant_facts: tuple[tuple[int, str, dt.datetime], ...]
    """Each recorded change to an entrant: entry number, kind, and time. They are in the order of recording."""
    draw: Draw | None
    stages: tuple[Stage, ...]
    stage_late: dict[int, list[int]]
    lots: dict[int, list[list[int]]]
    matches: dict[int, MatchRow]
    cards: tuple[CardRow, ...]
    seatings: tuple[Seating, ...]
    late_byes: tuple[tuple[int, int, int, str], ...]
    """The byes that were given to late entries: stage, entry with the bye, late entry, and match."""
    kept: tuple[tuple[int, dt.datetime, tuple[int | None, int | None]], ...]
    low_wins: bool
    ledger: tuple[dict[str, Any], ...]
    finish: tuple[tuple[int, ...], ...] | None
    paid_out: dict[int, int]
    memo: dict[str, Any] = field(default_factory=dict, compare=False)
    """A cache for values that the independent computations need several times."""
    ended_early: bool = False
    penalty_moments: frozenset[dt.datetime] = frozenset()
    """When a penalty cost a game in a longer match, or was lifted."""
    received: int = 0
    """The amount received from sponsors, in cents."""
    withheld: int = 0
    """The taxes withheld from prizes and not remitted yet, in cents."""

    donations: int = 0
    """The donations to the charity that were not passed on yet, in cents."""
    side_pools: tuple[PoolRow, ...] = ()
    spent: dict[str, int] = field(default_factory=dict)
    """The expenses in cents, keyed by category."""
    sittings: dict[int, tuple[Sitting, ...]] = field(default_factory=dict)
    """The members of each entry over time. Entries without substitutes are left out."""

    @property
    def kind(self) -> str:
        """The kind of the first planned stage."""
        return str(self.event.plan["stages"][0]["kind"])

    @property
    def is_knockout(self) -> bool:
        return [stage["kind"] for stage in self.event.plan["stages"]] == ["single-elimination"]

    def name(self, number: int) -> str:
        return self.entrants[number].name

    def name_then(self, number: int, moment: dt.datetime) -> str:
        """Return the entry's name at that time."""
        return name_at(self.sittings.get(number, ()), moment) or self.name(number)

    @property
    def gone(self) -> dict[int, str]:
        """The reasons why entries are out of the event. A reinstatement cancels a removal."""
        found: dict[int, str] = {}
        for number, kind, _at in self.entrant_facts:
            if kind in REMOVALS:
                found[number] = kind
            elif kind == "reinstated":
                found.pop(number, None)
        return found

    @property
    def gone_at(self) -> dict[int, dt.datetime]:
        """When each entry left or was removed from the event. A second reason does not change the time."""
        found: dict[int, dt.datetime] = {}
        for number, kind, at in self.entrant_facts:
            if kind in REMOVALS:
                found.setdefault(number, at)
            elif kind == "reinstated":
                found.pop(number, None)
        return found

    def owner(self, pk: int) -> int:
        """Return the number of the entry with this primary key, or the number of the pair that the entry joined."""
        who = self.by_pk[pk]
        return self.by_pk[who.joined_to].number if who.joined_to else who.number

    def cards_of(self, match: int) -> list[CardRow]:
        return [card for card in self.cards if card.match == match]


REMOVALS = ("withdrawn", "no-show", "eliminated", "disqualified")


def read_facts(event: Event) -> Facts:
    """Read all facts with about twenty queries."""
    event = Event.objects.select_related("tournament").get(pk=event.pk)
    entrants = [
        EntrantRow(*row) for row in event.entrants.values_list("pk", "number", "name", "state", "token", "joined_to_id")
    ]
    by_pk = {one.pk: one for one in entrants}
    numbers = {one.pk: one.number for one in entrants}
    draw = (
        Draw.objects.filter(commitment__event=event, posted__isnull=False, taken_back__isnull=True)
        .select_related("posted", "commitment")
        .order_by("pk")
        .last()
    )
    stages = tuple(draw.stages.filter(taken_back__isnull=True).order_by("number")) if draw else ()
    facts = EntrantFact.objects.filter(entrant__event=event).order_by("pk")
    return Facts(
        event=event,
        tournament=event.tournament.slug,
        entrants={one.number: one for one in entrants},
        by_pk=by_pk,
        entrant_facts=tuple(facts.values_list("entrant__number", "kind", "at")),
        draw=draw,
        stages=stages,
        stage_late=_stage_late(stages),
        lots=_lots(draw),
        matches=_matches(event, draw, numbers),
        cards=_cards(event, numbers),
        seatings=_seatings(draw),
        late_byes=_late_byes(draw),
        kept=_kept(draw),
        low_wins=bool(
            RulesAtTables.objects.filter(event=event).order_by("-pk").values_list("low_wins", flat=True).first()
        ),
        ledger=tuple(LedgerLine.objects.filter(event=event).order_by("pk").values()),
        finish=read_finish(event),
        paid_out=read_paid_out(event),
        ended_early=read_ended_early(event),
        penalty_moments=_penalty_moments(event),
        received=_other_money(event, "added"),
        withheld=read_withheld(event) - _other_money(event, "remittance"),
        donations=read_donations(event) - _other_money(event, "charity"),
        side_pools=read_pools(event),
        spent=read_spent(event),
        sittings=read_sittings(event),
    )


def _other_money(event: Event, kind: str) -> int:
    rows = EventMoney.objects.filter(event=event, kind=kind).values_list("cents", "reverses")
    return sum(cents if reverses is None else -cents for cents, reverses in rows)


def _penalty_moments(event: Event) -> frozenset[dt.datetime]:
    """Return the times at which a penalty took effect on a game, or was lifted.

    Rulings with a match result are left out, because they decide the match themselves.
    """
    rows = ConductPenalty.objects.filter(entrant__event=event).values_list("at", "ruling__effects")
    fell = [at for at, did in rows if not any("result" in one for one in (did or {}).get("penalties", ()))]
    lifted = ConductPenaltyLifted.objects.filter(penalty__entrant__event=event).values_list("at", flat=True)
    return frozenset((*fell, *lifted))


def _stage_late(stages: Iterable[Stage]) -> dict[int, list[int]]:
    return {
        stage.pk: list(stage.late_entries.order_by("pk").values_list("entrant__number", flat=True)) for stage in stages
    }


def _lots(draw: Draw | None) -> dict[int, list[list[int]]]:
    found: dict[int, list[list[int]]] = defaultdict(list)
    if draw:
        for stage, order in StageLots.objects.filter(stage__draw=draw).order_by("pk").values_list("stage_id", "order"):
            found[stage].append(list(order))
    return found


def _seatings(draw: Draw | None) -> tuple[Seating, ...]:
    if draw is None:
        return ()
    rows = Seating.objects.filter(stage__draw=draw, posted__isnull=False, taken_back__isnull=True)
    return tuple(rows.order_by("round"))


def _late_byes(draw: Draw | None) -> tuple[tuple[int, int, int, str], ...]:
    if draw is None:
        return ()
    rows = LateEntry.objects.filter(draw=draw, taken_back__isnull=True).order_by("pk")
    return tuple(rows.values_list("stage_id", "bye__number", "entrant__number", "match__ident"))


def _kept(draw: Draw | None) -> tuple[tuple[int, dt.datetime, tuple[int | None, int | None]], ...]:
    if draw is None:
        return ()
    rows = MatchKept.objects.filter(match__draw=draw).order_by("pk").values_list("match_id", "at", "sides")
    return tuple((match, at, (sides[0], sides[1])) for match, at, sides in rows)


def _matches(event: Event, draw: Draw | None, numbers: dict[int, int]) -> dict[int, MatchRow]:
    seats: dict[int, list[int]] = defaultdict(list)
    for match, entrant in (
        MatchSeat.objects.filter(match__event=event).order_by("position").values_list("match_id", "entrant_id")
    ):
        seats[match].append(numbers[entrant])
    results: dict[int, list[ResultRow]] = defaultdict(list)
    for row in MatchResult.objects.filter(match__event=event).order_by("pk").values():
        results[row["match_id"]].append(
            ResultRow(
                pk=row["id"],
                match=row["match_id"],
                at=row["at"],
                winner=numbers.get(row["winner_id"]),
                credits={int(number): (got[0], got[1]) for number, got in row["credits"].items()},
                score={int(number): points for number, points in row["score"].items()},
                by_name=row["by_name"],
                reason=row["reason"],
                undoes=row.get("undoes_id"),
            )
        )
    found = {}
    back = ("draw__taken_back", "seating__taken_back", "stage__taken_back", "pairing__taken_back")
    counting = set(
        Match.objects.filter(
            event=event, draw=draw, late_entry__taken_back__isnull=True, **{f"{name}__isnull": True for name in back}
        ).values_list("pk", flat=True)
    )
    for pk, ident, round_, position, stage, seating in Match.objects.filter(event=event).values_list(
        "pk", "ident", "round", "position", "stage_id", "seating_id"
    ):
        found[pk] = MatchRow(
            pk, ident, round_, position, stage, seating, pk in counting, tuple(seats[pk]), tuple(results[pk])
        )
    return found


def _cards(event: Event, numbers: dict[int, int]) -> tuple[CardRow, ...]:
    sides: dict[int, dict[str, tuple[int | None, str]]] = defaultdict(dict)
    letters: dict[int, str] = {}
    for pk, card, position, entrant, name in (
        CardSeat.objects.filter(card__match__event=event)
        .order_by("position")
        .values_list("pk", "card_id", "position", "entrant_id", "name")
    ):
        letters[pk] = LETTERS[position]
        sides[card][LETTERS[position]] = (numbers.get(entrant), name)
    for card, order in Cut.objects.filter(card__match__event=event).order_by("pk").values_list("card_id", "order"):
        if sorted(order) == sorted(sides[card]):  # everybody drew for a seat: the last draw has their order
            sides[card] = {letter: sides[card][letter] for letter in order}
    lines = _standing_lines(event)
    closings, moments, written = _closings(event, letters), _closing_moments(event), _written(event)
    begun = dict(SheetLine.objects.filter(card__match__event=event).order_by("-at").values_list("card_id", "at"))
    signed: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for card, seat, digest in Signature.objects.filter(card__match__event=event).values_list(
        "card_id", "seat_id", "digest"
    ):
        signed[card][digest].add(letters[seat] if seat is not None else SCOREKEEPER_SIDE)
    posted: dict[int, dict[str, dt.datetime]] = defaultdict(dict)
    for card, digest, at in CardPosted.objects.filter(card__match__event=event).values_list("card_id", "digest", "at"):
        posted[card][digest] = at
    versions: dict[int, dict[str, tuple[int, bool]]] = defaultdict(dict)
    for card, digest, number, seal in CardVersion.objects.filter(card__match__event=event).values_list(
        "card_id", "digest", "number", "seal"
    ):
        versions[card][digest] = (number, seal is not None)
    of_originals = frozenset(
        CardVersion.objects.filter(card__match__event__tournament__is_copy=False).values_list("digest", flat=True)
        if event.tournament.is_copy
        else ()
    )
    return tuple(
        CardRow(
            pk=card.pk,
            token=card.token,
            match=card.match_id,
            game=card.game,
            variant=card.sheet.variant,
            options={**card.sheet.options, **card.length.get("options", {})},
            games_to_win=card.length.get("games_to_win", card.sheet.games_to_win),
            opened_at=card.opened_at,
            sides=sides[card.pk],
            lines=tuple(line for line, _at in lines[card.pk]),
            line_times=tuple(at for _line, at in lines[card.pk]),
            closing=closings.get(card.pk),
            signed=signed[card.pk],
            posted=posted[card.pk],
            closing_moments=frozenset(moments.get(card.pk, ())),
            versions=versions[card.pk],
            digests_of_original=of_originals,
            written=max([card.opened_at, *written[card.pk], *moments.get(card.pk, ())]),
            begun=begun.get(card.pk),
        )
        for card in Card.objects.filter(match__event=event).select_related("sheet").order_by("pk")
    )


def _standing_lines(event: Event) -> dict[int, list[tuple[dict[str, Any], dt.datetime]]]:
    rows = list(SheetLine.objects.filter(card__match__event=event).values("pk", "card_id", "number", "line", "at"))
    replaced = set(
        SheetLine.objects.filter(card__match__event=event, supersedes__isnull=False).values_list(
            "supersedes_id", flat=True
        )
    )
    found: dict[int, list[tuple[int, dict[str, Any], dt.datetime]]] = defaultdict(list)
    for row in rows:
        if row["pk"] not in replaced and row["line"] is not None:
            found[row["card_id"]].append((row["number"], row["line"], row["at"]))
    return defaultdict(
        list, {card: [(line, at) for _n, line, at in sorted(own, key=lambda r: r[0])] for card, own in found.items()}
    )


def _written(event: Event) -> dict[int, list[dt.datetime]]:
    found: dict[int, list[dt.datetime]] = defaultdict(list)
    for facts in (SheetLine.objects, Cut.objects):
        for card, at in facts.filter(card__match__event=event).values_list("card_id", "at"):
            found[card].append(at)
    return found


def _closing_moments(event: Event) -> dict[int, set[dt.datetime]]:
    found: dict[int, set[dt.datetime]] = defaultdict(set)
    rows = CardClosed.objects.filter(card__match__event=event).values_list("card_id", "at", "taken_back__at")
    for card, *moments in rows:
        found[card] |= {at for at in moments if at is not None}
    return found


def _closings(event: Event, letters: dict[int, str]) -> dict[int, dict[str, Any]]:
    """Return the last record that closed each card, unless the card was reopened."""
    found: dict[int, dict[str, Any]] = {}
    for row in (
        CardClosed.objects.filter(card__match__event=event)
        .order_by("pk")
        .values("card_id", "at", "cause", "rule", "hands", "left_id", "winner_id", "games", "taken_back")
    ):
        found[row["card_id"]] = {**row, "left": letters.get(row["left_id"]), "winner": letters.get(row["winner_id"])}
    return {card: row for card, row in found.items() if row["taken_back"] is None}


def read_paid_out(event: Event) -> dict[int, int]:
    """Return the cents of all payouts that were not undone, keyed by entry number."""
    paid: dict[int, int] = defaultdict(int)
    rows = PaidOut.objects.filter(event=event, reverses__isnull=True, reversed_by__isnull=True, of_pool=None)
    for number, cents in rows.values_list("entrant__number", "cents"):
        paid[number] += cents
    return dict(paid)


def read_withheld(event: Event) -> int:
    """Return the cents withheld from payouts, including those of side pools, without undone payouts."""
    rows = Withholding.objects.filter(paid_out__event=event)
    standing = rows.filter(paid_out__reverses__isnull=True, paid_out__reversed_by__isnull=True)
    return sum(standing.values_list("cents", flat=True))


def read_donations(event: Event) -> int:
    rows = LedgerLine.objects.filter(event=event, kind="donation", corrected_by__isnull=True)
    return sum(rows.values_list("cents", flat=True))


def read_spent(event: Event) -> dict[str, int]:
    """Return the cents spent and not reversed, keyed by category."""
    spent: dict[str, int] = defaultdict(int)
    rows = EventMoney.objects.filter(event=event, kind="expense", reverses__isnull=True, reversed_by__isnull=True)
    for category, cents in rows.values_list("category", "cents"):
        spent[category] += cents
    return dict(spent)


def read_finish(event: Event) -> tuple[tuple[int, ...], ...] | None:
    if event.state != "finished":
        return None
    last = Finish.objects.filter(event=event).order_by("pk").last()
    return tuple(tuple(level) for level in last.places) if last else None


def read_ended_early(event: Event) -> bool:
    """Return whether the final places are the standings of an event that ended early."""
    last = Finish.objects.filter(event=event).order_by("pk").last()
    return event.state == "finished" and EndedEarly.objects.filter(finish=last).exists()


@dataclass(frozen=True)
class PoolRow:
    """A side pool. `entries` contains pairs of a ledger line and the number of the entry that it paid for."""

    name: str
    percent: str
    scale: tuple[str, ...]
    by_desk: bool
    entries: tuple[tuple[int, int], ...]
    recorded: tuple[tuple[int, ...], ...]


def read_pools(event: Event) -> tuple[PoolRow, ...]:
    pools = SidePool.objects.filter(event=event).order_by("pk")
    return tuple(_read_pool(pool) for pool in pools)


def _read_pool(pool: SidePool) -> PoolRow:
    entries = SidePoolEntry.objects.filter(pool=pool).order_by("pk").values_list("line_id", "entrant__number")
    last = SidePoolResult.objects.filter(pool=pool).order_by("pk").last()
    recorded = tuple(tuple(level) for level in last.places) if last else ()
    by_desk = pool.places_by == "desk"
    return PoolRow(pool.name, pool.prize_percent, tuple(pool.prize_scale), by_desk, tuple(entries), recorded)


@dataclass(frozen=True)
class Sitting:
    """The time during which a player is a member of an entry.

    `since` is None if it began with the entry. `until` is None if it lasts to the end.
    """

    name: str
    since: dt.datetime | None
    until: dt.datetime | None

    def covers(self, moment: dt.datetime) -> bool:
        return (self.since is None or self.since <= moment) and (self.until is None or moment < self.until)


def read_sittings(event: Event) -> dict[int, tuple[Sitting, ...]]:
    """Return the members of entries with a substitute, ordered by seat and keyed by entry number."""
    rows = list(
        Member.objects.filter(entrant__event=event)
        .order_by("seat", "pk")
        .values_list("pk", "entrant__number", "player__public_name", "player__name", "at", "replaces_id")
    )
    ended = {replaces: at for _pk, _number, _public, _name, at, replaces in rows if replaces is not None}
    changed = {number for _pk, number, _public, _name, _at, replaces in rows if replaces is not None}
    found: dict[int, list[Sitting]] = defaultdict(list)
    for pk, number, public, name, at, replaces in rows:
        if number in changed:
            found[number].append(Sitting(public or name, at if replaces is not None else None, ended.get(pk)))
    return {number: tuple(sittings) for number, sittings in found.items()}


def name_at(sittings: Sequence[Sitting], moment: dt.datetime) -> str | None:
    """Return the entry's name at that time, or None if it has not changed since."""
    if not any(one.until is not None and moment < one.until for one in sittings):
        return None
    return " / ".join(one.name for one in sittings if one.covers(moment))
