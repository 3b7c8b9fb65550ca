"""Play whole events of every kind, from the draw to the finish, with every way to sign score cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Final

from django.core.cache import cache

from pairing.blind_draw.services import close_registration, make_draw, post_draw
from pairing.desk.selectors.desk import load_pairing_desk
from pairing.desk.services.pairings import give_bye
from pairing.desk.services.sending import DeskPreview, send_previewed_pairs
from pairing.results.services.finish import finish_event
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.selectors.plans import load_event_format
from pairing.stages.services.stages import open_next_stage
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import SeatedMatch, load_ready_seated_matches
from scoring.card_state.selectors.rotation import load_whist_event_state
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import LineEntry, add_line, record_scorekeeper, record_table_draw
from scoring.cards.services.paper_cards import PaperCard, PaperRow, confirm_staff_entry, enter_paper_card
from scoring.cards.services.signing import SigningContext, sign_by_code, sign_on_paper, sign_with_strokes
from scoring.models import Card, StaffEntry
from scoring.posting.services.correction_period import set_correction_terms
from scoring.posting.services.opening import get_or_open_card, start_play
from scoring.rules.sheet.card_status import CorrectionTerms, StaffEntryCheck
from scoring.rules.sheet.sheets import VariantRules, judge_line, make_empty_sheet, tally_sheet
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from scoring.scorekeeping.services import post_cards_signed_on_paper
from tests.factories import a_director, a_player, a_tournament, a_user, an_entrant, an_event
from tests.kit import fresh
from tests.scoring.helpers.table_events import next_round, open_cards
from tests.scoring.helpers.turning import gin, play_round, sign_both_sides, the_card, the_sheet
from tests.scoring.helpers.whist import play_whist
from tests.verifying import put_on_record
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor
from tournament.core.services.record import writing
from tournament.models import Entrant, Event, Member
from tournament.money.services.fees_and_refunds import charge_fee, take_payment
from tournament.registration.services.entries import keep_entrants_in_draw

STROKES: Final = [[[100, 50, 0], [200, 80, 10], [300, 40, 20]], [[10, 10, 30], [20, 20, 40], [30, 10, 55]]]

Signs = Callable[[Card, str], CardState]
"""A function that plays a card until this side (a letter) wins, and has it signed and posted (final)."""


def drawn(card: Card, winner: str = "A") -> CardState:
    """Let everybody sign with a finger on their own phone."""
    return sign_drawn(on_phones(card, winner))


def by_code(card: Card, winner: str = "A") -> CardState:
    return sign_coded(on_phones(card, winner))


def sign_drawn(state: CardState) -> CardState:
    for who in players_of(state):
        shown = SigningContext(state.digest, device=f"{who.name}'s phone")
        state = sign_with_strokes(state.card, STROKES, shown, by=make_player_actor(who))
    return state


def sign_coded(state: CardState) -> CardState:
    for who in players_of(state):
        state = sign_by_code(state.card, who.sign_code, SigningContext(state.digest), by=make_player_actor(who))
    return state


def one_phone(card: Card, winner: str = "A") -> CardState:
    """Let the scorekeeper sign by drawing, then pass the phone to the others, who type their codes on it."""
    state = on_phones(card, winner)
    first, *rest = players_of(state)
    shown = SigningContext(state.digest, device="the scorekeeper's phone")
    state = sign_with_strokes(card, STROKES, shown, by=make_player_actor(first))
    for who in rest:
        state = sign_by_code(card, who.sign_code, shown, by=make_player_actor(who))
    return state


def tablet(card: Card, winner: str = "A") -> CardState:
    """Let everybody sign by drawing on the table's tablet."""
    state = on_phones(card, winner)
    for who in players_of(state):
        state = sign_with_strokes(
            card, STROKES, SigningContext(state.digest, device="tablet of the table"), by=make_player_actor(who)
        )
    return state


def on_paper(card: Card, winner: str = "A") -> CardState:
    """Record the hands on phones, and the signatures on a printed card that staff keep."""
    state = on_phones(card, winner)
    for side in state.letters:
        state = sign_on_paper(card, side, "Mary at the desk", SigningContext(state.digest), by=SYSTEM_ACTOR)
    return state


def paper_entered(card: Card, winner: str = "A") -> CardState:
    """Let staff enter the whole card from paper, with all signatures."""
    return enter_paper_card(card, paper_card(card, winner), by=SYSTEM_ACTOR)


def one_missing(card: Card, winner: str = "A") -> CardState:
    """Enter a paper card on which a signature is missing. The player then returns and signs."""
    paper = paper_card(card, winner)
    *signed, last = paper.signed
    state = enter_paper_card(
        card, PaperCard(rows=paper.rows, keeper=paper.keeper, signed=tuple(signed), **SEEN), by=SYSTEM_ACTOR
    )
    return sign_on_paper(card, last, "the director, at the desk", SigningContext(state.digest), by=SYSTEM_ACTOR)


