"""Play a whole made-up event through the services that the pages use, for a demo or for tests.

The draw stays blind: its secret is random for any seed. Everything else follows from the seed.
"""

import datetime as dt
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.utils import timezone

from pairing.blind_draw.services.draws import close_event, make_draw, post_draw
from pairing.desk.services.sending import call_all
from pairing.results.services.finish import finish_event
from pairing.results.services.results import remove_entrant
from pairing.stages.selectors.course import load_course
from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.card_state.selectors.players import SeatedMatch, load_ready_meetings
from scoring.cards.services.hands import LineEntry, add_line, record_cut
from scoring.cards.services.paper_cards import PaperCard, enter_paper
from scoring.cards.services.signing import SeenCard, sign_by_code, sign_by_drawing
from scoring.models import Card
from scoring.posting.services.opening import open_card, start_play
from scoring.rules.hand.cards import DECK, parse_card
from scoring.rulesheets.services import RulesChosen, save_rules
from tournament.core.permissions import Actor, player, staff
from tournament.core.selectors.events import reload_event
from tournament.models import Entrant, EntrantFact, Event, Tournament, User
from tournament.money.selectors.ledger import account_of
from tournament.money.selectors.prizes import load_prizes
from tournament.money.services.checkin import mark_arrived
from tournament.money.services.ledger import take_payment, waive_fee
from tournament.money.services.payouts import pay_prize
from tournament.registration.services.entries import Entry, enter
from tournament.registration.services.people import Person
from tournament.setup.services.tournaments import create_event, create_tournament, open_registration

NAMES: Final = Path(__file__).with_name("demo-names.txt")
SCALE: Final = ["40", "24", "10", "10", "4", "4", "4", "4"]
STOPS: Final = ("registration", "drawn", "round-1", "quarterfinals", "semifinals", "final")
Say = Callable[[str], Any]


