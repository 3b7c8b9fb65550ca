"""The public register of rulings of a tournament. It has names only for events that show them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from scoring.card_state.tables.decisions import words_of
from scoring.disputes.selectors.disputes import DisputeState, disputes_with_facts, read_disputes
from scoring.models import RegisterNames, Ruling
from scoring.rules.irregularities import Irregularity
from scoring.rules.rulings.recommend import Question, kind_called, recommend
from scoring.rulings.selectors.since import ASKED, ChangedSince, load_changed_since
from tournament.errors import NotFound
from tournament.models import Event, Tournament


@dataclass(frozen=True)
class Registered:
    """A ruling as the public may read it. `is_named` is true if names, reason and match are shown."""

    ruling: Ruling
    state: DisputeState
    is_named: bool
    changed: tuple[ChangedSince, ...] = ()
    """The effects of the ruling that were undone or corrected since."""

    @property
    def event(self) -> Event:
        return self.state.dispute.event

    @property
    def irregularity(self) -> Irregularity | None:
        return kind_called(self.state.rule_sheet.rules, self.ruling.kind)

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
        return words_of(self.ruling.ruling)

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
        question = Question(
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


def load_register(tournament: Tournament, *, kind: str = "") -> list[Registered]:
    """Return the rulings of all published events, the newest first, in a constant number of queries for an event."""
    return _registered([one for one in _rulings(tournament) if kind in ("", one.kind)])


def load_registered(tournament: Tournament, number: int) -> Registered:
    """Return a published ruling by its number.

    Raises:
        NotFound: `no-ruling`.
    """
    found = _registered([one for one in _rulings(tournament) if one.number == number])
    if not found:
        raise NotFound("no-ruling", _("There is no ruling with this number. Look at the list of rulings."))
    return found[0]


def load_register_names(events: Iterable[Event]) -> dict[int, bool]:
    """Return, by event, whether the register shows names."""
    return dict(RegisterNames.objects.filter(event__in=list(events)).order_by("pk").values_list("event_id", "shown"))


def _rulings(tournament: Tournament) -> list[Ruling]:
    found = Ruling.objects.filter(dispute__event__tournament=tournament).exclude(
        dispute__event__state=Event.State.DRAFT
    )
    return list(found.select_related(*ASKED, "supersedes").order_by("-number"))


def _registered(rulings: list[Ruling]) -> list[Registered]:
    events = {one.dispute.event_id: one.dispute.event for one in rulings}
    named, states = load_register_names(events.values()), {}
    for pk, event in events.items():
        own = [one.dispute_id for one in rulings if one.dispute.event_id == pk]
        states.update(
            {state.dispute.pk: state for state in read_disputes(event, disputes_with_facts().filter(pk__in=own))}
        )
    changed = load_changed_since(rulings)
    return [
        Registered(one, states[one.dispute_id], named.get(one.dispute.event_id, False), changed.get(one.pk, ()))
        for one in rulings
    ]
