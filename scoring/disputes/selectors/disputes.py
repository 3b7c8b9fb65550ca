"""Load disputes with their sides, facts, and rulings, and find out who decides them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import make_card_rules
from scoring.cards.selectors.checks import load_game_standing
from scoring.models import (
    Appeal,
    Card,
    CardClosed,
    CardSeat,
    Dispute,
    DisputeDropped,
    DisputeFacts,
    Evidence,
    Ruling,
    SheetLine,
)
from scoring.rules.irregularities import Irregularity
from scoring.rules.rulings.policies import GameStanding, find_dispute_policy
from scoring.rules.rulings.recommend import (
    DisputeCase,
    find_irregularity,
    find_reportable_irregularities,
    select_relevant_facts,
)
from scoring.rules.sheet.sheets import VariantRules
from scoring.rulesheets.selectors import load_current_rule_sheet, make_default_rule_sheet
from tournament.core.cached import cached
from tournament.errors import NotFound
from tournament.models import Entrant, Event
from tournament.models.topic import DESK_TOPIC


@dataclass(frozen=True, slots=True)
class DisputeSide:
    """One side of a dispute, identified by a letter. `entrant` is None if the side is a team."""

    letter: str
    name: str
    entrant: Entrant | None


@dataclass(frozen=True)
class DisputeState:
    """A dispute with its sides, facts, and rulings."""

    dispute: Dispute
    sides: tuple[DisputeSide, ...]
    findings: tuple[DisputeFacts, ...]
    rulings: tuple[Ruling, ...]
    rule_sheet: VariantRules

    @property
    def latest(self) -> Dispute | DisputeFacts:
        return self.findings[-1] if self.findings else self.dispute

    @property
    def kind(self) -> str:
        return self.latest.kind

    @property
    def irregularity(self) -> Irregularity | None:
        """The kind of irregularity, or None if no kind is chosen or the chosen kind is unknown."""
        return find_irregularity(self.rule_sheet.rules, self.kind)

    @property
    def title(self) -> str:
        return self.irregularity.title if self.irregularity else self.kind

    def name_line(self, number: int) -> str:
        """Return the name of a line on the card (numbered from 1), worded for use within a sentence."""
        return self.rule_sheet.name_line(number)

    @property
    def hand(self) -> int | None:
        return self.latest.hand

    @property
    def board_number(self) -> int | None:
        return self.latest.board

    @property
    def facts(self) -> dict[str, Any]:
        return dict(self.latest.facts)

    @property
    def claims(self) -> dict[str, Any]:
        return dict(self.latest.claims)

    @property
    def names(self) -> dict[str, str]:
        return {side.letter: side.name for side in self.sides}

    @property
    def between(self) -> str:
        return " – ".join(side.name for side in self.sides)

    @property
    def caller(self) -> str:
        return self.dispute.entrant.name if self.dispute.entrant else self.dispute.by_name

    @cached_property
    def table(self) -> int | None:
        calls = list(self.dispute.match.calls.all()) if self.dispute.match else []
        return calls[-1].table if calls else None

    @property
    def dropped(self) -> DisputeDropped | None:
        return getattr(self.dispute, "dropped", None)

    @property
    def ruling(self) -> Ruling | None:
        """The dispute's current ruling, or None if there is none."""
        return self.rulings[-1] if self.rulings else None

    @property
    def appeal(self) -> Appeal | None:
        """The appeal against one of the dispute's rulings, or None. A dispute can be appealed only once."""
        appeals = (getattr(ruling, "appeal", None) for ruling in self.rulings)
        return next((appeal for appeal in appeals if appeal is not None), None)

    @property
    def waits_for_committee(self) -> bool:
        return self.appeal is not None and getattr(self.appeal, "decided", None) is None

    @property
    def is_waiting(self) -> bool:
        return not self.rulings and self.dropped is None

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return tuple(self.dispute.evidence.all())

    def find_side(self, letter: str) -> DisputeSide | None:
        return next((side for side in self.sides if side.letter == letter), None)

    def find_side_letter(self, entrant: Entrant) -> str:
        """Return the letter of the entrant's side, or an empty string if the entrant is not involved."""
        return next((side.letter for side in self.sides if side.entrant and side.entrant.pk == entrant.pk), "")

    def make_case(self, facts: dict[str, Any] | None = None, kind: str = "") -> DisputeCase | None:
        """Return a `DisputeCase`, from which the rules recommend a ruling, or None if the dispute's kind is unknown.

        If `facts` or `kind` is given, it is used instead of what is recorded for the dispute.
        """
        irregularity = find_reportable_irregularities(self.rule_sheet.rules).get(kind or self.kind)
        if irregularity is None:
            return None
        known = select_relevant_facts(irregularity, self.facts if facts is None else facts)
        return DisputeCase(kind=irregularity.name, rule_sheet=self.rule_sheet, names=self.names, facts=known)


def load_dispute(event: Event, pk: int) -> DisputeState:
    """Return one of the event's disputes.

    Raises:
        NotFound: `no-dispute`.
    """
    states = _load_dispute_states(event, Q(pk=pk))
    if not states:
        raise NotFound("no-dispute", _("There is no such dispute in this event. Look at the list of rulings."))
    return states[0]


