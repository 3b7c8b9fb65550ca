"""The material for a ruling: the record of the dispute, earlier penalties, precedents, the committee, and deadlines."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pairing.models import Match
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.records import COUNTING
from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import describe_decision
from scoring.cards.selectors.checks import has_up_cards, load_announcement, load_card_standing
from scoring.disputes.selectors.disputes import DisputeState
from scoring.models import Committee, ConductPenalty, HandCheck, Ruling, SheetLine, Signature, UpCard
from scoring.posting.selectors.card_status import load_clock
from scoring.rules.irregularities import IRREGULARITIES, Irregularity
from scoring.rules.irregularities.case import FactKind
from scoring.rules.rulings.policies import policy_for
from scoring.rules.rulings.recommend import Advice, select_facts
from scoring.rules.sheet.card_status import CorrectionPeriod
from tournament.models import Entrant, Event, Member, Tournament

_ALWAYS_CHOSEN = ("conduct", "unmatched-play", "gave-game-away")
"""Kinds in which the director chooses the measure. A different choice is a different application of the rule."""

ENDED = ("gin", "knock")
"""The ways in which a hand can end. Most paper cards record only the points."""

# --- Penalties from this event and earlier ones ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PenaltyOnRecord:
    """A penalty that somebody carries, from this event or an earlier one.

    `event` and `tournament` are names. `ruling` is the number in that tournament's register.
    """

    effect: str
    words: str
    offence: str
    at: datetime
    event: str
    tournament: str
    people: tuple[str, ...]
    ruling: int | None
    dispute: int | None


def load_penalties(entrants: Iterable[Entrant | int]) -> dict[int, tuple[PenaltyOnRecord, ...]]:
    """Return the penalties of the players of these entries, the oldest first, by the entry's primary key.

    Lifted penalties are left out. Penalties move with a player who is merged into another record. It takes two queries.
    """
    wanted = [entrant if isinstance(entrant, int) else entrant.pk for entrant in entrants]
    people: dict[int, set[int]] = defaultdict(set)
    members = Member.objects.filter(entrant__in=wanted, replaced_by__isnull=True)
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
                carried[carrier][row.pk] = _penalty_on_record(row)
    return {entrant: tuple(each.values()) for entrant, each in carried.items()}


def load_entrants_with_penalties(event: Event) -> list[tuple[Entrant, tuple[PenaltyOnRecord, ...]]]:
    """Return the entries of an event whose players carry penalties, by number. It takes one query if there are none."""
    carriers = ConductPenalty.players.through.objects.filter(conductpenalty__lifted__isnull=True).values("player")
    entrants = event.entrants.filter(members__replaced_by__isnull=True, members__player__in=carriers)
    carrying = list(entrants.distinct().order_by("number"))
    carried = load_penalties(carrying) if carrying else {}
    return [(entrant, carried[entrant.pk]) for entrant in carrying if entrant.pk in carried]


def count_warnings(entrant: Entrant, *, without: int | None = None) -> int:
    """Return how often the players of an entry were warned. `without` leaves out the dispute that is decided again."""
    carried = load_penalties([entrant]).get(entrant.pk, ())
    warnings = [each for each in carried if each.effect == ConductPenalty.Effect.WARNING]
    return sum(without is None or each.dispute != without for each in warnings)


def _penalty_on_record(row: ConductPenalty) -> PenaltyOnRecord:
    kind = IRREGULARITIES.get(row.offence)
    event: Any = row.entrant.event
    return PenaltyOnRecord(
        effect=row.effect,
        words=row.get_effect_display(),
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
    """The record behind a dispute: the hand on the card, up cards, checks, signatures, and earlier penalties."""

    card: CardState | None
    line: SheetLine | None
    earlier: tuple[SheetLine, ...]
    up_cards: tuple[UpCard, ...]
    checks: tuple[HandCheck, ...]
    signatures: tuple[Signature, ...]
    before: dict[int, tuple[PenaltyOnRecord, ...]]
    ruled: dict[str, Any] = field(default_factory=dict)
    """The change that the ruling in force made to the sheet, unless somebody has changed it since."""

    def line_at(self, hand: int | None) -> dict[str, Any] | None:
        """Return a hand (from 1) as it was played, before any ruling that is being appealed.

        The totals of a paper card are no hand.
        """
        if self.ruled.get("hand") == hand and hand is not None:
            return self.ruled["was"]  # type: ignore[no-any-return]
        if self.card is None or hand not in self.card.hand_numbers:
            return None
        return dict(self.card.lines[hand - 1].line or {})

    @property
    def up(self) -> str:
        """The up card. The one recorded when it was turned counts before the one in the recorded hand."""
        if self.up_cards:
            return self.up_cards[-1].up
        return str((self.line.line or {}).get("up") or "") if self.line else ""

    @property
    def has_only_totals(self) -> bool:
        """Whether the desk entered the card by its totals, so that a ruling can change no hand."""
        return self.card is not None and bool(self.card.lines) and not self.card.hands

    @property
    def has_up(self) -> bool:
        """Whether the game has an up card. Hearts and whist do not."""
        return self.card is not None and has_up_cards(self.card.sheet)


def load_dispute_record(state: DisputeState) -> DisputeRecord:
    entrants = [side.entrant for side in state.sides if side.entrant is not None]
    before = load_penalties(entrants)
    if state.dispute.card_id is None:
        return DisputeRecord(None, None, (), (), (), (), before)
    card = load_card_by_pk(state.dispute.card_id)
    entered = [each for each in card.entered if not each.is_struck]
    line = entered[state.hand - 1] if state.hand is not None and state.hand in card.hand_numbers else None
    hand = state.hand or len(entered) + 1
    return DisputeRecord(
        card=card,
        line=line.fact if line else None,
        earlier=line.earlier if line else (),
        up_cards=tuple(UpCard.objects.filter(card=card.card, hand=hand).select_related("entrant")),
        checks=tuple(HandCheck.objects.filter(line=line.fact).select_related("entrant")) if line else (),
        signatures=card.signatures.made,
        before=before,
        ruled=_change_in_force(state),
    )


def _change_in_force(state: DisputeState) -> dict[str, Any]:
    """Return the change that the ruling made to the sheet, or nothing if somebody has changed the hand since."""
    did = dict(state.ruling.effects.get("sheet") or {}) if state.ruling is not None else {}
    return {} if SheetLine.objects.filter(supersedes=did.get("fact", 0)).exists() else did


def facts_on_record(state: DisputeState, record: DisputeRecord, kind: Irregularity | None) -> dict[str, Any]:
    """Return the facts that a kind of irregularity asks for, as far as they are on record.

    Facts that were recorded with the dispute take precedence. Facts of another kind count only if both kinds ask the
    same question. For example, “recorded” is a card in one kind and a yes or no in another.
    """
    if kind is None:
        return {}
    asked = state.irregularity.facts if state.irregularity is not None else ()
    recorded = {fact.name: state.facts[fact.name] for fact in kind.facts if fact in asked and fact.name in state.facts}
    known: dict[str, Any] = {fact.name: record.up for fact in kind.facts if fact.kind is FactKind.CARD}
    known |= {fact.name: record.line_at(state.hand) for fact in kind.facts if fact.kind is FactKind.LINE}
    known |= _facts_from_line(kind, state, record)
    if kind.name == "conduct" and recorded.get("by"):
        side = state.side(recorded["by"])
        if side is not None and side.entrant is not None:
            known["warnings"] = count_warnings(side.entrant, without=state.dispute.pk)
    return select_facts(kind, known | recorded)


def _facts_from_line(kind: Irregularity, state: DisputeState, record: DisputeRecord) -> dict[str, Any]:
    line = record.line_at(state.hand)
    if kind.name == "arithmetic":
        return {"in_time": _is_in_time(state, record)}
    if kind.name == "count-after-agreement":
        confirmed = all(check.own is None for check in record.checks)  # by the other keeper
        recorded = None if record.has_only_totals else line is not None
        return {"recorded": recorded, "agreed": confirmed if record.checks else None}
    if line is None:
        return {}
    boards = line.get("boards")
    if boards:
        line = boards[(state.board or 1) - 1] if (state.board or 1) <= len(boards) else {}
    by, counts = line.get("by"), line.get("counts") or {}
    if kind.name == "improper-knock":
        other = next((count for side, count in counts.items() if side != by), None)
        return {"by": by, "count": counts.get(by), "opponent_count": other}
    if kind.name == "false-gin":
        return {"by": by, "count": counts.get(by)} if line.get("outcome") == "knock" else {"by": by}
    if kind.name == "wrong-count":
        outcome = line.get("outcome")
        return {"by": by, "counts": counts, "ended": outcome if outcome in ENDED else None}
    return {}


def _is_in_time(state: DisputeState, record: DisputeRecord) -> bool | None:
    """Return whether the hand could still be corrected when the director was called, or None if that is unclear."""
    if record.card is None or state.hand is None:
        return None
    if not policy_for(state.rule_sheet.rules).late(load_card_standing(record.card), state.hand):
        return True
    announced = load_announcement(record.card)
    return False if announced is not None and announced.at < state.dispute.at else None


# --- Precedents, committee and deadlines -----------------------------------------------------------------------------


def load_precedents(state: DisputeState, advice: Advice | None, most: int = 5) -> list[dict[str, Any]]:
    """Return the newest rulings of the same kind in the tournament, newest first, for a template.

    `differs` is a code for how a ruling applied the rule differently, or nothing if it did not.
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
        {"ruling": ruling, "words": describe_decision(ruling.ruling), "differs": _differs(ruling, advice)}
        for ruling in rulings
    ]


