"""Load what a director needs to make a ruling: recorded facts, penalties, precedents, the committee, and deadlines."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import describe_decision
from scoring.cards.selectors.checks import has_up_card_field, load_game_standing, load_totals_announcement
from scoring.disputes.selectors.disputes import DisputeState
from scoring.models import Committee, ConductPenalty, HandCheck, Ruling, SheetLine, Signature, UpCard
from scoring.posting.selectors.card_status import load_correction_period
from scoring.rules.irregularities import IRREGULARITIES, Irregularity
from scoring.rules.irregularities.case import FactKind
from scoring.rules.rulings.policies import find_dispute_policy
from scoring.rules.rulings.recommend import RulingAdvice, select_relevant_facts
from scoring.rules.sheet.card_status import CorrectionPeriod
from tournament.models import Entrant, Event, Member

_KINDS_LEFT_TO_DIRECTOR = ("conduct", "unmatched-play", "gave-game-away")
"""Kinds of disputes that the rules leave to the director. Each ruling on them is a precedent."""
_RECORDED_ENDINGS = ("gin", "knock")
"""The outcomes of a recorded hand that can answer the question of how a disputed hand ended."""

# --- Penalties from this event and earlier ones ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PenaltyOnRecord:
    """A penalty that still counts against an entry's players. It was given in this event or an earlier one.

    `ruling` is the ruling's number in the tournament where the penalty was given.
    """

    effect: str
    description: str
    offence: str
    at: datetime
    event: str
    tournament: str
    people: tuple[str, ...]
    ruling: int | None
    dispute: int | None


def load_penalties(entrants: Iterable[Entrant | int]) -> dict[int, tuple[PenaltyOnRecord, ...]]:
    """Return the penalties against each entry's players, oldest first, keyed by the entry's primary key.

    Lifted penalties are left out.
    """
    entries = [entrant if isinstance(entrant, int) else entrant.pk for entrant in entrants]
    people: dict[int, set[int]] = defaultdict(set)
    members = Member.objects.filter(entrant__in=entries, replaced_by__isnull=True)
    for entry, person in members.values_list("entrant", "player"):
        people[person].add(entry)
    carried: dict[int, dict[int, PenaltyOnRecord]] = defaultdict(dict)
    rows = (
        ConductPenalty.objects.filter(players__in=people, lifted__isnull=True)
        .select_related("entrant__event__tournament", "ruling")
        .prefetch_related("players")
        .distinct()
        .order_by("pk")
    )
    for row in rows:
        for player in row.players.all():
            for carrier in people.get(player.pk, ()):
                carried[carrier][row.pk] = _make_penalty_on_record(row)
    return {entrant: tuple(each.values()) for entrant, each in carried.items()}


def load_entrants_with_penalties(event: Event) -> list[tuple[Entrant, tuple[PenaltyOnRecord, ...]]]:
    """Return the event's entries whose players have penalties, each with its penalties."""
    carriers = ConductPenalty.players.through.objects.filter(conductpenalty__lifted__isnull=True).values("player")
    entrants = event.entrants.filter(members__replaced_by__isnull=True, members__player__in=carriers)
    carrying = list(entrants.distinct().order_by("number"))
    carried = load_penalties(carrying) if carrying else {}
    return [(entrant, carried[entrant.pk]) for entrant in carrying if entrant.pk in carried]


def _make_penalty_on_record(row: ConductPenalty) -> PenaltyOnRecord:
    kind = IRREGULARITIES.get(row.offence)
    event: Any = row.entrant.event
    return PenaltyOnRecord(
        effect=row.effect,
        description=row.get_effect_display(),
        offence=kind.title if kind else row.offence,
        at=row.at,
        event=event.name,
        tournament=event.tournament.name,
        people=tuple(str(player) for player in row.players.all()),
        ruling=row.ruling.number if row.ruling else None,
        dispute=row.ruling.dispute_id if row.ruling else None,
    )


