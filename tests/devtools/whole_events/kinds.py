"""Whole events of every kind, from the draw to the finish: who plays, by which rules, how the cards are signed.

play(KINDS["groups"], "gra-singles") ──► a finished event, every card posted and sealed, signed in every way in turn
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Final

from django.core.cache import cache

from pairing.blind_draw.services import close_event, make_draw, post_draw
from pairing.desk.selectors.desk import load_desk
from pairing.desk.services.pairings import give_bye
from pairing.desk.services.sending import DeskPreview, as_shown, send_shown
from pairing.results.services.finish import finish_event
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.openings import OpeningChoices
from pairing.stages.selectors.plans import format_of
from pairing.stages.services.stages import open_next_stage
from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.card_state.selectors.players import SeatedMatch, load_ready_meetings
from scoring.card_state.selectors.rotation import load_whist
from scoring.cards.services.signing import SeenCard, sign_by_code, sign_by_drawing
from scoring.models import Card
from scoring.posting.services.opening import open_card, start_play
from scoring.rulesheets.services import RulesChosen, save_rules
from scoring.scorekeeping.services import sign_all_cards
from tests.devtools.whole_events.lines import OPTIONS
from tests.devtools.whole_events.signing import (
    STROKES,
    WAYS,
    Signs,
    on_paper,
    one_missing,
    paper_entered,
    second_official,
    sign_coded,
    sign_drawn,
)
from tests.factories import a_player, a_tournament, an_entrant, an_event
from tests.kit import fresh
from tests.scoring.helpers.table_events import next_round, open_cards
from tests.scoring.helpers.turning import gin, play_round, sign_both_sides, the_card, the_sheet
from tests.scoring.helpers.whist import play_whist
from tests.verifying import put_on_record
from tournament.core.permissions import SYSTEM, player
from tournament.core.services.record import writing
from tournament.models import Entrant, Event, Member
from tournament.money.services.ledger import charge, take_payment
from tournament.registration.services.entries import keep_in_draw

NAMES: Final = ("Ada", "Alan", "Grace", "Kurt", "Emmy", "Leon", "Sofia", "Paul", "Marie", "Hedy", "Carl", "Rosa")
TWO_SIDED: Final = ("gra-singles", "standard", "oklahoma", "hollywood", "word-gin", "score-pad")
AT_TABLES: Final = ("fort-worth", "captain", "score-pad")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How it is played: the format with its options, by so many entries, and the rule sets that fit."""

    format: str
    options: Mapping[str, Any] = field(default_factory=dict)
    entries: int = 4
    rules: tuple[str, ...] = ("gra-singles",)
    pairs: bool = False
    sides: bool = False


def _stages(*stages: dict[str, Any]) -> dict[str, Any]:
    return {"stages": list(stages)}


FINALS: Final = {"kind": "single-elimination"}
KINDS: Final[Mapping[str, Kind]] = {
    "knockout": Kind(format="single-elimination", rules=TWO_SIDED),
    "double elimination": Kind(format="stages", options=_stages({"kind": "double-elimination"})),
    "by record": Kind(
        format="stages", entries=6, options=_stages({"kind": "record", "games": 2, "losses": 2, "wins": 1}, FINALS)
    ),
    "fixed games": Kind(format="stages", options=_stages({"kind": "fixed", "games": 2, "best": 2}, FINALS)),
    "Swiss": Kind(format="stages", options=_stages({"kind": "swiss", "rounds": 2})),
    "groups": Kind(
        format="stages",
        entries=6,
        options=_stages({"kind": "round-robin", "groups": 2, "best": 1}, {**FINALS, "seeded": True}),
    ),
    "play-off": Kind(
        format="stages",
        entries=6,
        options=_stages({"kind": "swiss", "rounds": 1}, {"kind": "play-off", "places": 4}, FINALS),
    ),
    "rounds at tables": Kind(format="tables", options={"size": 3, "rounds": 2}, entries=6, rules=AT_TABLES),
    "rotation of couples": Kind(format="rotation", rules=("metzker",), sides=True),
    "Court Whist": Kind(format="court-whist", rules=("court-whist",), entries=5, sides=True),
    "GRA partnership": Kind(
        format="stages",
        rules=("gra-partnership",),
        pairs=True,
        options=_stages({"kind": "record", "games": 2, "losses": 2, "wins": 1}, FINALS),
    ),
}


def play(kind: Kind, rules: str, ways: Mapping[str, Signs] = WAYS) -> Event:
    """From the fees to the finish; each card is signed in the next of these ways."""
    event = start(kind, rules)
    play_on(event, cycle(ways.values()))
    finish_event(fresh(event), by=SYSTEM)
    return fresh(event)


