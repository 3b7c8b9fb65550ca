"""Acts in events with two sides: rounds of couples on one card, and Court Whist with a card for each player."""

from functools import partial
from typing import Any

from pairing.stages.selectors.plans import traits_of
from scoring.card_state.selectors.cards import SCOREKEEPER, CardState
from scoring.card_state.selectors.rotation import Table, WhistHall, Worksheet, load_whist, load_worksheet
from scoring.cards.services.signing import SeenCard, sign_by_code, sign_by_drawing, sign_on_paper
from scoring.management.demo import signature_strokes
from scoring.management.random_event.acts.cards import waits
from scoring.management.random_event.acts.entering import there
from scoring.management.random_event.core import Doing, aside, forward, one_of
from scoring.management.random_event.hands.couples import a_result
from scoring.management.random_event.play import Play
from scoring.rules.variants.court_whist import FACE_CARDS, GAMES, HANDS_A_GAME, TRICKS
from scoring.scorekeeping.services import (
    RoundReport,
    TableGame,
    correct_round,
    enter_table,
    move_on,
    post_round,
    seat_missing_round,
    sign_all,
)
from tournament.core.permissions import player
from tournament.models import Entrant

GAMES_IN_ALL = len(GAMES)


def _sheet(play: Play) -> Worksheet | None:
    traits = traits_of(play.event)
    return load_worksheet(play.event) if traits.one_card and not traits.own_cards else None


def _hall(play: Play) -> WhistHall | None:
    hall = load_whist(play.event) if traits_of(play.event).own_cards else None
    return hall if hall is not None and hall.guests else None


@forward("post-round")
def post(play: Play) -> Doing | None:
    """Post the reports of all tables of a round. Now and then a table has not played."""
    sheet = _sheet(play)
    if sheet is None or sheet.state is None or not sheet.state.score.takes_hands or waits(play, sheet.state):
        return None
    if not sheet.couples:
        return None
    report = _report(play, sheet, sheet.number, [one.table for one in sheet.couples])
    return Doing(f"round {sheet.number}", partial(post_round, play.event, report, by=play.staff()))


def _report(play: Play, sheet: Worksheet, number: int, tables: list[int], **fields: Any) -> RoundReport:
    assert sheet.state is not None
    left_out = frozenset(tables[:1]) if len(tables) > 1 and play.dice.chance(0.05) else frozenset()
    sides = sheet.state.letters
    results = {table: a_result(play.dice, sides) for table in tables if table not in left_out}
    return RoundReport(number=number, results=results, not_played=left_out, override="as reported", **fields)


@forward("seat-missing-round", turn=1)
def seat_missing(play: Play) -> Doing | None:
    sheet = _sheet(play)
    if sheet is None or sheet.is_over or sheet.seating is not None:
        return None
    return Doing(f"round {sheet.number}", partial(seat_missing_round, play.event, by=play.desk))


@aside("correct-round", weight=4)
def correct(play: Play) -> Doing | None:
    """Correct the results of a round, before or after the card is signed."""
    sheet = _sheet(play)
    if sheet is None or sheet.state is None or not sheet.state.lines:
        return None
    line = play.dice.randint(1, len(sheet.state.lines))
    number = sheet.state.lines[line - 1].number
    tables = [one.table for one in sheet.couples_of(sheet.turning.round(number))]
    report = _report(play, sheet, number, tables, reason=play.reason())
    return Doing(f"round {number}", partial(correct_round, play.event, line, report, by=play.staff()))


def _to_sign(play: Play) -> list[CardState]:
    cards = play.seen.cards if play.one.kind.turns else []
    return [state for state in cards if state.is_complete and state.signatures.missing_names and not state.is_posted]


