"""Load rulings for the public register and for printed slips, including later changes to the rulings' effects."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from django.utils.translation import gettext as _

from pairing.draws.results import CardStatusKind
from pairing.models import MatchResult
from pairing.stages.selectors.boards import load_round_count
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import describe_decision
from scoring.disputes.selectors.disputes import DisputeState, load_dispute, load_disputes
from scoring.disputes.selectors.rulings import load_appeal_deadline, load_committee
from scoring.models import Card, ConductPenaltyLifted, RegisterNames, Ruling, SheetLine
from scoring.posting.selectors.card_status import load_card_statuses
from scoring.posting.selectors.results import load_valid_results
from scoring.rules.irregularities import Irregularity
from scoring.rules.rulings.recommend import DisputeCase, find_irregularity, recommend_ruling
from scoring.rules.sheet.card_status import RecordedResult
from tournament.errors import NotFound
from tournament.models import Entrant, EntrantFact, Event, Tournament
from tournament.models.base import Fact

RULING_RELATIONS = ("dispute__event__tournament", "dispute__card__match", "superseded_by", "refused", "appeal__decided")
"""Relations to select with a ruling, because `load_ruling_changes` and `RegisteredRuling` read them."""

# --- Later changes to the effects of rulings -------------------------------------------------------------------------


class RulingChangeKind(StrEnum):
    """The ways in which a ruling's effect can be changed later."""

    UNDONE = "undone"
    DECIDED_OTHERWISE = "decided-otherwise"
    STRUCK = "struck"
    CORRECTED = "corrected"
    CARD_SUPERSEDED = "card-superseded"
    LIFTED = "lifted"
    BACK_IN = "back-in"


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingChange:
    """A later change to a ruling's effect.

    `at` is None if the change did not come from a single action.
    """

    kind: RulingChangeKind
    at: datetime | None
    by: str
    reason: str
    match: str = ""
    round_count: int = 0
    """The number of rounds in the match's bracket, which is needed to name the round."""
    card: Card | None = None
    hand: int = 0
    name: str = ""
    """The penalized entrant's name."""
    letter: str = ""
    """The penalized side's letter."""

    @property
    def has_reason(self) -> bool:
        """Whether somebody made this change and gave a reason."""
        return self.at is not None and bool(self.reason.strip())


_Changes = Iterator[tuple[int, RulingChange]]
"""Pairs of a ruling's primary key and a change to that ruling."""
_Row = TypeVar("_Row", SheetLine, MatchResult)


def load_ruling_changes(rulings: Collection[Ruling]) -> dict[int, tuple[RulingChange, ...]]:
    """Return the later changes to the effects of rulings, keyed by the ruling's primary key.

    Rulings that have no changes, were replaced on appeal, or were rejected are left out.
    """
    in_force = [each for each in rulings if not hasattr(each, "superseded_by") and not hasattr(each, "refused")]
    by_ruling: dict[int, list[RulingChange]] = defaultdict(list)
    for find in (
        _find_changed_hands,
        _find_superseded_cards,
        _find_changed_results,
        _find_lifted_penalties,
        _find_reinstated_players,
    ):
        for ruling, change in find(in_force):
            by_ruling[ruling].append(change)
    return {ruling: tuple(changes) for ruling, changes in by_ruling.items()}


def load_event_rulings(event: Event) -> list[Ruling]:
    """Return an event's rulings, ordered by number."""
    return list(Ruling.objects.filter(dispute__event=event).select_related(*RULING_RELATIONS).order_by("number"))


def _find_changed_hands(rulings: Collection[Ruling]) -> _Changes:
    by_line = {each.effects["sheet"]["fact"]: each for each in rulings if each.effects.get("sheet")}
    if not by_line:
        return
    lines: dict[tuple[int, int], list[SheetLine]] = defaultdict(list)
    cards = SheetLine.objects.filter(pk__in=by_line).values("card")
    for fact in SheetLine.objects.filter(card__in=cards).select_related("card__match__event").order_by("pk"):
        lines[fact.card_id, fact.number].append(fact)
    for versions in lines.values():
        for place, fact in enumerate(versions):
            if (ruling := by_line.get(fact.pk)) is None:
                continue
            since = versions[place:]
            act = _find_first_difference(since, [each.line == fact.line for each in since])
            if act is not None:
                what = RulingChangeKind.STRUCK if act.line is None else RulingChangeKind.CORRECTED
                yield ruling.pk, _make_change(what, act, card=fact.card, hand=ruling.effects["sheet"]["hand"])


