"""Continue an existing event: find its kind and rules, its staff, and the cards in use."""

from typing import Final

from pairing.stages.selectors.plans import STAGES, load_plan
from scoring.management.demo import demo_names, demo_staff
from scoring.management.random_event.acts.cards import DESK, PHONES
from scoring.management.random_event.dice import Dice
from scoring.management.random_event.kinds import Kind, Playable
from scoring.management.random_event.play import Play
from scoring.management.random_event.rule_sets import RuleSet
from scoring.management.random_event.set_up import STAFF
from scoring.rulesheets.selectors.sheets import current_sheet, unsaved_sheet
from tournament.core.permissions import SYSTEM, Actor
from tournament.errors import NotAllowed
from tournament.models import Entrant, Event, Member, StaffRole, Tournament
from tournament.setup.services.tournaments import grant_role

ROLES: Final = (StaffRole.Role.DIRECTOR, StaffRole.Role.DESK, StaffRole.Role.DIRECTOR)
"""The roles of the people in `STAFF`, in its order."""


def playable_of(event: Event) -> Playable:
    """Return the kind and the rules of an existing event."""
    sheet, first = current_sheet(event) or unsaved_sheet(event), load_plan(event).first.kind
    format_ = STAGES if first.traits.two_meet else first.value
    settings = {"sites": event.sites} if event.sites else {}
    kind = Kind(format_, format_, lambda _dice, _entrants: {}, event.entry_size, settings)
    return Playable(kind, RuleSet(sheet.variant, sheet.variant, sheet.options))


def take_up(event: Event, dice: Dice, wanted: int | None) -> Play:
    """Return the play of an existing event. More entrants join if they are `wanted`, or if there are too few.

    Raises:
        NotAllowed: `not-a-demo`: a real event is never played by chance.
    """
    if not event.tournament.is_demo:
        raise NotAllowed(
            "not-a-demo", "Only an event of a tournament marked DEMO is played by chance. This one is real."
        )
    one = playable_of(event)
    there = event.entrants.filter(state=Entrant.State.IN).count()
    director, desk, second = (_member(event.tournament, *who) for who in zip(STAFF, ROLES, strict=True))
    field = max(one.kind.fewest(one.rules), there if wanted is None else wanted)
    play = Play(one, dice, event.pk, director, desk, second, field, left={"names": _names_taken(event)})
    begun = [state for state in play.seen.open_cards if state.hands]
    play.ways = {state.card.pk: DESK if state.keeper_id is None else PHONES for state in begun}
    return play


def _member(tournament: Tournament, who: tuple[str, str], role: str) -> Actor:
    found = demo_staff(*who)
    assert found.user is not None
    if not tournament.roles.filter(user=found.user, role=role).exists():
        grant_role(tournament, found.user, role, by=SYSTEM)
    return found


def _names_taken(event: Event) -> int:
    """Return how many made-up names to skip, so that the next name is new in the event."""
    there = set(Member.objects.filter(entrant__event=event).values_list("player__name", flat=True))
    names = demo_names(2 * len(there), Dice(event.tournament.name))
    return max((turn for turn, name in enumerate(names, start=1) if name in there), default=0)