def second_official(card: Card, winner: str = "A") -> CardState:
    """Let one staff member enter the paper card, and another confirm it."""
    event = card.match.event
    director = a_director(event.tournament)
    set_correction_terms(event, CorrectionTerms(second=StaffEntryCheck.APPROVAL), by=director)
    enter_paper_card(card, paper_card(card, winner), by=make_staff_actor(a_user("desk", event.tournament)))
    entry = StaffEntry.objects.get(card=card)
    state = confirm_staff_entry(entry, by=director)
    set_correction_terms(event, CorrectionTerms(), by=director)
    return state


WAYS: Final[Mapping[str, Signs]] = {
    way.__name__: way
    for way in (drawn, by_code, one_phone, tablet, on_paper, paper_entered, one_missing, second_official)
}
SEEN: Final[dict[str, Any]] = {"witness": "Mary at the desk", "override": "as it is on the paper"}


def on_phones(card: Card, winner: str = "A") -> CardState:
    """Record the cut and then each hand as the scorekeeper, until the game is over."""
    state = load_card_state_by_pk(card.pk)
    keeper = players_of(state)[0]
    if state.draw.blocks_first_hand:
        state = record_table_draw(card, state.letters, by=SYSTEM_ACTOR)
    if state.keeper_id is None:
        state = record_scorekeeper(card, keeper, by=SYSTEM_ACTOR)
    while not state.is_complete:
        state = add_line(card, LineEntry(next_line(state, winner), override="as played"), by=make_player_actor(keeper))
    return state


def paper_card(card: Card, winner: str = "A") -> PaperCard:
    """Return the data of a paper card with all its hands, ready to be entered by staff."""
    state = load_card_state_by_pk(card.pk)
    sheet, rows = make_empty_sheet(state.rules, state.letters), []
    while not tally_sheet(sheet).complete:
        line = line_of(state.rules, state.letters, len(rows), winner)
        sheet = judge_line(sheet, line).sheet
        rows.append(PaperRow(line, {}))
    drawn = state.letters if state.draw.blocks_first_hand else ()
    return PaperCard(rows=tuple(rows), keeper=players_of(state)[0], signed=state.letters, drawn=drawn, **SEEN)


def players_of(state: CardState) -> list[Entrant]:
    """Return the players on the card, ordered by seat. All entries are single players."""
    return [seat.entrant for seat in state.seats if seat.entrant is not None]


OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "gra-singles": {"target": 50},
    "standard": {"target": 50},
    "oklahoma": {"target": 50},
    "hollywood": {"target": 50},
    "gra-partnership": {"target": 60},
    "word-gin": {"target": 100},
    "captain": {"target": 30},
    "fort-worth": {"length": "very-short"},
    "metzker": {"target": 50},
    "court-whist": {},
    "score-pad": {"rounds": ["Sets", "Runs"], "wins": "high"},
}
"""Options that keep a game short, keyed by rule set."""


def next_line(state: CardState, winner: str = "A") -> dict[str, Any]:
    """Return the card's next line, won by the side with this letter."""
    return line_of(state.rules, state.letters, len(state.lines), winner)


def line_of(rules: VariantRules, letters: Sequence[str], played: int, winner: str = "A") -> dict[str, Any]:
    """Return the card's line that follows the `played` earlier lines."""
    others = [side for side in letters if side != winner]
    if rules.rules == "fort-worth":
        return {"by": winner, "counts": {side: 10 * place for place, side in enumerate(others, start=1)}}
    if rules.rules == "score-pad":
        return {"points": {winner: 40, **{side: 5 * place for place, side in enumerate(others, start=1)}}}
    if rules.rules == "gra-partnership":
        return {"up": "8H", "boards": [_gin(winner, others[0], 30), _gin(winner, others[0], 20)]}
    if rules.rules == "word-gin":
        words = {winner: 40, others[0]: 12}
        return {"outcome": "gin", "by": winner, "words": words, "deadwood": {winner: 0, others[0]: 7}}
    if rules.rules == "captain":
        return _gin(winner, others[0], 20)
    return {"up": "8H", **_gin(winner, others[0], 20 + played)}


def _gin(by: str, other: str, count: int) -> dict[str, Any]:
    return {"outcome": "gin", "by": by, "counts": {by: 0, other: count}}