def _find_superseded_cards(rulings: Collection[Ruling]) -> _Changes:
    """Yield a `RulingChange` for each ruling that changed a hand on a score card, if the card was superseded later."""
    by_event: dict[int, list[tuple[Ruling, Card]]] = defaultdict(list)
    for ruling in rulings:
        if ruling.effects.get("sheet") and ruling.dispute.card is not None:
            by_event[ruling.dispute.event_id].append((ruling, ruling.dispute.card))
    for with_cards in by_event.values():
        event = with_cards[0][0].dispute.event
        statuses = load_card_statuses(event, {card.match_id for _ruling, card in with_cards})
        for ruling, card in with_cards:
            status = statuses.get(card.pk)
            if status is None or status.kind is not CardStatusKind.SUPERSEDED:
                continue
            if status.superseding_action is not None and status.superseding_action[0] == ruling.at:
                continue
            at, name, reason, _ruling = status.superseding_action or (None, "", status.undone_text, None)
            yield (
                ruling.pk,
                RulingChange(kind=RulingChangeKind.CARD_SUPERSEDED, at=at, by=name, reason=reason, card=card),
            )


def _find_changed_results(rulings: Collection[Ruling]) -> _Changes:
    by_result: dict[int, Ruling] = {}
    for ruling in rulings:
        by_result |= {each["result"]: ruling for each in ruling.effects.get("penalties", ()) if "result" in each}
    if not by_result:
        return
    ruled = {row.pk: row for row in MatchResult.objects.filter(pk__in=by_result).select_related("match")}
    matches = {row.match_id for row in ruled.values()}
    in_force = load_valid_results(matches)
    later = list(MatchResult.objects.filter(match__in=matches).order_by("pk"))
    for key, row in ruled.items():
        if _is_current_outcome(row, in_force.get(row.match_id, ())):
            continue
        since = [each for each in later if each.match_id == row.match_id and each.pk >= key]
        act = _find_first_difference(since, [each.credits == row.credits for each in since])
        what = (
            RulingChangeKind.UNDONE
            if act is not None and act.undoes_id is not None
            else RulingChangeKind.DECIDED_OTHERWISE
        )
        rounds = load_round_count(by_result[key].dispute.event)
        yield by_result[key].pk, _make_change(what, act, match=row.match.ident, round_count=rounds)


def _find_first_difference(since: Sequence[_Row], same: Sequence[bool]) -> _Row | None:
    """Return the row that ended a ruling's effect: the row after the last one that still has the ruled content.

    `since` contains the row written by the ruling, and all later rows about the same hand or match. `same` tells for
    each of these rows whether its content equals the ruled content. Return None if the last row still has that content.
    """
    after = len(same) - [*reversed(same)].index(True)
    return since[after] if after < len(since) else None


def _is_current_outcome(row: MatchResult, rows: tuple[RecordedResult, ...]) -> bool:
    """Return whether `row` is the match's current result, or gives each side the same credits as that result."""
    if not rows:
        return False
    last, ruled = rows[-1], {int(number): tuple(credit) for number, credit in row.credits.items()}
    return last.key == row.pk or {number: tuple(credit) for number, credit in last.credits.items()} == ruled


def _find_lifted_penalties(rulings: Collection[Ruling]) -> _Changes:
    lifted = ConductPenaltyLifted.objects.filter(penalty__ruling__in=[each.pk for each in rulings])
    by_key = {each.pk: each for each in rulings}
    for fact in lifted.select_related("penalty__entrant").order_by("pk"):
        ruling = by_key[fact.penalty.ruling_id or 0]
        entrant = fact.penalty.entrant
        penalties: list[Mapping[str, Any]] = ruling.effects.get("penalties", [])
        letter = next((str(each["side"]) for each in penalties if each["entry"] == entrant.number), "")
        yield ruling.pk, _make_change(RulingChangeKind.LIFTED, fact, name=entrant.name, letter=letter)