@dataclass
class Demo:
    """A made-up event with the dice that it is played by."""

    entrants: int
    seed: int
    say: Say = print
    dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)

    def set_up(self) -> tuple[Event, Actor]:
        """Create a tournament marked DEMO with one open event, and return the event and its director."""
        by = demo_director()
        return self.set_up_singles(create_tournament(by=by, is_demo=True, **demo_facts()), by), by

    def set_up_singles(self, tournament: Tournament, by: Actor) -> Event:
        event = create_event(
            tournament,
            by=by,
            slug="singles",
            name="Singles",
            fee_cents=300_00,
            early_fee_cents=275_00,
            early_until=_today() - dt.timedelta(days=14),
            prize_scale=SCALE,
            unit_cents=5_00,
        )
        save_rules(event, RulesChosen("gra-singles", {}), by=by)
        open_registration(event, by=by)
        return reload_event(event)

    def open_event(self, tournament: Tournament, by: Actor) -> Event:
        """Create a second event that still takes entries, with a few places left."""
        event = create_event(
            tournament, by=by, slug="second-chance", name="Second Chance", fee_cents=100_00, capacity=24, reentry=True
        )
        open_registration(event, by=by)
        for name in demo_names(18, self.dice):
            enter(event, Entry((Person(name=name, club="Tampa", consents=True),), source="desk"), by=by)
        return event

    def register(self, event: Event, by: Actor) -> None:
        """Enter everybody as at the desk. Most came early, a few are complimentary, and everybody pays and arrives."""
        for name in demo_names(self.entrants, self.dice):
            early = timezone.now() - dt.timedelta(days=self.dice.randint(1, 60))
            club = self.dice.choice(("Tampa", "Reno", "Fort Worth", "Las Vegas", "Chicago", "Palm Desert"))
            email = ".".join(name.lower().split()).encode("ascii", "ignore").decode() + "@example.org"
            person = Person(name=name, email=email, club=club, consents=True)
            entrant = enter(event, Entry((person,), source=Entrant.Source.DESK.value, at=early), by=by)
            self._pay(entrant, by)
            mark_arrived(entrant, by=by)

    def _pay(self, entrant: Entrant, by: Actor) -> None:
        if self.dice.random() < 0.06:
            waive_fee(entrant, None, by=by, reason="helper at the desk", key=f"demo-free-{entrant.pk}")
        due = account_of(entrant).due_cents
        if due:
            method = self.dice.choice(("cash", "check", "card"))
            take_payment(entrant, due, method, by=by, key=f"demo-paid-{entrant.pk}")

    def draw(self, event: Event, by: Actor) -> None:
        close_event(event, by=by)
        cut = " ".join(str(card) for card in self.dice.sample(sorted(DECK), 3))
        make_draw(event, cut, by=by)
        post_draw(event, by=by)
        self.say(f"Drawn with the cut {cut}.")

    def play(self, event: Event, by: Actor, *, until: str) -> None:
        """Play match after match up to the stop. `final` leaves the final open, and "" plays it, too."""
        start_play(event, by=by)
        if self.entrants >= 16:
            late = self.dice.choice(load_ready_meetings(event)).entrants[1]
            remove_entrant(late, EntrantFact.Kind.NO_SHOW, by=by, reason="called three times")
        last = _last_round(event, until)
        while meetings := [m for m in load_ready_meetings(event) if m.match.round <= last]:
            call_all(event, 1, max(1, self.entrants // 2), by=by)
            for meeting in meetings:
                self.play_match(meeting, by)
            self.say(f"{len(meetings)} matches played.")
        if until:
            call_all(event, 1, max(1, self.entrants // 2), by=by)
            for meeting in load_ready_meetings(event)[:1]:
                self._begin(self._card(meeting), hands=4)

    def finish(self, event: Event, by: Actor) -> None:
        finish_event(event, by=by)
        event = reload_event(event)
        for award in load_prizes(event).awards:
            pay_prize(event.entrants.select_related("event__tournament").get(pk=award.entrant_id), "check", by=by)

    def _card(self, meeting: SeatedMatch) -> Card:
        return meeting.match.cards.filter(sides_key=meeting.key).order_by("-game")[0]

    def play_on_paper(self, meeting: SeatedMatch, by: Actor) -> None:
        """Play a match of one game that is typed at the desk from its paper card."""
        card = meeting.match.cards.filter(sides_key=meeting.key).order_by("-game").first()
        self._play_on_paper(card or open_card(meeting, 1, by=by), by)

    def play_match(self, meeting: SeatedMatch, by: Actor) -> None:
        while True:
            card = self._card(meeting)
            if meeting.match.round == 1 and self.dice.random() < 0.5:
                self._play_on_paper(card, by)
            else:
                self._play_on_phones(card)
            progress = load_course(meeting.match.event).progress
            if progress is None or progress[meeting.match.ident].outcome is not None:
                return

    def _play_on_paper(self, card: Card, by: Actor) -> None:
        target = load_card_by_pk(card.pk).target or 0
        won, lost = target + self.dice.randint(0, 30), self.dice.randint(0, target - 1)
        totals = dict(zip(("A", "B"), self.dice.sample((won, lost), 2), strict=True))
        paper = PaperCard(totals=totals, keeper=card.entrants[0], signed=("A", "B"), witness=by.name)
        enter_paper(card, paper, by=by)

    def _play_on_phones(self, card: Card) -> None:
        state = self._begin(card, hands=None)
        for who in card.entrants:
            shown = SeenCard(state.digest, device="demo phone")
            if self.dice.random() < 0.8:
                state = sign_by_drawing(card, signature_strokes(self.dice), shown, by=player(who))
            else:
                state = sign_by_code(card, who.sign_code, shown, by=player(who))

    def _begin(self, card: Card, *, hands: int | None) -> CardState:
        keeper = self.dice.choice(card.entrants)
        state = record_cut(card, keeper, by=player(keeper))
        while not state.is_complete and (hands is None or len(state.lines) < hands):
            entry = LineEntry(a_hand(self.dice), override="as played")
            state = add_line(card, entry, by=player(keeper))
        return state


def demo_director() -> Actor:
    return demo_staff("director@example.org", "Demo Director")


def demo_staff(email: str, name: str) -> Actor:
    made_up = {"name": name, "password": "!", "is_named": False}
    return staff(User.objects.get_or_create(email=email, defaults=made_up)[0])


def demo_facts() -> dict[str, Any]:
    """Return the name, place and days of the next tournament marked DEMO."""
    turn, today = Tournament.objects.filter(is_demo=True).count() + 1, _today()
    return {
        "slug": f"demo-{turn}",
        "name": f"Desert Classic {'I' * turn if turn < 4 else turn}".removesuffix(" I"),
        "venue": "Palm Desert",
        "starts_on": today,
        "ends_on": today + dt.timedelta(days=2),
        "about": "A made-up tournament to look around in. Nobody in it is real.",
    }


def _today() -> dt.date:
    return timezone.localdate(timezone=ZoneInfo("America/Los_Angeles"))


def a_hand(dice: random.Random) -> dict[str, Any]:
    """Return a plausible hand under the 2012 rules: the knock is legal, and the counts are likely."""
    up = parse_card(dice.choice(sorted(DECK)))
    by, other = dice.sample(("A", "B"), 2)
    line: dict[str, Any] = {"up": str(up)}
    if dice.random() < 0.04:
        return line | {"outcome": "stock"}
    rest = min(dice.randint(1, 60), dice.randint(1, 60))
    if up.is_ace or dice.random() < 0.3:
        return line | {"outcome": "gin", "by": by, "counts": {by: 0, other: rest}}
    return line | {"outcome": "knock", "by": by, "counts": {by: dice.randint(1, up.value), other: rest}}


def signature_strokes(dice: random.Random) -> list[list[list[float]]]:
    """Return a scrawl across the signature pad, in thousandths of its width."""
    x, stroke = 80.0, []
    while x < 880:
        stroke.append([round(x, 1), round(150 + dice.uniform(-90, 90), 1), round(x)])
        x += dice.uniform(15, 60)
    return [stroke, [[90.0, 240.0, 900.0], [860.0, 235.0, 1100.0]]]


def demo_names(count: int, dice: random.Random) -> list[str]:
    """Return this many different names: those of the list, then new combinations of its first and last names."""
    names = [line.strip() for line in NAMES.read_text(encoding="utf-8").splitlines() if line.strip()]
    firsts = sorted({name.split()[0] for name in names})
    lasts = sorted({name.split()[-1] for name in names})
    found = dict.fromkeys(names[:count])
    while len(found) < count:
        found[f"{dice.choice(firsts)} {dice.choice(lasts)}"] = None
    return list(found)


def _last_round(event: Event, until: str) -> int:
    progress = load_course(event).progress
    rounds = progress.bracket.rounds_of() if progress else 0
    stops = {"": rounds, "final": rounds - 1, "semifinals": rounds - 2, "quarterfinals": rounds - 3, "round-1": 0}
    return max(0, stops.get(until, 0))