NAMES: Final = ("Ada", "Alan", "Grace", "Kurt", "Emmy", "Leon", "Sofia", "Paul", "Marie", "Hedy", "Carl", "Rosa")
TWO_SIDED: Final = ("gra-singles", "standard", "oklahoma", "hollywood", "word-gin", "score-pad")
AT_TABLES: Final = ("fort-worth", "captain", "score-pad")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A format with its options, the number of entries, and the rule sets that fit."""

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
    """Play an event from the fees to the finish. Each of `ways` to sign a card is used in rotation."""
    event = start(kind, rules)
    play_on(event, cycle(ways.values()))
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    return fresh(event)


def start(kind: Kind, rules: str) -> Event:
    """Return an event in play. All fees were paid, and the draw was sealed, cut, and posted."""
    cache.clear()
    event = an_event(
        a_tournament(), fee_cents=5000, format=kind.format, format_options=dict(kind.options), entry_size=1 + kind.pairs
    )
    for number in range(1, kind.entries + 1):
        _enter(event, kind, number)
    close_registration(event, by=SYSTEM_ACTOR)
    keep_entrants_in_draw(fresh(event), list(range(1, kind.entries + 1)), by=SYSTEM_ACTOR)
    make_draw(event, "7H QS 2D", by=SYSTEM_ACTOR)
    post_draw(event, by=SYSTEM_ACTOR)
    save_rule_sheet(fresh(event), ChosenRules(rules, OPTIONS[rules], 1), by=SYSTEM_ACTOR)
    put_on_record(event)
    return fresh(start_play(fresh(event), by=SYSTEM_ACTOR))


def play_on(event: Event, ways: Iterator[Signs]) -> None:
    match load_event_format(event):
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
    """Play every ready game, and return the number of games. The entry with the lower number wins."""
    meetings = load_ready_seated_matches(fresh(event))
    for meeting in meetings:
        card = card_of(meeting)
        low = min(range(len(meeting.entrants)), key=lambda place: card.entrants[place].number)
        next(ways)(card, "ABCDE"[low])
    return len(meetings)


def card_of(meeting: SeatedMatch) -> Card:
    """Return the open card for a match. Open one if needed."""
    found = meeting.match.cards.filter(sides_key=meeting.cards_key).order_by("-game").first()
    card = found or get_or_open_card(meeting, 1, by=SYSTEM_ACTOR)
    return load_card_state_by_pk(card.pk).card


def _enter(event: Event, kind: Kind, number: int) -> None:
    side = {"side": ("left", "right")[number % 2 == 0]} if kind.sides else {}
    entrant = an_entrant(event, NAMES[number - 1], number=number, arrived=True, **side)
    if kind.pairs:
        partner = a_player(f"{NAMES[number - 1]}’s partner")
        Member.objects.create(entrant=entrant, player=partner, by_name="test")
        Entrant.objects.filter(pk=entrant.pk).update(name=f"{NAMES[number - 1]} / {partner.public_name}")
    with writing(event, verb="entry.charged", by=SYSTEM_ACTOR) as write:
        charge_fee(write, entrant)
    take_payment(entrant, 5000, "cash", by=SYSTEM_ACTOR, key=f"paid-{entrant.pk}")


def _sign_whist(event: Event) -> None:
    """Let one player draw a signature and one type the code, and let staff sign for the others on paper."""
    hall = load_whist_event_state(fresh(event))
    assert hall is not None
    one, other, *_rest = [guest.state for guest in hall.players_without_signature]
    sign_drawn(one)
    sign_coded(other)
    post_cards_signed_on_paper(fresh(event), "Mary at the desk", by=SYSTEM_ACTOR)


def _play_rotation(event: Event, ways: Iterator[Signs]) -> None:
    """Play all rounds. The next of `ways` determines whether the card is signed on paper or on the sides' phones."""
    while not the_sheet(event).is_over:
        count = 20 + len(the_sheet(event).state.lines)  # type: ignore[union-attr]
        play_round(event, *(gin("A", count) for _couple in the_sheet(event).couples))
    if next(ways) in (on_paper, paper_entered, one_missing, second_official):
        sign_both_sides(event)
        return
    state = the_card(event)
    for side, entrant in zip(state.letters, event.entrants.order_by("number")[:2], strict=True):
        if side == state.letters[0]:
            sign_with_strokes(
                state.card, STROKES, SigningContext(state.digest, side=side), by=make_player_actor(entrant)
            )
        else:
            sign_by_code(
                state.card, entrant.sign_code, SigningContext(state.digest, side=side), by=make_player_actor(entrant)
            )
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
        course = load_event_stages(fresh(event))
        if course.is_complete and not _has_next(course):
            return
        open_next_stage(event, by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut="7H QS 2D"))


def _has_next(course: Any) -> bool:
    return len(course.stages) < len(course.plan.stages)


def _send(event: Event) -> bool:
    """Assign waiting players to games, or give the last player a bye. Return whether this was possible."""
    desk = load_pairing_desk(fresh(event))
    if desk is not None and desk.next_pairs:
        send_previewed_pairs(
            event,
            DeskPreview(at=desk.now, pairs=tuple(going.pair_and_table for going in desk.next_pairs)),
            by=SYSTEM_ACTOR,
        )
        return True
    pool = load_event_stages(fresh(event)).pool
    alone = pool.qualifying.alone if pool is not None and hasattr(pool.qualifying, "alone") else None
    if pool is None or alone is None or not pool.qualifying[alone].status.is_in_play:
        return False
    give_bye(event.entrants.get(number=alone), by=SYSTEM_ACTOR, reason="nobody is left to play")
    return True