def _find_reinstated_players(rulings: Collection[Ruling]) -> _Changes:
    """Yield a `RulingChange` for each ruling that removed an entrant who was reinstated later."""
    removals = [
        (each, penalty) for each in rulings for penalty in each.effects.get("penalties", ()) if penalty.get("out")
    ]
    if not removals:
        return
    events = {ruling.dispute.event_id for ruling, _penalty in removals}
    facts = EntrantFact.objects.filter(entrant__event__in=events, kind=EntrantFact.Kind.REINSTATED).order_by("pk")
    back = facts.exclude(entrant__state=Entrant.State.REMOVED).select_related("entrant")
    for ruling, penalty in removals:
        removed = ruling.dispute.event_id, penalty["entry"]
        for fact in back:
            if (fact.entrant.event_id, fact.entrant.number) == removed and fact.at > ruling.at:
                yield (
                    ruling.pk,
                    _make_change(RulingChangeKind.BACK_IN, fact, name=fact.entrant.name, letter=penalty["side"]),
                )
                break


def _make_change(what: RulingChangeKind, act: Fact | None, **where: Any) -> RulingChange:
    if act is None:
        return RulingChange(kind=what, at=None, by="", reason="", **where)
    return RulingChange(kind=what, at=act.at, by=act.by_name, reason=act.reason, **where)


# --- The public register ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RegisteredRuling:
    """A ruling as the public register shows it.

    `is_named` is true if the event's rulings are shown with names, reasons, and matches.
    """

    ruling: Ruling
    state: DisputeState
    is_named: bool
    changed: tuple[RulingChange, ...] = ()
    """Later changes to the ruling's effects."""

    @property
    def event(self) -> Event:
        return self.state.dispute.event

    @property
    def irregularity(self) -> Irregularity | None:
        return find_irregularity(self.state.rule_sheet.rules, self.ruling.kind)

    @property
    def names(self) -> dict[str, str]:
        """Each side's name as shown to the public, keyed by the side's letter."""
        if self.is_named:
            return self.state.names
        return {side.letter: _("Side %(letter)s") % {"letter": side.letter} for side in self.state.sides}

    @property
    def decision_text(self) -> str:
        """The decision as text. If names are hidden, the text refers to “Side A” and “Side B”."""
        if self.is_named:
            return self.ruling.decided
        advice = self._make_advice_without_names() if not self.ruling.overrules else ""
        return advice or _("Ruled: %(ruling)s.") % {"ruling": self.decision_name}

    @property
    def decision_name(self) -> str:
        return describe_decision(self.ruling.ruling)

    @property
    def advice_text(self) -> str:
        """The rules' advice, or an empty string if the ruling follows the advice."""
        if not self.ruling.overrules:
            return ""
        return str(self.ruling.recommended.get("text", "")) if self.is_named else self._make_advice_without_names()

    def _make_advice_without_names(self) -> str:
        kind = self.irregularity
        if kind is None:
            return ""
        question = DisputeCase(
            kind=kind.name, rule_sheet=self.state.rule_sheet, names=self.names, facts=dict(self.ruling.facts)
        )
        advice = recommend_ruling(question)
        return "" if advice.problems or (advice.is_open and not self.ruling.overrules) else advice.text

    @property
    def reason(self) -> str:
        """The reason for the ruling. It is empty if names are hidden, because a reason could reveal them."""
        return self.ruling.reason if self.is_named else ""

    @property
    def penalties(self) -> list[tuple[str, str]]:
        """The name of each penalized side with the code of its penalty."""
        penalties: list[dict[str, Any]] = self.ruling.effects.get("penalties", [])
        return [(self.names.get(each["side"], "A player"), each["effect"]) for each in penalties]

    @property
    def appeal(self) -> str:
        """The state of the appeal (`waiting`, `upheld`, or `changed`), or an empty string if there is no appeal."""
        appeal = getattr(self.ruling, "appeal", None)
        if appeal is None:
            return ""
        decided = getattr(appeal, "decided", None)
        return "waiting" if decided is None else "upheld" if decided.upheld else "changed"

    @property
    def superseded_by(self) -> int | None:
        later = getattr(self.ruling, "superseded_by", None)
        return later.number if later is not None else None

    @property
    def is_refused(self) -> bool:
        return getattr(self.ruling, "refused", None) is not None