# --- The record of a dispute -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DisputeRecord:
    """The recorded facts about a dispute: the score card's lines and earlier penalties."""

    card: CardState | None
    line: SheetLine | None
    """The disputed hand, if it is on the card."""
    earlier: tuple[SheetLine, ...]
    """Earlier versions of the disputed hand, before it was corrected."""
    up_cards: tuple[UpCard, ...]
    checks: tuple[HandCheck, ...]
    signatures: tuple[Signature, ...]
    penalties: dict[int, tuple[PenaltyOnRecord, ...]]
    """Penalties against the players, keyed by the entry's primary key."""
    ruled_change: dict[str, Any] = field(default_factory=dict)
    """The card change made by the ruling. It is empty if somebody has changed the hand since."""

    def find_line(self, hand: int | None) -> dict[str, Any] | None:
        """Return a hand's line, without the change that the dispute's ruling made to it. Hands are numbered from 1.

        Return None if the card does not have this hand.
        """
        if self.ruled_change.get("hand") == hand and hand is not None:
            return self.ruled_change["was"]  # type: ignore[no-any-return]
        if self.card is None or hand not in self.card.hand_numbers:
            return None
        return dict(self.card.lines[hand - 1].line or {})

    @property
    def up_card(self) -> str:
        """The up card of the disputed hand, or "" if it is unknown.

        If the dispute names no hand, this is the up card of the hand being played. The record made when the card was
        turned up takes precedence over the up card entered with the hand.
        """
        if self.up_cards:
            return self.up_cards[-1].up
        return str((self.line.line or {}).get("up") or "") if self.line else ""

    @property
    def has_only_totals(self) -> bool:
        """Whether staff entered only the card's totals, so that there are no hands to change."""
        return self.card is not None and bool(self.card.lines) and not self.card.hands

    @property
    def has_up_card(self) -> bool:
        return self.card is not None and has_up_card_field(self.card.sheet)


def load_dispute_record(state: DisputeState) -> DisputeRecord:
    entrants = [side.entrant for side in state.sides if side.entrant is not None]
    penalties = load_penalties(entrants)
    if state.dispute.card_id is None:
        return DisputeRecord(None, None, (), (), (), (), penalties)
    card = load_card_state_by_pk(state.dispute.card_id)
    entered = [each for each in card.entered if not each.is_struck]
    line = entered[state.hand - 1] if state.hand is not None and state.hand in card.hand_numbers else None
    hand = state.hand or len(entered) + 1
    change = dict(state.ruling.effects.get("sheet") or {}) if state.ruling is not None else {}
    is_changed_since = SheetLine.objects.filter(supersedes=change.get("fact", 0)).exists()
    return DisputeRecord(
        card=card,
        line=line.fact if line else None,
        earlier=line.earlier if line else (),
        up_cards=tuple(UpCard.objects.filter(card=card.card, hand=hand).select_related("entrant")),
        checks=tuple(HandCheck.objects.filter(line=line.fact).select_related("entrant")) if line else (),
        signatures=card.signatures.all_signatures,
        penalties=penalties,
        ruled_change={} if is_changed_since else change,
    )


def find_recorded_facts(state: DisputeState, record: DisputeRecord, kind: Irregularity | None) -> dict[str, Any]:
    """Return the known answers to the questions of this kind of irregularity.

    Facts recorded for the dispute take precedence over facts derived from the score card.
    """
    if kind is None:
        return {}
    asked = state.irregularity.facts if state.irregularity is not None else ()
    recorded = {fact.name: state.facts[fact.name] for fact in kind.facts if fact in asked and fact.name in state.facts}
    known: dict[str, Any] = {fact.name: record.up_card for fact in kind.facts if fact.kind is FactKind.CARD}
    known |= {fact.name: record.find_line(state.hand) for fact in kind.facts if fact.kind is FactKind.LINE}
    known |= _read_facts_from_line(kind, state, record)
    if kind.name == "conduct" and recorded.get("by"):
        side = state.find_side(recorded["by"])
        if side is not None and side.entrant is not None:
            carried = load_penalties([side.entrant]).get(side.entrant.pk, ())
            warnings = [each for each in carried if each.effect == ConductPenalty.Effect.WARNING]
            known["warnings"] = sum(each.dispute != state.dispute.pk for each in warnings)
    return select_relevant_facts(kind, known | recorded)