def load_disputes(event: Event, pks: Iterable[int] | None = None) -> list[DisputeState]:
    """Return an event's disputes, oldest first. If `pks` is given, return only the disputes with these primary keys."""
    return _load_dispute_states(event, Q() if pks is None else Q(pk__in=pks))


def load_card_disputes(card: Card) -> list[DisputeState]:
    """Return the disputes about a card, newest first."""
    return _load_dispute_states(card.match.event, Q(card=card))[::-1]


def load_card_dispute(card: Card, pk: int) -> DisputeState:
    """Return one of the disputes about a card.

    Raises:
        NotFound: `no-dispute`.
    """
    states = _load_dispute_states(card.match.event, Q(card=card, pk=pk))
    if not states:
        raise NotFound("no-dispute", _("There is no such call about this score card. Look at the score card again."))
    return states[0]


def load_disputes_without_ruling(event: Event) -> list[DisputeState]:
    """Return the disputes that have no ruling yet, oldest first."""
    return _load_dispute_states(event, Q(rulings__isnull=True, dropped__isnull=True))


def load_open_dispute_start_times(event: Event) -> list[datetime]:
    """Return the opening times of all open disputes, including disputes with an undecided appeal."""
    unruled = Q(rulings__isnull=True, dropped__isnull=True)
    appealed = Q(rulings__appeal__isnull=False, rulings__appeal__decided__isnull=True)
    waiting = Dispute.objects.filter(unruled | appealed, event=event).distinct().order_by("pk")
    return cached(event.pk, (DESK_TOPIC,), "waiting disputes", lambda: list(waiting.values_list("at", flat=True)))


def count_open_disputes(event: Event) -> int:
    return len(load_open_dispute_start_times(event))


def _load_dispute_states(event: Event, condition: Q) -> list[DisputeState]:
    rows = list(_query_disputes().filter(condition, event=event).order_by("pk"))
    if not rows:
        return []
    sheet = load_current_rule_sheet(event) or make_default_rule_sheet(event)
    event_rules = VariantRules(sheet.variant, sheet.options)
    numbers = {number for row in rows for number in row.entries}
    entrants = {entrant.number: entrant for entrant in event.entrants.filter(number__in=numbers)} if numbers else {}
    return [
        DisputeState(
            dispute=row,
            sides=_make_sides(row, entrants),
            findings=tuple(row.findings.all()),
            rulings=tuple(row.rulings.all()),
            rule_sheet=make_card_rules(row.card) if row.card else event_rules,
        )
        for row in rows
    ]


def _query_disputes() -> QuerySet[Dispute]:
    rulings = Ruling.objects.select_related("appeal__decided", "supersedes").prefetch_related(
        "penalties__entrant", "penalties__lifted"
    )
    lines, closings = SheetLine.objects, CardClosed.objects
    is_begun = Exists(lines.filter(card=OuterRef("card"))) | Exists(closings.filter(card=OuterRef("card")))
    return (
        Dispute.objects.annotate(is_card_begun=is_begun)
        .select_related("event__tournament", "entrant", "card__sheet", "match", "dropped")
        .prefetch_related(
            Prefetch("card__seats", CardSeat.objects.select_related("entrant")),
            Prefetch("rulings", rulings),
            "findings",
            "evidence",
            "match__calls",
            "match__seats__entrant",
        )
    )


def _make_sides(dispute: Dispute, entrants: dict[int, Entrant]) -> tuple[DisputeSide, ...]:
    """Return the sides of the dispute's card. If the dispute has no card, return the entrants that it names."""
    if dispute.card is not None:
        seats = list(dispute.card.seats.all())
        is_begun = bool(getattr(dispute, "is_card_begun", True))
        # Until something is written on the card, it shows the current names of the entries.
        written = [seat.name if is_begun or seat.entrant is None else "" for seat in seats]
        current = [seat.entrant.name if seat.entrant else seat.side for seat in seats]
        names = _add_letters_to_equal_names([name or other for name, other in zip(written, current, strict=True)])
        return tuple(DisputeSide(seat.side, name, seat.entrant) for seat, name in zip(seats, names, strict=True))
    known = [entrants[number] for number in dispute.entries if number in entrants]
    names = _add_letters_to_equal_names([entrant.name for entrant in known])
    return tuple(DisputeSide("AB"[at], names[at], entrant) for at, entrant in enumerate(known[:2]))


def _add_letters_to_equal_names(names: list[str]) -> list[str]:
    """Add letters to all names if two of them are the same.

    >>> _add_letters_to_equal_names(["Ann", "Ann"]), _add_letters_to_equal_names(["Ann", "Bob"])
    (['Ann (A)', 'Ann (B)'], ['Ann', 'Bob'])
    """
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({'ABCDE'[at]})" for at, name in enumerate(names)]


def find_dispute_decider(state: DisputeState, kind: str = "") -> str:
    """Return who decides the dispute, as a `Ruling.Decider` value."""
    policy = find_dispute_policy(state.rule_sheet.rules)
    if (kind or state.kind) not in policy.own:
        return str(Ruling.Decider.DIRECTOR)
    card = load_card_state_by_pk(state.dispute.card_id) if state.dispute.card_id else None
    standing = load_game_standing(card) if card is not None else GameStanding(totals={})
    return str(Ruling.Decider(policy.decider(standing, kind or state.kind)))
