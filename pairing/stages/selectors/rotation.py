"""The rounds of two sides, as they follow from the draw, and the single match of the event."""

from pairing.draws.stages.plan import StageKind
from pairing.draws.two_sides import TwoSides, WhistTable, WhistTables, first_game, next_game, rotation
from pairing.models import Match, Seating
from pairing.stages.selectors.kinds import Turning


def load_match_of_sides(turning: Turning) -> Match:
    return Match.objects.select_related("event__tournament").get(pk=turning.match)


def whist_tables_of(seating: Seating) -> WhistTables:
    """Return a posted round of Court Whist. Each table in the row is a man, a lady, a man and a lady."""
    tables = (WhistTable((a, c), (b, d), ((a, b), (c, d))) for a, b, c, d in seating.tables)
    return WhistTables(tuple(tables), tuple(seating.sits_out))


def seat_numbers(game: WhistTables) -> list[list[int]]:
    return [[player for couple in table.partners for player in couple] for table in game.tables]


def seated_again(turning: Turning, seating: Seating) -> list[list[int]]:
    """Return the tables of a round, recomputed from the draw and from what was recorded before the round."""
    number = seating.round
    if not StageKind(turning.stage.kind).traits.own_cards:
        pairs = rotation(turning.sides.left, turning.sides.right, turn=number)
        return [list(pair) for pair in pairs if not set(pair) & _gone_before(turning, seating)]
    if number == 1:
        game = first_game(turning.sides)
    else:
        before = next(one for one in turning.rounds if one.round == number - 1)
        left, right = seating.record["present"]
        winners = [(man, lady) for man, lady in seating.record["winners"]]
        sat_out = {int(player): count for player, count in seating.record["sat_out"].items()}
        game = next_game(whist_tables_of(before), winners, TwoSides(tuple(left), tuple(right)), sat_out)
    return seat_numbers(game)


def _gone_before(turning: Turning, seating: Seating) -> set[int]:
    """Return the entries that neither sat at a table in that round nor sat it out."""
    here = {number for table in seating.tables for number in table} | set(seating.sits_out)
    return {number for number in turning.stage.entries if number not in here}