def _read_facts_from_line(kind: Irregularity, state: DisputeState, record: DisputeRecord) -> dict[str, Any]:
    line = record.find_line(state.hand)
    if kind.name == "arithmetic":
        return {"in_time": _was_called_in_time(state, record)}
    if kind.name == "count-after-agreement":
        confirmed = all(check.own is None for check in record.checks)  # the other scorekeeper entered nothing else
        recorded = None if record.has_only_totals else line is not None
        return {"recorded": recorded, "agreed": confirmed if record.checks else None}
    if line is None:
        return {}
    boards = line.get("boards")
    if boards:
        line = boards[(state.board_number or 1) - 1] if (state.board_number or 1) <= len(boards) else {}
    by, counts = line.get("by"), line.get("counts") or {}
    if kind.name == "improper-knock":
        other = next((count for side, count in counts.items() if side != by), None)
        return {"by": by, "count": counts.get(by), "opponent_count": other}
    if kind.name == "false-gin":
        return {"by": by, "count": counts.get(by)} if line.get("outcome") == "knock" else {"by": by}
    if kind.name == "wrong-count":
        outcome = line.get("outcome")
        return {"by": by, "counts": counts, "ended": outcome if outcome in _RECORDED_ENDINGS else None}
    return {}


def _was_called_in_time(state: DisputeState, record: DisputeRecord) -> bool | None:
    """Return whether the director was called while the hand could still be corrected, or None if that is unclear."""
    if record.card is None or state.hand is None:
        return None
    if not find_dispute_policy(state.rule_sheet.rules).late(load_game_standing(record.card), state.hand):
        return True
    announced = load_totals_announcement(record.card)
    return False if announced is not None and announced.at < state.dispute.at else None


# --- Precedents, committee and deadlines -----------------------------------------------------------------------------


def load_precedents(state: DisputeState, advice: RulingAdvice | None, most: int = 5) -> list[dict[str, Any]]:
    """Return the tournament's newest rulings of the same kind, as template context.

    The key `differs` is `overruled` if the director overruled the rules. It is `chosen` if the director had a choice
    and chose differently from the current advice. Otherwise the value is empty.
    """
    rulings = (
        Ruling.objects.filter(
            dispute__event__tournament=state.dispute.event.tournament_id,
            kind=state.kind,
            superseded_by__isnull=True,
            refused__isnull=True,
        )
        .exclude(dispute=state.dispute)
        .select_related("dispute__event", "dispute__match")
        .order_by("-number")[:most]
    )
    return [
        {"ruling": ruling, "words": describe_decision(ruling.ruling), "differs": _find_difference_code(ruling, advice)}
        for ruling in rulings
    ]


def _find_difference_code(ruling: Ruling, advice: RulingAdvice | None) -> str:
    if ruling.overrules:
        return "overruled"
    if advice is None or advice.ruling is None or ruling.kind not in _KINDS_LEFT_TO_DIRECTOR:
        return ""
    return "chosen" if str(advice.ruling) != ruling.ruling else ""


def load_committee(event: Event) -> Committee | None:
    return Committee.objects.filter(event=event).last()


def load_appeal_deadline(state: DisputeState) -> datetime | None:
    """Return the deadline to appeal the dispute's current ruling.

    Return None if there is no ruling or no card, or if the card is not posted.
    """
    if state.dispute.card_id is None or state.ruling is None:
        return None
    clock = load_correction_period(load_card_state_by_pk(state.dispute.card_id))
    return compute_appeal_deadline(clock, state.ruling) if clock is not None else None


def compute_appeal_deadline(clock: CorrectionPeriod, ruling: Ruling) -> datetime:
    """Return the deadline to appeal a ruling about a card.

    If the ruling is made after the card was posted, the appeal period starts with the ruling.
    """
    return max(clock.appeals_until, ruling.at + timedelta(minutes=clock.terms.appeals))