def load_ruling_register(tournament: Tournament, *, kind: str = "") -> list[RegisteredRuling]:
    """Return the rulings from all published events, newest first. `kind` restricts them to one kind of irregularity."""
    return _make_register_entries([each for each in _load_published_rulings(tournament) if kind in ("", each.kind)])


def load_registered_ruling(tournament: Tournament, number: int) -> RegisteredRuling:
    """Return the published ruling with this number.

    Raises:
        NotFound: `no-ruling`.
    """
    entries = _make_register_entries([each for each in _load_published_rulings(tournament) if each.number == number])
    if not entries:
        raise NotFound("no-ruling", _("There is no ruling with this number. Look at the list of rulings."))
    return entries[0]


def load_name_visibility_in_register(events: Iterable[Event]) -> dict[int, bool]:
    """Return whether the register shows names, keyed by the event's primary key.

    Events without a recorded choice are left out.
    """
    return dict(RegisterNames.objects.filter(event__in=list(events)).order_by("pk").values_list("event_id", "shown"))


def _load_published_rulings(tournament: Tournament) -> list[Ruling]:
    rulings = Ruling.objects.filter(dispute__event__tournament=tournament).exclude(
        dispute__event__state=Event.State.DRAFT
    )
    return list(rulings.select_related(*RULING_RELATIONS, "supersedes").order_by("-number"))


def _make_register_entries(rulings: list[Ruling]) -> list[RegisteredRuling]:
    events = {ruling.dispute.event_id: ruling.dispute.event for ruling in rulings}
    named = load_name_visibility_in_register(events.values())
    states: dict[int, DisputeState] = {}
    for pk, event in events.items():
        disputes = [ruling.dispute_id for ruling in rulings if ruling.dispute.event_id == pk]
        states |= {state.dispute.pk: state for state in load_disputes(event, disputes)}
    changed = load_ruling_changes(rulings)
    return [
        RegisteredRuling(
            ruling, states[ruling.dispute_id], named.get(ruling.dispute.event_id, False), changed.get(ruling.pk, ())
        )
        for ruling in rulings
    ]


# --- Slips for the table ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RulingSlip:
    """The data for a printed slip about a current ruling."""

    ruling: Ruling
    state: DisputeState
    card: CardState | None
    appeal_until: datetime | None
    has_committee: bool
    """Whether the event has an appeals committee."""
    changed: tuple[RulingChange, ...] = ()
    """Later changes to the ruling's effects."""


def load_ruling_slips(event: Event) -> list[RulingSlip]:
    """Return a slip for each of an event's current rulings, ordered by number."""
    return sorted(_load_slips_of_disputes(event, load_disputes(event)), key=lambda slip: slip.ruling.number)


def load_ruling_slip(event: Event, dispute: int) -> RulingSlip | None:
    """Return the slip for a dispute's ruling, or None if there is no ruling yet."""
    return next(iter(_load_slips_of_disputes(event, [load_dispute(event, dispute)])), None)


def _load_slips_of_disputes(event: Event, disputes: Iterable[DisputeState]) -> list[RulingSlip]:
    ruled = [(state, state.ruling) for state in disputes if state.ruling is not None]
    if not ruled:
        return []
    changed = load_ruling_changes([ruling for _state, ruling in ruled])
    has_committee = load_committee(event) is not None
    return [
        RulingSlip(
            ruling,
            state,
            card=load_card_state_by_pk(state.dispute.card_id) if state.dispute.card_id else None,
            appeal_until=load_appeal_deadline(state) if state.appeal is None else None,
            has_committee=has_committee,
            changed=changed.get(ruling.pk, ()),
        )
        for state, ruling in ruled
    ]
