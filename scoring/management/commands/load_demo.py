from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from scoring.card_state.selectors.meetings import load_ready_meetings
from scoring.management.demo import Demo
from scoring.management.demo_partnership import PARTNERSHIP, PartnershipDemo
from tournament.models import Entrant, Event, Tournament, User
from tournament.setup.services.sign_in import make_link

PAIRS: Final = 10
"""Few: whoever starts the system waits for the demo."""


class Command(BaseCommand):
    help = (
        "Load the demo into an empty database: one tournament marked DEMO, a singles event at its semifinals, a "
        "partnership event in its qualifying, and one event still open. Where a demo is there already, only say where "
        "to look."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", default="http://127.0.0.1:8000", help="address the links start with")

    def handle(self, *args: Any, **options: Any) -> None:
        if not Tournament.objects.exists():
            self.stdout.write("Loading the demo, a few seconds …")
            _load()
        event = Event.objects.filter(tournament__is_demo=True, slug="singles").select_related("tournament").first()
        director = User.objects.filter(roles__tournament__is_demo=True).first()
        if event is None or director is None:
            return
        site = options["site"].rstrip("/")
        desk = reverse("tournament:today", kwargs={"tournament": event.tournament.slug})
        sign_in = reverse("tournament:sign_in", kwargs={"token": make_link(director, goes_to=desk)})
        self.stdout.write(f"  The demo, as everybody sees it      {site}{_page(event)}")
        self.stdout.write(f"  Its director (this link works once) {site}{sign_in}")
        player = _somebody_playing(event)
        if player is not None:
            self.stdout.write(f"  One of its players, on their phone  {site}/my/{player.token}/")
        pairs = event.tournament.events.filter(slug=PARTNERSHIP).select_related("tournament").first()
        if pairs is not None:
            self.stdout.write(f"  Pairs, matched as tables come free  {site}{_page(pairs)}")


def _load() -> None:
    demo = Demo(entrants=32, seed=7, say=lambda _line: None)
    event, by = demo.set_up()
    demo.register(event, by)
    demo.draw(event, by)
    demo.play(event, by, until="semifinals")
    demo.open_event(event.tournament, by)
    partnership = PartnershipDemo(demo, pairs=PAIRS)
    partnership.play(partnership.set_up(event.tournament, by), by, until="qualifying")


def _page(event: Event) -> str:
    return reverse("tournament:event", kwargs={"tournament": event.tournament.slug, "event": event.slug})


def _somebody_playing(event: Event) -> Entrant | None:
    meetings = load_ready_meetings(event)
    return meetings[0].entrants[0] if meetings else event.entrants.first()
