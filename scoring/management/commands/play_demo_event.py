import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.rehearsal.selectors.playable import list_playable_combinations
from scoring.rehearsal.services.demo import PARTNERSHIP_STOP_POINTS, SINGLES_STOP_POINTS, PartnershipDemo, SinglesDemo
from scoring.rehearsal.services.engine import finish_event_and_pay_prizes
from scoring.rehearsal.services.play import ActionRecord
from scoring.rehearsal.services.random_event import PlayedEvent, RandomEvent
from tournament.core.permissions import Actor
from tournament.core.selectors.events import load_event
from tournament.errors import DomainError
from tournament.models import Event, Tournament

PARTNERSHIP_FORMAT = "gra-partnership"
DEMO_FORMATS = ("knockout", PARTNERSHIP_FORMAT)
DEFAULT_ENTRANT_COUNT = 64


class Command(BaseCommand):
    help = (
        "Play a made-up singles event through the services the pages use. Without --finish it is left half played, "
        "at the stop named by --until. With --random --kind K --rules R --finish any kind of event is played by "
        "chance, with corrections, rulings and withdrawals; --list prints the kinds and their rule sets. "
        "With --go-on T E --finish a made-up event that stands half played is played to its end by chance."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--entrants", type=int, default=None, help="how many enter, 2 to 1,024 (usually 64)")
        parser.add_argument(
            "--seed", type=int, default=1, help="names, hands and results follow it; the draw stays blind"
        )
        parser.add_argument(
            "--format", choices=DEMO_FORMATS, default="knockout", help="a bracket, or the partnership event in stages"
        )
        parser.add_argument(
            "--until", choices=[*SINGLES_STOP_POINTS, *PARTNERSHIP_STOP_POINTS], default="", help="where it is left"
        )
        parser.add_argument("--finish", action="store_true", help="play it out and pay the prizes")
        parser.add_argument("--list", action="store_true", help="print what --random can play, one a line")
        parser.add_argument("--random", action="store_true", help="play one event by chance; needs --kind and --rules")
        parser.add_argument(
            "--go-on", nargs=2, metavar=("TOURNAMENT", "EVENT"), help="play on by chance from where this event stands"
        )
        parser.add_argument("--kind", default="", help="with --random: in which way it is played, as --list has it")
        parser.add_argument("--rules", default="", help="with --random: by which rule set, as --list has it")
        parser.add_argument("--acts", action="store_true", help="with --random and --go-on: print every act")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["list"]:
            for choice in list_playable_combinations():
                self.stdout.write(json.dumps(choice.as_json()))
        elif options["random"]:
            self._play_random_event(options)
        elif options["go_on"]:
            self._continue_event(options)
        else:
            self._play_made_up_event(options)

    def _play_random_event(self, options: dict[str, Any]) -> None:
        if not options["finish"] or not options["kind"] or not options["rules"]:
            raise CommandError("--random plays to the end: add --finish, --kind and --rules. See --list.")
        event = RandomEvent(options["kind"], options["rules"], **self._read_play_options(options))
        try:
            self._print_result(event.play())
        except LookupError as error:
            raise CommandError(f"{error}. See --list.") from None

    def _continue_event(self, options: dict[str, Any]) -> None:
        if not options["finish"]:
            raise CommandError("--go-on plays to the end: add --finish.")
        try:
            self._print_result(
                RandomEvent.continue_event(load_event(*options["go_on"]), **self._read_play_options(options))
            )
        except DomainError as refusal:
            raise CommandError(refusal.message) from None

    def _read_play_options(self, options: dict[str, Any]) -> dict[str, Any]:
        watch = self._print_action if options["acts"] else None
        return {"seed": options["seed"], "entrants": options["entrants"], "after_act": watch}

    def _print_action(self, done: ActionRecord) -> None:
        self.stdout.write(json.dumps(done.as_json(), ensure_ascii=False))

    def _print_result(self, played: PlayedEvent) -> None:
        self.stdout.write(
            json.dumps({"tournament": played.tournament.slug, "event": played.event.slug, "acts": played.acts})
        )

    def _play_made_up_event(self, options: dict[str, Any]) -> None:
        demo = SinglesDemo(
            options["entrants"] or DEFAULT_ENTRANT_COUNT, options["seed"], report_progress=self.stdout.write
        )
        event, by = demo.set_up()
        if options["format"] == PARTNERSHIP_FORMAT:
            self._play_partnership_event(demo, event.tournament, by, options)
            return
        demo.register(event, by)
        until = "" if options["finish"] else options["until"] or "semifinals"
        if until in PARTNERSHIP_STOP_POINTS:
            raise CommandError(f"“{until}” is a stop of the partnership event: add --format {PARTNERSHIP_FORMAT}.")
        if until != "registration":
            demo.draw(event, by)
        if until not in ("registration", "drawn"):
            demo.play(event, by, until=until)
        if options["finish"]:
            finish_event_and_pay_prizes(event, by=by)
        self.stdout.write(f"/t/{event.tournament.slug}/{event.slug}/")

    def _play_partnership_event(
        self, demo: SinglesDemo, tournament: Tournament, by: Actor, options: dict[str, Any]
    ) -> None:
        until = "" if options["finish"] else options["until"] or "qualifying"
        if until in SINGLES_STOP_POINTS:
            raise CommandError(
                f"The partnership event stops at {', '.join(PARTNERSHIP_STOP_POINTS)}, not at “{until}”."
            )
        partnership = PartnershipDemo(demo, pairs=demo.entrants // 2)
        event = partnership.create_event_and_start(tournament, by)
        partnership.play(event, by, until=until)
        if options["finish"]:
            finish_event_and_pay_prizes(Event.objects.get(pk=event.pk), by=by)
        self.stdout.write(f"/t/{event.tournament.slug}/{event.slug}/")
