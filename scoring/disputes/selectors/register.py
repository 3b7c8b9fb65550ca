"""Rulings after they are made: later changes to their effects, the public register of a tournament, and their slips."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from django.utils.translation import gettext as _

from pairing.draws.results import StatusKind
from pairing.models import MatchResult
from pairing.stages.selectors.boards import load_round_count
from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import describe_decision
from scoring.disputes.selectors.disputes import (
    DisputeState,
    disputes_with_facts,
    load_dispute,
    load_disputes,
    read_disputes,
)
from scoring.disputes.selectors.rulings import appeal_deadline, load_committee
from scoring.models import Card, ConductPenaltyLifted, RegisterNames, Ruling, SheetLine
from scoring.posting.selectors.card_status import load_card_statuses
from scoring.posting.selectors.results import load_results_in_force
from scoring.rules.irregularities import Irregularity
from scoring.rules.rulings.recommend import DisputeQuestion, find_kind, recommend
from scoring.rules.sheet.card_status import RecordedResult
from tournament.errors import NotFound
from tournament.models import Entrant, EntrantFact, Event, Tournament
from tournament.models.base import Fact

RELATED = ("dispute__event__tournament", "dispute__card__match", "superseded_by", "refused", "appeal__decided")
"""The relations of a ruling that this module reads."""

# --- Later changes to the effects of rulings -------------------------------------------------------------------------


class ChangeKind(StrEnum):
    """A kind of later change to an effect of a ruling, such as a result undone or a hand corrected."""

    UNDONE = "undone"
    DECIDED_OTHERWISE = "decided-otherwise"
    STRUCK = "struck"
    CORRECTED = "corrected"
    CARD_SUPERSEDED = "card-superseded"
    LIFTED = "lifted"
    BACK_IN = "back-in"


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingChange:
    """An effect of a ruling that is no longer in force: when it was changed, by whom and why.

    `at` is None if no single act is known. `match` is the match of a result, and `round_count` the number of rounds of
    its bracket. `card` and `hand` belong to a hand. `name` and `letter` name the side that was penalized.
    """

    what: ChangeKind
    at: datetime | None
    by: str
    reason: str
    match: str = ""
    round_count: int = 0
    card: Card | None = None
    hand: int = 0
    name: str = ""
    letter: str = ""

    @property
    def has_reason(self) -> bool:
        """Whether somebody made the change and gave a reason."""
        return self.at is not None and bool(self.reason.strip())


Changes = Iterator[tuple[int, RulingChange]]
"""Changes, each with the primary key of its ruling."""
Row = TypeVar("Row", SheetLine, MatchResult)


def load_ruling_changes(rulings: Collection[Ruling]) -> dict[int, tuple[RulingChange, ...]]:
    """Return the later changes by the ruling's primary key.

    Rulings that are not in force or did not change are left out. The number of queries does not depend on the number of
    rulings.
    """
    in_force = [one for one in rulings if not hasattr(one, "superseded_by") and not hasattr(one, "refused")]
    by_ruling: dict[int, list[RulingChange]] = defaultdict(list)
    for find in (_changed_hands, _superseded_cards, _changed_results, _lifted_penalties, _reinstated_players):
        for ruling, change in find(in_force):
            by_ruling[ruling].append(change)
    return {ruling: tuple(changes) for ruling, changes in by_ruling.items()}


def load_rulings_in(event: Event) -> list[Ruling]:
    """Return all rulings of an event by their numbers."""
    return list(Ruling.objects.filter(dispute__event=event).select_related(*RELATED).order_by("number"))


def _changed_hands(rulings: Collection[Ruling]) -> Changes:
    """Yield each ruling whose hand was changed or struck since, with that change."""
    did = {one.effects["sheet"]["fact"]: one for one in rulings if one.effects.get("sheet")}
    if not did:
        return
    lines: dict[tuple[int, int], list[SheetLine]] = defaultdict(list)
    cards = SheetLine.objects.filter(pk__in=did).values("card")
    for fact in SheetLine.objects.filter(card__in=cards).select_related("card__match__event").order_by("pk"):
        lines[fact.card_id, fact.number].append(fact)
    for written in lines.values():
        for place, fact in enumerate(written):
            if (ruling := did.get(fact.pk)) is None:
                continue
            since = written[place:]
            act = _first_difference(since, [each.line == fact.line for each in since])
            if act is not None:
                what = ChangeKind.STRUCK if act.line is None else ChangeKind.CORRECTED
                yield ruling.pk, _change(what, act, card=fact.card, hand=ruling.effects["sheet"]["hand"])


def _superseded_cards(rulings: Collection[Ruling]) -> Changes:
    """Yield each ruling whose card was superseded by another act."""
    by_event: dict[int, list[Ruling]] = defaultdict(list)
    for one in rulings:
        if one.effects.get("sheet") and one.dispute.card is not None:
            by_event[one.dispute.event_id].append(one)
    for ruled in by_event.values():
        matches = {one.dispute.card.match_id for one in ruled if one.dispute.card is not None}
        statuses = load_card_statuses(ruled[0].dispute.event, matches)
        for one in ruled:
            card = one.dispute.card
            status = statuses.get(card.pk) if card is not None else None
            if status is None or status.kind is not StatusKind.SUPERSEDED:
                continue
            if status.act is not None and status.act[0] == one.at:
                continue
            at, name, reason, _ruling = status.act or (None, "", status.undone, None)
            yield one.pk, RulingChange(what=ChangeKind.CARD_SUPERSEDED, at=at, by=name, reason=reason, card=card)


def _changed_results(rulings: Collection[Ruling]) -> Changes:
    """Yield each ruling whose result was replaced or undone since, with that act."""
    did: dict[int, Ruling] = {}
    for one in rulings:
        did |= {each["result"]: one for each in one.effects.get("penalties", ()) if "result" in each}
    if not did:
        return
    written = {row.pk: row for row in MatchResult.objects.filter(pk__in=did).select_related("match")}
    matches = {row.match_id for row in written.values()}
    in_force = load_results_in_force(matches)
    later = list(MatchResult.objects.filter(match__in=matches).order_by("pk"))
    for key, row in written.items():
        if _is_in_force(row, in_force.get(row.match_id, ())):
            continue
        since = [each for each in later if each.match_id == row.match_id and each.pk >= key]
        act = _first_difference(since, [each.credits == row.credits for each in since])
        what = ChangeKind.UNDONE if act is not None and act.undoes_id is not None else ChangeKind.DECIDED_OTHERWISE
        rounds = load_round_count(did[key].dispute.event)
        yield did[key].pk, _change(what, act, match=row.match.ident, round_count=rounds)


def _first_difference(since: Sequence[Row], same: Sequence[bool]) -> Row | None:
    """Return the first row after the last one that equals the original, or None if the newest row equals it.

    If a row restored the original in between, the time, name and reason are those of the last change.
    """
    after = len(same) - [*reversed(same)].index(True)
    return since[after] if after < len(since) else None


def _is_in_force(row: MatchResult, rows: tuple[RecordedResult, ...]) -> bool:
    """Return whether the result in force is this one or has the same credits."""
    if not rows:
        return False
    last, wrote = rows[-1], {int(number): tuple(credit) for number, credit in row.credits.items()}
    return last.key == row.pk or {number: tuple(credit) for number, credit in last.credits.items()} == wrote


def _lifted_penalties(rulings: Collection[Ruling]) -> Changes:
    lifted = ConductPenaltyLifted.objects.filter(penalty__ruling__in=[one.pk for one in rulings])
    by_key = {one.pk: one for one in rulings}
    for fact in lifted.select_related("penalty__entrant").order_by("pk"):
        ruling = by_key[fact.penalty.ruling_id or 0]
        entrant = fact.penalty.entrant
        did: list[Mapping[str, Any]] = ruling.effects.get("penalties", [])
        letter = next((str(each["side"]) for each in did if each["entry"] == entrant.number), "")
        yield ruling.pk, _change(ChangeKind.LIFTED, fact, name=entrant.name, letter=letter)


def _reinstated_players(rulings: Collection[Ruling]) -> Changes:
    """Yield each ruling that removed a player who is back in the event."""
    out = [(one, did) for one in rulings for did in one.effects.get("penalties", ()) if did.get("out")]
    if not out:
        return
    events = {one.dispute.event_id for one, _did in out}
    facts = EntrantFact.objects.filter(entrant__event__in=events, kind=EntrantFact.Kind.REINSTATED).order_by("pk")
    back = facts.exclude(entrant__state=Entrant.State.REMOVED).select_related("entrant")
    for one, did in out:
        removed = one.dispute.event_id, did["entry"]
        for fact in back:
            if (fact.entrant.event_id, fact.entrant.number) == removed and fact.at > one.at:
                yield one.pk, _change(ChangeKind.BACK_IN, fact, name=fact.entrant.name, letter=did["side"])
                break


def _change(what: ChangeKind, act: Fact | None, **where: Any) -> RulingChange:
    if act is None:
        return RulingChange(what=what, at=None, by="", reason="", **where)
    return RulingChange(what=what, at=act.at, by=act.by_name, reason=act.reason, **where)


# --- The public register ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RegisteredRuling:
    """A ruling as the public may read it. `is_named` is true if names, reason and match are shown."""

    ruling: Ruling
    state: DisputeState
    is_named: bool
    changed: tuple[RulingChange, ...] = ()
    """The effects of the ruling that were undone or corrected since."""

    @property
    def event(self) -> Event:
        return self.state.dispute.event

    @property
    def irregularity(self) -> Irregularity | None:
        return find_kind(self.state.rule_sheet.rules, self.ruling.kind)

    @property
    def names(self) -> dict[str, str]:
        """The names of the sides in the register, by letter."""
        if self.is_named:
            return self.state.names
        return {side.letter: _("Side %(letter)s") % {"letter": side.letter} for side in self.state.sides}

    @property
    def decided(self) -> str:
        """The decision in words. Without names, it is the text of the rule about sides A and B."""
        if self.is_named:
            return self.ruling.decided
        return self._recommended(self.ruling.overrules) or _("Ruled: %(ruling)s.") % {"ruling": self.words}

    @property
    def words(self) -> str:
        return describe_decision(self.ruling.ruling)

    @property
    def recommended(self) -> str:
        """The rules' advice, if the ruling differs from it."""
        if not self.ruling.overrules:
            return ""
        return str(self.ruling.recommended.get("text", "")) if self.is_named else self._recommended(False)

    def _recommended(self, otherwise: bool) -> str:
        kind = self.irregularity
        if otherwise or kind is None:
            return ""
        question = DisputeQuestion(
            kind=kind.name, rule_sheet=self.state.rule_sheet, names=self.names, facts=dict(self.ruling.facts)
        )
        advice = recommend(question)
        return "" if advice.problems or (advice.is_open and not self.ruling.overrules) else advice.text

    @property
    def reason(self) -> str:
        """The reason of the ruling, or nothing if names are hidden, because a reason could reveal them."""
        return self.ruling.reason if self.is_named else ""

    @property
    def penalties(self) -> list[tuple[str, str]]:
        """The sides that were penalized, each with the code of the effect."""
        done: list[dict[str, Any]] = self.ruling.effects.get("penalties", [])
        return [(self.names.get(each["side"], "A player"), each["effect"]) for each in done]

    @property
    def appeal(self) -> str:
        """The state of the appeal: `waiting`, `upheld`, `changed`, or empty."""
        made = getattr(self.ruling, "appeal", None)
        if made is None:
            return ""
        decided = getattr(made, "decided", None)
        return "waiting" if decided is None else "upheld" if decided.upheld else "changed"

    @property
    def superseded_by(self) -> int | None:
        later = getattr(self.ruling, "superseded_by", None)
        return later.number if later is not None else None

    @property
    def is_refused(self) -> bool:
        return getattr(self.ruling, "refused", None) is not None


