"""Play a made-up event with the same services that the pages use, for demos and tests.

Only the draw's secret is really random, so that nobody can predict the draw. Everything else depends on the seed.
"""

import datetime as dt
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from pairing.desk.selectors.desk import load_pairing_desk
from pairing.desk.services.pairings import give_bye
from pairing.desk.services.sending import DeskPreview, call_ready_matches, change_desk_settings, send_previewed_pairs
from pairing.draws.desk.desk import DeskTerms
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.results.services.results import remove_entrant
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.services.stages import open_next_stage
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import SeatedMatch, load_ready_seated_matches
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import LineEntry, add_line, record_scorekeeper
from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.cards.services.signing import SigningContext, sign_by_code, sign_with_strokes
from scoring.models import Card
from scoring.posting.services.opening import get_or_open_card, start_play
from scoring.rehearsal.selectors.playable import RehearsalRandomizer
from scoring.rehearsal.services.engine import (
    close_registration_and_draw,
    create_demo,
    create_demo_event,
    get_demo_date,
    get_demo_director,
    make_demo_names,
    open_demo_event,
    register_demo_entrant,
)
from scoring.rules.hand.cards import DECK, parse_card
from scoring.rulesheets.services import ChosenRules
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_player_actor
from tournament.core.selectors.events import DEMO_BEGUN_VERB, DEMO_LOADED_VERB, find_demo_being_loaded, reload_event
from tournament.core.services.record import writing
from tournament.core.topics import add_topics_to_write
from tournament.models import Entrant, EntrantFact, Event, Tournament
from tournament.models.topic import EVERYBODY_TOPIC
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.services.checkin import set_check_in_status
from tournament.money.services.fees_and_refunds import discount_or_waive_fee, take_payment
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person
from tournament.setup.services.tournaments import remove_tournament

_PRIZE_SCALE: Final = ["40", "24", "10", "10", "4", "4", "4", "4"]
SINGLES_STOP_POINTS: Final = ("registration", "drawn", "round-1", "quarterfinals", "semifinals", "final")
_ProgressCallback = Callable[[str], Any]