def _differs(ruling: Ruling, advice: Advice | None) -> str:
    if ruling.overrules:
        return "overruled"
    if advice is None or advice.ruling is None or ruling.kind not in _ALWAYS_CHOSEN:
        return ""
    return "chosen" if str(advice.ruling) != ruling.ruling else ""


def last_match_between(one: Entrant, other: Entrant) -> Match | None:
    """Return the last match of two entrants, or None if they did not meet."""
    event, both = one.event, {one.number, other.number}
    stages = load_course(event).stages
    met = [ident for stage in stages for ident, state in stage.match_states.items() if both == set(state.sides)]
    return event.matches.filter(COUNTING, ident__in=met).order_by("pk").last()


def load_committee(event: Event) -> Committee | None:
    return Committee.objects.filter(event=event).last()


def load_ruling_of(tournament: Tournament, number: int) -> Ruling | None:
    return Ruling.objects.filter(dispute__event__tournament=tournament, number=number).first()


def appeal_deadline(state: DisputeState) -> datetime | None:
    """Return the deadline to appeal the ruling in force, or None without a ruling, a card or a clock."""
    if state.dispute.card_id is None or state.ruling is None:
        return None
    clock = load_clock(load_card_by_pk(state.dispute.card_id))
    return appeals_until(clock, state.ruling) if clock is not None else None


def appeals_until(clock: CorrectionPeriod, ruling: Ruling) -> datetime:
    """Return the deadline to appeal a ruling on a card with this clock.

    A late ruling can be appealed for as many minutes as a card that was just posted.
    """
    return max(clock.appeals_until, ruling.at + timedelta(minutes=clock.terms.appeals))
