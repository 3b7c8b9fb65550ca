from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pairing.services.finish import finish_event
from scoring.management.demo import STOPS, Demo
from scoring.management.demo_partnership import STAGED_STOPS, PartnershipDemo
from tournament.models import Event, Tournament
from tournament.permissions import Actor

PARTNERSHIP = "gra-partnership"
FORMATS = ("knockout", PARTNERSHIP)


class Command(BaseCommand):
    help = (
        "Play a made-up singles event through the services the pages use. Without --finish it is left half played, "
        "at the stop named by --until."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--entrants", type=int, default=64, help="how many enter, 2 to 1,024")
        parser.add_argument(
            "--seed", type=int, default=1, help="names, hands and results follow it; the draw stays blind"
        )
        parser.add_argument(
            "--format", choices=FORMATS, default="knockout", help="a bracket, or the partnership event in stages"
        )
        parser.add_argument("--until", choices=[*STOPS, *STAGED_STOPS], default="", help="where it is left")
        parser.add_argument("--finish", action="store_true", help="play it out and pay the prizes")

    def handle(self, *args: Any, **options: Any) -> None:
        demo = Demo(options["entrants"], options["seed"], say=self.stdout.write)
        event, by = demo.set_up()
        if options["format"] == PARTNERSHIP:
            self._partnership(demo, event.tournament, by, options)
            return
        demo.register(event, by)
        until = "" if options["finish"] else options["until"] or "semifinals"
        if until in STAGED_STOPS:
            raise CommandError(f"“{until}” is a stop of the partnership event: add --format {PARTNERSHIP}.")
        if until != "registration":
            demo.draw(event, by)
        if until not in ("registration", "drawn"):
            demo.play(event, by, until=until)
        if options["finish"]:
            demo.finish(event, by)
        self.stdout.write(f"/t/{event.tournament.slug}/{event.slug}/")

    def _partnership(self, demo: Demo, tournament: Tournament, by: Actor, options: dict[str, Any]) -> None:
        until = "" if options["finish"] else options["until"] or "qualifying"
        if until in STOPS:
            raise CommandError(f"The partnership event stops at {', '.join(STAGED_STOPS)}, not at “{until}”.")
        partnership = PartnershipDemo(demo, pairs=options["entrants"] // 2)
        event = partnership.set_up(tournament, by)
        partnership.play(event, by, until=until)
        if options["finish"]:
            finish_event(Event.objects.get(pk=event.pk), by=by)
        self.stdout.write(f"/t/{event.tournament.slug}/{event.slug}/")