def start(kind: Kind, rules: str) -> Event:
    """In play: everybody has paid, and the draw was sealed, cut and posted."""
    cache.clear()
    event = an_event(
        a_tournament(), fee_cents=5000, format=kind.format, format_options=dict(kind.options), entry_size=1 + kind.pairs
    )
    for number in range(1, kind.entries + 1):
        _enter(event, kind, number)
    close_event(event, by=SYSTEM)
    keep_in_draw(fresh(event), list(range(1, kind.entries + 1)), by=SYSTEM)
    make_draw(event, "7H QS 2D", by=SYSTEM)
    post_draw(event, by=SYSTEM)
    save_rules(fresh(event), RulesChosen(rules, OPTIONS[rules], 1), by=SYSTEM)
    put_on_record(event)
    return fresh(start_play(fresh(event), by=SYSTEM))


def play_on(event: Event, ways: Iterator[Signs]) -> None:
    """Until everything is decided."""
    match format_of(event):
        case "court-whist":
            play_whist(event, (8, 7, 6, 9))
            _sign_whist(event)
        case "rotation":
            _play_rotation(event, ways)
        case "tables":
            _play_tables(event, ways)
        case "stages":
            _play_stages(event, ways)
        case _:
            while play_ready(event, ways):
                pass


def play_ready(event: Event, ways: Iterator[Signs]) -> int:
    """Every game that can be played now; the lower number wins. How many were."""
    meetings = load_ready_meetings(fresh(event))
    for meeting in meetings:
        card = card_of(meeting)
        low = min(range(len(meeting.entrants)), key=lambda place: card.entrants[place].number)
        next(ways)(card, "ABCDE"[low])
    return len(meetings)


def card_of(meeting: SeatedMatch) -> Card:
    """The open card of a match; it is opened where nobody has yet."""
    found = meeting.match.cards.filter(sides_key=meeting.key).order_by("-game").first()
    card = found or open_card(meeting, 1, by=SYSTEM)
    return load_card_by_pk(card.pk).card


def _enter(event: Event, kind: Kind, number: int) -> None:
    side = {"side": ("left", "right")[number % 2 == 0]} if kind.sides else {}
    entrant = an_entrant(event, NAMES[number - 1], number=number, arrived=True, **side)
    if kind.pairs:
        partner = a_player(f"{NAMES[number - 1]}’s partner")
        Member.objects.create(entrant=entrant, player=partner, by_name="test")
        Entrant.objects.filter(pk=entrant.pk).update(name=f"{NAMES[number - 1]} / {partner.public_name}")
    with writing(event, verb="entry.charged", by=SYSTEM) as write:
        charge(write, entrant)
    take_payment(entrant, 5000, "cash", by=SYSTEM, key=f"paid-{entrant.pk}")


def _sign_whist(event: Event) -> None:
    """One signs with a finger, one by their code, everybody else on paper in one act of the desk."""
    hall = load_whist(fresh(event))
    assert hall is not None
    one, other, *_rest = [guest.state for guest in hall.unsigned]
    sign_drawn(one)
    sign_coded(other)
    sign_all_cards(fresh(event), "Mary at the desk", by=SYSTEM)


def _play_rotation(event: Event, ways: Iterator[Signs]) -> None:
    """Each side signs on its own phone, with a finger or by code; every other time the desk has the paper."""
    while not the_sheet(event).is_over:
        count = 20 + len(the_sheet(event).state.lines)  # type: ignore[union-attr]
        play_round(event, *(gin("A", count) for _couple in the_sheet(event).couples))
    if next(ways) in (on_paper, paper_entered, one_missing, second_official):
        sign_both_sides(event)
        return
    state = the_card(event)
    for side, entrant in zip(state.letters, event.entrants.order_by("number")[:2], strict=True):
        if side == state.letters[0]:
            sign_by_drawing(state.card, STROKES, SeenCard(state.digest, side=side), by=player(entrant))
        else:
            sign_by_code(state.card, entrant.sign_code, SeenCard(state.digest, side=side), by=player(entrant))
    sign_both_sides(event)  # only the scorekeeper is left


def _play_tables(event: Event, ways: Iterator[Signs]) -> None:
    for round_ in range(int(event.plan["stages"][0]["rounds"])):
        if round_:
            next_round(event)
        for card in open_cards(event):
            next(ways)(card, "A")


def _play_stages(event: Event, ways: Iterator[Signs]) -> None:
    while True:
        while play_ready(event, ways) or _send(event):
            pass
        course = load_course(fresh(event))
        if course.is_complete and not _has_next(course):
            return
        open_next_stage(event, by=SYSTEM, choices=OpeningChoices(cut="7H QS 2D"))


def _has_next(course: Any) -> bool:
    return len(course.stages) < len(course.plan.stages)


def _send(event: Event) -> bool:
    """Who waits at the desk is sent to a game; the last alone has a bye. Whether anybody was."""
    desk = load_desk(fresh(event))
    if desk is not None and desk.going:
        send_shown(event, DeskPreview(at=desk.now, pairs=tuple(map(as_shown, desk.going))), by=SYSTEM)
        return True
    pool = load_course(fresh(event)).pool
    alone = pool.qualifying.alone if pool is not None and hasattr(pool.qualifying, "alone") else None
    if pool is None or alone is None or not pool.qualifying[alone].way.is_in_play:
        return False
    give_bye(event.entrants.get(number=alone), by=SYSTEM, reason="nobody is left to play")
    return True
