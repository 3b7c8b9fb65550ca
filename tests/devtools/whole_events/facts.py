"""The recorded rows of one event as plain values: nothing here is worked out, and nothing of the program is asked."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
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
from scoring.card_state.selectors.state import SCOREKEEPER
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
from tests.devtools.whole_events.finish_rows import (
    read_donations,
    read_ended_early,
    read_finish,
    read_paid_out,
    read_spent,
    read_withheld,
)
from tests.devtools.whole_events.member_rows import Sitting, name_at, read_sittings
from tests.devtools.whole_events.pool_rows import PoolRow, read_pools
from tournament.models import EntrantFact, Event, EventMoney, LedgerLine

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
    """A card with its facts: `lines` are those that stand, in the order of the hands."""

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
    """When it was closed, and opened again."""

    versions: dict[str, tuple[int, bool]]
    written: dt.datetime
    """When something was last written on it: a hand, one struck, a cut, a closing."""

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(number for number, _name in self.sides.values() if number is not None)

    def number(self, letter: str | None) -> int | None:
        return None if letter is None else self.sides[letter][0]


@dataclass(frozen=True)
class ResultRow:
    """A recorded result, by entry numbers."""

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
        """It takes back the one before: a void match, or no credit at all."""
        return not self.credits or any(cause == "void" for _result, cause in self.credits.values())

    @property
    def is_for_nobody(self) -> bool:
        """Nobody wins by it, and it has no points: the match is over, and what was played counts for nothing."""
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
        """The last result, if it is one."""
        return self.results[-1] if self.results and not self.results[-1].is_void else None


@dataclass(frozen=True)
class Facts:
    event: Event
    tournament: str
    entrants: dict[int, EntrantRow]
    by_pk: dict[int, EntrantRow]
    entrant_facts: tuple[tuple[int, str, dt.datetime], ...]
    """Number, kind, moment; in the order of recording."""
    draw: Draw | None
    stages: tuple[Stage, ...]
    stage_late: dict[int, list[int]]
    lots: dict[int, list[list[int]]]
    matches: dict[int, MatchRow]
    cards: tuple[CardRow, ...]
    seatings: tuple[Seating, ...]
    late_byes: tuple[tuple[int, int, int, str], ...]
    """Stage, who had the bye, who came late, the match."""
    kept: tuple[tuple[int, dt.datetime, tuple[int | None, int | None]], ...]
    low_wins: bool
    ledger: tuple[dict[str, Any], ...]
    finish: tuple[tuple[int, ...], ...] | None
    paid_out: dict[int, int]
    memo: dict[str, Any] = field(default_factory=dict, compare=False)
    """What was worked out from all this once."""
    ended_early: bool = False
    penalty_moments: frozenset[dt.datetime] = frozenset()
    """When a game of a match of several was lost by a penalty, or a penalty was lifted."""
    received: int = 0
    """What sponsors gave, in cents."""
    withheld: int = 0
    """What of prizes was withheld for taxes and not sent on, in cents."""

    donations: int = 0
    """Return the cents that were given for the charity and not passed on."""
    side_pools: tuple[PoolRow, ...] = ()
    spent: dict[str, int] = field(default_factory=dict)
    """By category, in cents."""
    sittings: dict[int, tuple[Sitting, ...]] = field(default_factory=dict)
    """Of the entries that a substitute came to."""

    @property
    def kind(self) -> str:
        """Of the first stage of the plan."""
        return str(self.event.plan["stages"][0]["kind"])

    @property
    def is_knockout(self) -> bool:
        return [stage["kind"] for stage in self.event.plan["stages"]] == ["single-elimination"]

    def name(self, number: int) -> str:
        return self.entrants[number].name

    def name_then(self, number: int, moment: dt.datetime) -> str:
        """Of who played for the entry at that moment."""
        return name_at(self.sittings.get(number, ()), moment) or self.name(number)

    @property
    def gone(self) -> dict[int, str]:
        """Who is out now, and why; a removal that was taken back is as if it had never been."""
        found: dict[int, str] = {}
        for number, kind, _at in self.entrant_facts:
            if kind in REMOVALS:
                found[number] = kind
            elif kind == "reinstated":
                found.pop(number, None)
        return found

    @property
    def gone_at(self) -> dict[int, dt.datetime]:
        """Since when they are out: another reason later changes nothing."""
        found: dict[int, dt.datetime] = {}
        for number, kind, at in self.entrant_facts:
            if kind in REMOVALS:
                found.setdefault(number, at)
            elif kind == "reinstated":
                found.pop(number, None)
        return found

    def owner(self, pk: int) -> int:
        """The number of an entry; of one that was put together, that of its pair."""
        who = self.by_pk[pk]
        return self.by_pk[who.joined_to].number if who.joined_to else who.number

    def cards_of(self, match: int) -> list[CardRow]:
        return [card for card in self.cards if card.match == match]


REMOVALS = ("withdrawn", "no-show", "eliminated", "disqualified")


def read_facts(event: Event) -> Facts:
    """About twenty queries, no matter what was played."""
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
    """A ruling that names a result of its own decides the match: that is no game that counts with the cards."""
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
            event=event,
            draw=draw,
            late_entry__taken_back__isnull=True,
            **{f"{name}__isnull": True for name in back},
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
    signed: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for card, seat, digest in Signature.objects.filter(card__match__event=event).values_list(
        "card_id", "seat_id", "digest"
    ):
        signed[card][digest].add(letters[seat] if seat is not None else SCOREKEEPER)
    posted: dict[int, dict[str, dt.datetime]] = defaultdict(dict)
    for card, digest, at in CardPosted.objects.filter(card__match__event=event).values_list("card_id", "digest", "at"):
        posted[card][digest] = at
    versions: dict[int, dict[str, tuple[int, bool]]] = defaultdict(dict)
    for card, digest, number, seal in CardVersion.objects.filter(card__match__event=event).values_list(
        "card_id", "digest", "number", "seal"
    ):
        versions[card][digest] = (number, seal is not None)
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
            written=max([card.opened_at, *written[card.pk], *moments.get(card.pk, ())]),
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
    """The last closing of a card, unless it was taken back."""
    found: dict[int, dict[str, Any]] = {}
    for row in (
        CardClosed.objects.filter(card__match__event=event)
        .order_by("pk")
        .values("card_id", "at", "cause", "rule", "hands", "left_id", "winner_id", "games", "taken_back")
    ):
        found[row["card_id"]] = {
            **row,
            "left": letters.get(row["left_id"]),
            "winner": letters.get(row["winner_id"]),
        }
    return {card: row for card, row in found.items() if row["taken_back"] is None}
