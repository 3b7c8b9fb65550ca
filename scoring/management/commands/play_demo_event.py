from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from scoring.management.demo import STOPS, Demo


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
        parser.add_argument("--until", choices=STOPS, default="semifinals", help="where it is left")
        parser.add_argument("--finish", action="store_true", help="play it out and pay the prizes")

    def handle(self, *args: Any, **options: Any) -> None:
        demo = Demo(options["entrants"], options["seed"], say=self.stdout.write)
        event, by = demo.set_up()
        demo.register(event, by)
        until = "" if options["finish"] else options["until"]
        if until != "registration":
            demo.draw(event, by)
        if until not in ("registration", "drawn"):
            demo.play(event, by, until=until)
        if options["finish"]:
            demo.finish(event, by)
        self.stdout.write(f"/t/{event.tournament.slug}/{event.slug}/")