@forward("sign-for-all", turn=1)
@one_of(_to_sign)
def sign(play: Play, state: CardState) -> Doing | None:
    """Sign the couples' card for a team or as the scorekeeper, or a player's own card of Court Whist."""
    if not state.signatures.missing:
        shown = SeenCard(state.digest)
        act = partial(sign_on_paper, state.card, SCOREKEEPER, play.desk.name, shown, by=play.desk)
        return Doing(f"{state.card}, the scorekeeper", act)
    seat = play.dice.choice(state.signatures.missing)
    side = Entrant.Side.values[seat.position]
    who = seat.entrant or play.dice.one_of([who for who in there(play) if who.side == side])
    shown = SeenCard(state.digest, side="" if seat.entrant else seat.side)
    how = play.dice.choice(("drawn", "code", "paper"))
    if who is None or how == "paper":
        act = partial(sign_on_paper, state.card, seat.side, play.desk.name, shown, by=play.desk)
        return Doing(f"{seat}, paper", act)
    if how == "code":
        return Doing(f"{seat}, code", partial(sign_by_code, state.card, who.sign_code, shown, by=player(who)))
    strokes = signature_strokes(play.dice)
    return Doing(f"{seat}, drawn", partial(sign_by_drawing, state.card, strokes, shown, by=player(who)))


@aside("sign-everybody")
def sign_everybody(play: Play) -> Doing | None:
    if _hall(play) is None:
        return None
    return Doing(play.event.name, partial(sign_all, play.event, play.desk.name, by=play.desk))


def _not_entered(play: Play) -> list[Table]:
    hall = _hall(play)
    return [table for table in hall.tables if not table.is_entered] if hall is not None else []


@forward("enter-table")
@one_of(_not_entered)
def enter(play: Play, table: Table) -> Doing | None:
    return _enter(play, table, "")


def _begun(play: Play) -> list[Table]:
    hall = _hall(play)
    tables = [table for one in hall.turning.rounds for table in hall.tables_of(one)] if hall is not None else []
    return [table for table in tables if table.is_begun]


@aside("enter-table-again", weight=4)
@one_of(_begun)
def enter_again(play: Play, table: Table) -> Doing | None:
    """Enter other tricks than those on the cards, which corrects all four cards."""
    return _enter(play, table, play.reason())


def _enter(play: Play, table: Table, reason: str) -> Doing:
    hands = _whist_hands(play, table)
    report = TableGame(game=table.game, table=table.number, hands=hands, override="as reported", reason=reason)
    return Doing(f"game {table.game} table {table.number}", partial(enter_table, play.event, report, by=play.staff()))


def _whist_hands(play: Play, table: Table) -> dict[int, list[dict[str, Any]]]:
    """Return four hands of a table: shared tricks (in game 3 separate ones), and the extra of the game."""
    found: dict[int, list[dict[str, Any]]] = {guest.number: [] for guest in table.guests}
    for hand in range(1, HANDS_A_GAME + 1):
        taken, faces = _shares(play, table.game), play.dice.randint(0, FACE_CARDS)
        for place, guest in enumerate(table.guests):
            line: dict[str, Any] = {"game": table.game, "hand": hand, "tricks": taken[place]}
            if table.game == 4:
                line["lady_tricks"] = taken[place] // 2
            if table.game == 6:
                line["spoken"] = play.dice.randint(0, 1)
            if table.game == 7:
                line["faces"] = faces if place < 2 else FACE_CARDS - faces
            found[guest.number].append(line)
    return found


def _shares(play: Play, game: int) -> list[int]:
    if game != 3:
        own = play.dice.randint(0, TRICKS)
        return [own, own, TRICKS - own, TRICKS - own]
    cuts = sorted(play.dice.randint(0, TRICKS) for _cut in range(3))
    return [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], TRICKS - cuts[2]]


@forward("move-on", turn=1)
def move(play: Play) -> Doing | None:
    hall = _hall(play)
    if hall is None or not hall.all_entered or hall.game.number >= GAMES_IN_ALL:
        return None
    if min(len(hall.turning.present.left), len(hall.turning.present.right)) < 2:
        return None
    cuts = {table.number: [play.dice.choice(table.best(side)).number for side in (0, 1)] for table in hall.tables}
    return Doing(f"after game {hall.game.number}", partial(move_on, play.event, cuts, by=play.director))
