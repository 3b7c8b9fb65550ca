"""The partnership event of the demo: five qualifying games for pairs at the desk, and then the finals."""

from dataclasses import dataclass
from typing import Final

from pairing.desk.selectors.desk import load_desk
from pairing.desk.services.pairings import give_bye
from pairing.desk.services.sending import DeskPreview, as_shown, call_all, send_shown, set_desk
from pairing.draws.desk.desk import DeskTerms
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.openings import OpeningInput
from pairing.stages.services.plans import choose_format
from pairing.stages.services.stages import open_next_stage
from scoring.card_state.selectors.players import load_ready_meetings
from scoring.management.demo import Demo, demo_names
from scoring.posting.services.opening import start_play
from scoring.rulesheets.services import RulesChosen, save_rules
from tournament.core.permissions import Actor
from tournament.core.selectors.events import reload_event
from tournament.models import Event, Tournament
from tournament.money.services.checkin import mark_arrived
from tournament.registration.services.entries import Entry, enter
from tournament.registration.services.people import Person
from tournament.setup.services.tournaments import create_event, open_registration

PLAN: Final = {
    "stages": [
        {"kind": "record", "games": 5, "losses": 2, "wins": 4, "unbeaten_play_on": True},
        {"kind": "single-elimination", "byes_to": [5], "fallback": "standing"},
    ]
}
"""The format of GRA, partnership 1 to 3."""
PARTNERSHIP: Final = "partnership"
FIRST_TABLE: Final = 21
"""The first table of this event. The singles have the tables before it."""
STAGED_STOPS: Final = ("qualifying", "qualified", "finals")


@dataclass
class PartnershipDemo:
    """An event for pairs, played by the dice of its demo."""

    demo: Demo
    pairs: int = 16

    def set_up(self, tournament: Tournament, by: Actor) -> Event:
        """Create the event with its pairs entered, arrived and drawn, and start play."""
        event = create_event(
            tournament, by=by, slug=PARTNERSHIP, name="Partnership", fee_cents=0, entry_size=2, prize_scale=["60", "40"]
        )
        choose_format(event, "stages", PLAN, by=by)
        save_rules(event, RulesChosen("gra-partnership", {}), by=by)
        open_registration(event, by=by)
        names = demo_names(64 + 2 * self.pairs, self.demo.dice)[64:]
        for turn in range(self.pairs):
            people = tuple(Person(name=name, consents=True) for name in names[2 * turn : 2 * turn + 2])
            entrant = enter(event, Entry(people, source="desk"), by=by)
            mark_arrived(entrant, by=by)
        event = reload_event(event)
        for number in (1, 2):
            set_desk(event, DeskTerms(first_table=FIRST_TABLE), by=by, number=number)
        self.demo.draw(event, by)
        start_play(reload_event(event), by=by)
        return reload_event(event)

    def play(self, event: Event, by: Actor, *, until: str) -> None:
        """Play up to a stop.

        `qualifying` stops in the middle of the qualifying, `qualified` at its end, and `finals` once the finals are
        open. With "" the event is played to the end.
        """
        turns = 2 if until == "qualifying" else 60
        for _turn in range(turns):
            if not self._play_turn(event, by):
                break
        if until == "qualifying":
            self._send(event, by)
        if until in ("qualifying", "qualified"):
            return
        if self._qualified(event) < 2:
            self.demo.say("Fewer than two go on: there are no finals, the standings decide.")
            return
        open_next_stage(event, by=by, wishes=OpeningInput(cut="7H QS 2D"))
        while until == "" and (meetings := load_ready_meetings(reload_event(event))):
            call_all(event, FIRST_TABLE, FIRST_TABLE + self.pairs - 1, by=by)
            for meeting in meetings:
                self.demo.play_on_paper(meeting, by)

    def _qualified(self, event: Event) -> int:
        pool = load_course(reload_event(event)).pool
        return len(pool.qualifying.of(QualifyingStatus.QUALIFIED)) if pool is not None else 0

    def _play_turn(self, event: Event, by: Actor) -> bool:
        """Send the waiting pairs and play their games. Return whether play goes on."""
        self._send(event, by)
        meetings = load_ready_meetings(reload_event(event))
        for meeting in meetings:
            self.demo.play_on_paper(meeting, by)
        self.demo.say(f"{len(meetings)} games played.")
        return bool(meetings) or self._rest_alone(event, by)

    def _send(self, event: Event, by: Actor) -> None:
        desk = load_desk(reload_event(event))
        if desk is not None and desk.going:
            send_shown(event, DeskPreview(at=desk.now, pairs=tuple(map(as_shown, desk.going))), by=by)

    def _rest_alone(self, event: Event, by: Actor) -> bool:
        """Give a bye to the last pair that has a game to come and no opponent."""
        pool = load_course(reload_event(event)).pool
        alone = pool.qualifying.alone if pool is not None else None
        if alone is None or pool is None or not pool.qualifying[alone].way.is_in_play:
            return False
        give_bye(event.entrants.get(number=alone), by=by, reason="nobody is left to play")
        return pool.qualifying[alone].way in (QualifyingStatus.PLAYS_ON, QualifyingStatus.MUST_PLAY_ON)