@dataclass
class SinglesDemo:
    """A made-up singles event. Its seeded random generator decides everything that happens in it."""

    entrants: int
    seed: int
    report_progress: _ProgressCallback = print
    dice: RehearsalRandomizer = field(init=False)

    def __post_init__(self) -> None:
        self.dice = RehearsalRandomizer(self.seed)

    def set_up(self) -> tuple[Event, Actor]:
        """Create a tournament marked DEMO with one open event. Return the event and its director."""
        by = get_demo_director()
        return self.set_up_singles(create_demo(by=by, **_make_demo_settings()), by), by

    def set_up_singles(self, tournament: Tournament, by: Actor) -> Event:
        event = create_demo_event(
            tournament,
            by=by,
            slug="singles",
            name="Singles",
            fee_cents=300_00,
            early_fee_cents=275_00,
            early_until=get_demo_date() - dt.timedelta(days=14),
            prize_scale=_PRIZE_SCALE,
            unit_cents=5_00,
        )
        return open_demo_event(event, ChosenRules("gra-singles", {}), by=by)

    def open_event(self, tournament: Tournament, by: Actor) -> Event:
        """Create a second event that is still open for registration, with a few places left."""
        draft = create_demo_event(
            tournament, by=by, slug="second-chance", name="Second Chance", fee_cents=100_00, capacity=24, reentry=True
        )
        event = open_demo_event(draft, by=by)
        for name in make_demo_names(18, self.dice):
            register_demo_entrant(event, name, club="Tampa", by=by)
        return event

    def register(self, event: Event, by: Actor) -> None:
        """Enter all players, record their payments, and check them in."""
        for name in make_demo_names(self.entrants, self.dice):
            early = timezone.now() - dt.timedelta(days=self.dice.randint(1, 60))
            club = self.dice.choice(("Tampa", "Reno", "Fort Worth", "Las Vegas", "Chicago", "Palm Desert"))
            email = ".".join(name.lower().split()).encode("ascii", "ignore").decode() + "@example.org"
            person = Person(name=name, email=email, club=club, consents=True)
            entrant = add_entry(event, EntryRequest((person,), source=Entrant.Source.DESK.value, at=early), by=by)
            self._record_payment(entrant, by)
            set_check_in_status(entrant, by=by)

    def _record_payment(self, entrant: Entrant, by: Actor) -> None:
        if self.dice.random() < 0.06:
            discount_or_waive_fee(entrant, None, by=by, reason="helper at the desk", key=f"demo-free-{entrant.pk}")
        due = load_entry_account(entrant).due_cents
        if due:
            method = self.dice.choice(("cash", "check", "card"))
            take_payment(entrant, due, method, by=by, key=f"demo-paid-{entrant.pk}")

    def draw(self, event: Event, by: Actor) -> None:
        cut = self.dice.draw_cut_cards()
        close_registration_and_draw(event, cut, by=by)
        self.report_progress(f"Drawn with the cut {cut}.")

    def play(self, event: Event, by: Actor, *, until: str) -> None:
        """Play all matches before the round named by `until`, such as `final`, and begin one match of that round.

        If `until` is empty, play all matches.
        """
        start_play(event, by=by)
        if self.entrants >= 16:
            late = self.dice.choice(load_ready_seated_matches(event)).entrants[1]
            remove_entrant(late, EntrantFact.Kind.NO_SHOW, by=by, reason="called three times")
        last = _find_last_round(event, until)
        while meetings := [m for m in load_ready_seated_matches(event) if m.match.round <= last]:
            call_ready_matches(event, 1, max(1, self.entrants // 2), by=by)
            for meeting in meetings:
                self.play_match(meeting, by)
            self.report_progress(f"{len(meetings)} matches played.")
        if until:
            call_ready_matches(event, 1, max(1, self.entrants // 2), by=by)
            for meeting in load_ready_seated_matches(event)[:1]:
                self._enter_hands(self._open_card(meeting), hands=4)

    def _open_card(self, meeting: SeatedMatch) -> Card:
        return meeting.match.cards.filter(sides_key=meeting.cards_key).order_by("-game")[0]

    def play_on_paper(self, meeting: SeatedMatch, by: Actor) -> None:
        """Play a one-game match on a paper card, which staff then enter."""
        card = meeting.match.cards.filter(sides_key=meeting.cards_key).order_by("-game").first()
        self._enter_paper_match(card or get_or_open_card(meeting, 1, by=by), by)

    def play_match(self, meeting: SeatedMatch, by: Actor) -> None:
        while True:
            card = self._open_card(meeting)
            if meeting.match.round == 1 and self.dice.random() < 0.5:
                self._enter_paper_match(card, by)
            else:
                self._play_match_on_phones(card)
            progress = load_event_stages(meeting.match.event).progress
            if progress is None or progress[meeting.match.ident].outcome is not None:
                return

    def _enter_paper_match(self, card: Card, by: Actor) -> None:
        target = load_card_state_by_pk(card.pk).target or 0
        won, lost = target + self.dice.randint(0, 30), self.dice.randint(0, target - 1)
        totals = dict(zip(("A", "B"), self.dice.sample((won, lost), 2), strict=True))
        paper = PaperCard(totals=totals, keeper=card.entrants[0], signed=("A", "B"), witness=by.name)
        enter_paper_card(card, paper, by=by)

    def _play_match_on_phones(self, card: Card) -> None:
        state = self._enter_hands(card, hands=None)
        for who in card.entrants:
            shown = SigningContext(state.digest, device="demo phone")
            if self.dice.random() < 0.8:
                state = sign_with_strokes(
                    card, make_random_signature_strokes(self.dice), shown, by=make_player_actor(who)
                )
            else:
                state = sign_by_code(card, who.sign_code, shown, by=make_player_actor(who))

    def _enter_hands(self, card: Card, *, hands: int | None) -> CardState:
        keeper = self.dice.choice(card.entrants)
        state = record_scorekeeper(card, keeper, by=make_player_actor(keeper))
        while not state.is_complete and (hands is None or len(state.lines) < hands):
            entry = LineEntry(make_random_hand(self.dice), override="as played")
            state = add_line(card, entry, by=make_player_actor(keeper))
        return state


def _make_demo_settings() -> dict[str, Any]:
    """Return the name, venue, and other settings for the next demo."""
    turn = Tournament.objects.filter(is_demo=True).count() + 1
    return {
        "slug": f"demo-{turn}",
        "name": f"Desert Classic {'I' * turn if turn < 4 else turn}".removesuffix(" I"),
        "venue": "Palm Desert",
        "days": 3,
        "about": "A made-up tournament to look around in. Nobody in it is real.",
    }


def make_random_hand(dice: random.Random) -> dict[str, Any]:
    """Return a plausible hand under the GRA rules of 2012. If it ends with a knock, the knock is legal."""
    up = parse_card(dice.choice(sorted(DECK)))
    by, other = dice.sample(("A", "B"), 2)
    line: dict[str, Any] = {"up": str(up)}
    if dice.random() < 0.04:
        return line | {"outcome": "stock"}
    rest = min(dice.randint(1, 60), dice.randint(1, 60))
    if up.is_ace or dice.random() < 0.3:
        return line | {"outcome": "gin", "by": by, "counts": {by: 0, other: rest}}
    return line | {"outcome": "knock", "by": by, "counts": {by: dice.randint(1, up.value), other: rest}}


def make_random_signature_strokes(dice: random.Random) -> list[list[list[float]]]:
    """Return random pen strokes that look like a signature.

    Coordinates are thousandths of the signature pad's width.
    """
    x, stroke = 80.0, []
    while x < 880:
        stroke.append([round(x, 1), round(150 + dice.uniform(-90, 90), 1), round(x)])
        x += dice.uniform(15, 60)
    return [stroke, [[90.0, 240.0, 900.0], [860.0, 235.0, 1100.0]]]


def _find_last_round(event: Event, until: str) -> int:
    progress = load_event_stages(event).progress
    rounds = progress.bracket.count_rounds() if progress else 0
    stops = {"": rounds, "final": rounds - 1, "semifinals": rounds - 2, "quarterfinals": rounds - 3, "round-1": 0}
    return max(0, stops.get(until, 0))


# --- Demo partnership ------------------------------------------------------------------------------------------------
# The partnership event of the demo: five qualifying games for pairs at the desk, and then the finals.

_PLAN: Final = {
    "stages": [
        {"kind": "record", "games": 5, "losses": 2, "wins": 4, "unbeaten_play_on": True},
        {"kind": "single-elimination", "byes_to": [5], "fallback": "standing"},
    ]
}
"""The plan of the event's stages. Source: GRA 2012, partnership rules 1 to 3."""
PARTNERSHIP_SLUG: Final = "partnership"
_FIRST_TABLE: Final = 21
"""The first table for this event. The tables before it belong to the singles event."""
PARTNERSHIP_STOP_POINTS: Final = ("qualifying", "qualified", "finals")


@dataclass
class PartnershipDemo:
    """A made-up event for pairs. It uses the random generator of a `SinglesDemo`."""

    demo: SinglesDemo
    pairs: int = 16

    def create_event_and_start(self, tournament: Tournament, by: Actor) -> Event:
        """Create the event, enter the pairs, check them in, make the draw, and start play."""
        fields: dict[str, Any] = {
            "slug": PARTNERSHIP_SLUG,
            "name": "Partnership",
            "fee_cents": 0,
            "prize_scale": ["60", "40"],
        }
        event = create_demo_event(tournament, ("stages", _PLAN), by=by, entry_size=2, **fields)
        event = open_demo_event(event, ChosenRules("gra-partnership", {}), by=by)
        names = make_demo_names(64 + 2 * self.pairs, self.demo.dice)[64:]
        for turn in range(self.pairs):
            set_check_in_status(register_demo_entrant(event, *names[2 * turn : 2 * turn + 2], by=by), by=by)
        event = reload_event(event)
        for number in (1, 2):
            change_desk_settings(event, DeskTerms(first_table=_FIRST_TABLE), by=by, number=number)
        self.demo.draw(event, by)
        start_play(reload_event(event), by=by)
        return reload_event(event)

    def play(self, event: Event, by: Actor, *, until: str) -> None:
        """Play until the point named by `until`, and stop there.

        `qualifying` stops in the middle of the qualifying stage, `qualified` at its end, and `finals` when the finals
        open. If `until` is empty, the event is played to its end.
        """
        turns = 2 if until == "qualifying" else 60
        for _turn in range(turns):
            if not self._play_turn(event, by):
                break
        if until == "qualifying":
            self._send_pairs(event, by)
        if until in ("qualifying", "qualified"):
            return
        if self._count_qualified_entrants(event) < 2:
            self.demo.report_progress("Fewer than two go on: there are no finals, the standings decide.")
            return
        open_next_stage(event, by=by, choices=StageOpeningChoices(cut="7H QS 2D"))
        while until == "" and (meetings := load_ready_seated_matches(reload_event(event))):
            call_ready_matches(event, _FIRST_TABLE, _FIRST_TABLE + self.pairs - 1, by=by)
            for meeting in meetings:
                self.demo.play_on_paper(meeting, by)

    def _count_qualified_entrants(self, event: Event) -> int:
        pool = load_event_stages(reload_event(event)).pool
        return len(pool.qualifying.list_entries_with_status(QualifyingStatus.QUALIFIED)) if pool is not None else 0

    def _play_turn(self, event: Event, by: Actor) -> bool:
        """Send the waiting pairs to tables, and play their games. Return whether to play another turn."""
        self._send_pairs(event, by)
        meetings = load_ready_seated_matches(reload_event(event))
        for meeting in meetings:
            self.demo.play_on_paper(meeting, by)
        self.demo.report_progress(f"{len(meetings)} games played.")
        return bool(meetings) or self._give_bye_to_last_pair(event, by)

    def _send_pairs(self, event: Event, by: Actor) -> None:
        desk = load_pairing_desk(reload_event(event))
        if desk is not None and desk.next_pairs:
            send_previewed_pairs(
                event, DeskPreview(at=desk.now, pairs=tuple(going.pair_and_table for going in desk.next_pairs)), by=by
            )

    def _give_bye_to_last_pair(self, event: Event, by: Actor) -> bool:
        """Give a bye to the last pair if it has a game left but no opponent. Return whether to play another turn."""
        pool = load_event_stages(reload_event(event)).pool
        alone = pool.qualifying.entry_without_opponent if pool is not None else None
        if alone is None or pool is None or not pool.qualifying[alone].status.is_in_play:
            return False
        give_bye(event.entrants.get(number=alone), by=by, reason="nobody is left to play")
        return pool.qualifying[alone].status in (QualifyingStatus.PLAYS_ON, QualifyingStatus.MUST_PLAY_ON)


# --- Demo loading ----------------------------------------------------------------------------------------------------
# Load the demo into an empty database. A demo that was interrupted is loaded again from the start.

_DEMO_ENTRANTS: Final = 32
_DEMO_PAIRS: Final = 10
_DEMO_SEED: Final = 7


def begin_demo_if_no_tournaments() -> None:
    if not Tournament.objects.exists():
        create_empty_demo(by=get_demo_director(), **_make_demo_settings())


def create_empty_demo(*, by: Actor, **fields: Any) -> Tournament:
    """Create the demo tournament without events. The tournament's pages show a notice until the events are loaded."""
    with transaction.atomic():
        tournament = create_demo(by=by, **fields)
        with writing(tournament, verb=DEMO_BEGUN_VERB, by=SYSTEM_ACTOR, key="once") as write:
            write.about(tournament)
    return tournament


def mark_demo_complete(tournament: Tournament) -> None:
    """Mark the demo as complete, and refresh the pages that show a loading notice."""
    with writing(tournament, verb=DEMO_LOADED_VERB, by=SYSTEM_ACTOR, key="once") as write:
        add_topics_to_write(EVERYBODY_TOPIC)
        write.about(tournament)


def finish_loading_demo() -> bool:
    """Load the demo's events if its tournament exists. Return whether the demo is complete.

    An incomplete demo is deleted first, because loading cannot be resumed.
    """
    found = find_demo_being_loaded()
    if found is None:
        return False
    if found.events.exists() or found.starts_on != get_demo_date():
        remove_tournament(found, by=SYSTEM_ACTOR)
        found = create_empty_demo(by=get_demo_director(), **_make_demo_settings())
    try:
        _load_demo_events(found)
    except Exception:
        if not Tournament.objects.filter(pk=found.pk).exists():
            return False  # somebody removed the demo in the meantime
        raise
    mark_demo_complete(found)
    return True


def _load_demo_events(tournament: Tournament) -> None:
    demo, by = SinglesDemo(_DEMO_ENTRANTS, _DEMO_SEED, report_progress=lambda _line: None), get_demo_director()
    event = demo.set_up_singles(tournament, by)
    demo.register(event, by)
    demo.draw(event, by)
    demo.play(event, by, until="semifinals")
    demo.open_event(tournament, by)
    pairs = PartnershipDemo(demo, pairs=_DEMO_PAIRS)
    pairs.play(pairs.create_event_and_start(tournament, by), by, until="qualifying")