def load_register(tournament: Tournament, *, kind: str = "") -> list[RegisteredRuling]:
    """Return the rulings of all published events, the newest first, in a constant number of queries for an event."""
    return _register_entries([one for one in _rulings(tournament) if kind in ("", one.kind)])


def load_registered_ruling(tournament: Tournament, number: int) -> RegisteredRuling:
    """Return a published ruling by its number.

    Raises:
        NotFound: `no-ruling`.
    """
    entries = _register_entries([one for one in _rulings(tournament) if one.number == number])
    if not entries:
        raise NotFound("no-ruling", _("There is no ruling with this number. Look at the list of rulings."))
    return entries[0]


def load_register_names(events: Iterable[Event]) -> dict[int, bool]:
    """Return, by event, whether the register shows names."""
    return dict(RegisterNames.objects.filter(event__in=list(events)).order_by("pk").values_list("event_id", "shown"))


def _rulings(tournament: Tournament) -> list[Ruling]:
    rulings = Ruling.objects.filter(dispute__event__tournament=tournament).exclude(
        dispute__event__state=Event.State.DRAFT
    )
    return list(rulings.select_related(*RELATED, "supersedes").order_by("-number"))


def _register_entries(rulings: list[Ruling]) -> list[RegisteredRuling]:
    events = {ruling.dispute.event_id: ruling.dispute.event for ruling in rulings}
    named, states = load_register_names(events.values()), {}
    for pk, event in events.items():
        disputes = [ruling.dispute_id for ruling in rulings if ruling.dispute.event_id == pk]
        for state in read_disputes(event, disputes_with_facts().filter(pk__in=disputes)):
            states[state.dispute.pk] = state
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
    """A ruling with what its slip needs: the match, the table, and the sides."""

    ruling: Ruling
    state: DisputeState
    card: CardState | None
    appeal_until: datetime | None
    has_committee: bool
    """Whether the event has named the committee that hears appeals."""
    changed: tuple[RulingChange, ...] = ()
    """The effects of the ruling that were undone or corrected since."""


def load_slips(event: Event) -> list[RulingSlip]:
    """Return the slips of all rulings in force of an event, by number."""
    ruled = [state for state in load_disputes(event) if state.ruling is not None]
    changed = load_ruling_changes([state.ruling for state in ruled if state.ruling is not None])
    has_committee = load_committee(event) is not None
    slips = [_ruled_on(state, state.ruling, changed, has_committee) for state in ruled if state.ruling is not None]
    return sorted(slips, key=lambda one: one.ruling.number)


def load_slip(event: Event, dispute: int) -> RulingSlip | None:
    """Return the slip of a dispute's ruling, or None without a ruling."""
    state = load_dispute(event, dispute)
    if state.ruling is None:
        return None
    changed = load_ruling_changes([state.ruling])
    return _ruled_on(state, state.ruling, changed, load_committee(event) is not None)


def _ruled_on(
    state: DisputeState, ruling: Ruling, changed: Mapping[int, tuple[RulingChange, ...]], has_committee: bool
) -> RulingSlip:
    card = load_card_by_pk(state.dispute.card_id) if state.dispute.card_id else None
    until = appeal_deadline(state) if state.appeal is None else None
    return RulingSlip(ruling, state, card, until, has_committee, changed.get(ruling.pk, ()))
