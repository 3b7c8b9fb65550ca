from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from scoring.card_state.selectors.players import load_ready_seated_matches
from scoring.rehearsal.services.demo import PARTNERSHIP_SLUG, begin_demo_if_no_tournaments, finish_loading_demo
from tournament.core.selectors.events import is_demo_loading
from tournament.models import Entrant, Event, Tournament, User
from tournament.setup.services.sign_in import make_sign_in_link


class Command(BaseCommand):
    help = (
        "Load the demo into an empty database: one tournament marked DEMO, a singles event at its semifinals, a "
        "partnership event in its qualifying, and one event still open. One that was cut off is loaded again. Where a "
        "demo is there already, only say where to look."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", default="http://127.0.0.1:8000", help="address the links start with")
        parser.add_argument("--begin", action="store_true", help="only begin it: --go-on does the rest")
        parser.add_argument("--go-on", action="store_true", help="only load what was begun, and say so")

    def handle(self, *args: Any, **options: Any) -> None:
        site = options["site"].rstrip("/")
        if not options["go_on"]:
            begin_demo_if_no_tournaments()
        loaded = not options["begin"] and finish_loading_demo()
        demo = Tournament.objects.filter(is_demo=True).first()
        if demo is None:
            return
        if not options["go_on"]:
            self._print_links(site, _iter_director_links(demo))
        elif loaded:
            self.stdout.write("The demo is loaded.")
        if is_demo_loading(demo):
            self.stdout.write("  It is being loaded: more of it comes within a minute.")
        elif loaded or not options["go_on"]:
            self._print_links(site, _iter_public_links(demo))

    def _print_links(self, site: str, places: Iterator[tuple[str, str]]) -> None:
        for label, path in places:
            self.stdout.write(f"  {label:<38}{site}{path}")


def _iter_director_links(demo: Tournament) -> Iterator[tuple[str, str]]:
    place = {"tournament": demo.slug}
    yield "The demo", reverse("tournament:tournament", kwargs=place)
    director = User.objects.filter(roles__tournament=demo, roles__role="director", is_active=True).first()
    if director is not None:
        token = make_sign_in_link(director, goes_to=reverse("tournament:today", kwargs=place))
        yield "Its director (this link works once)", reverse("tournament:sign_in", kwargs={"token": token})


def _iter_public_links(demo: Tournament) -> Iterator[tuple[str, str]]:
    events = {event.slug: event for event in demo.events.select_related("tournament")}
    singles, pairs = events.get("singles"), events.get(PARTNERSHIP_SLUG)
    if singles is not None:
        yield "Singles, as everybody sees them", _make_event_url(singles)
        player = _find_entrant_in_play(singles)
        if player is not None:
            yield "One of its players, on their phone", f"/my/{player.token}/"
    if pairs is not None:
        yield "Pairs, matched as tables come free", _make_event_url(pairs)


def _make_event_url(event: Event) -> str:
    return reverse("tournament:event", kwargs={"tournament": event.tournament.slug, "event": event.slug})


def _find_entrant_in_play(event: Event) -> Entrant | None:
    meetings = load_ready_seated_matches(event)
    return meetings[0].entrants[0] if meetings else event.entrants.first()
