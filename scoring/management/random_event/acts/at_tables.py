"""Acts for rounds at tables: seat, begin and undo rounds, close tables, and type totals without a card."""

from functools import partial

from pairing.models import Match
from pairing.results.services.results import CLOSED_BY, record_table
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.places import load_final_placings
from pairing.stages.selectors.records import COUNTING
from pairing.stages.selectors.seatings import open_seating
from pairing.stages.services.seatings import change_rounds, seat_round, take_back_seating
from scoring.management.random_event.core import Doing, aside, forward
from scoring.management.random_event.play import Play
from scoring.posting.services.opening import begin_round
from tournament.models import Entrant


@forward("seat-round", turn=2)
def seat(play: Play) -> Doing | None:
    rounds = load_course(play.event).rounds
    if rounds is None or open_seating(play.event) is not None or rounds.ready:
        return None
    if len(rounds.rounds) >= rounds.terms.rounds:
        return None
    return Doing(f"round {len(rounds.rounds) + 1}", partial(seat_round, play.event, by=play.director))


@forward("begin-round", turn=3)
def begin(play: Play) -> Doing | None:
    begin = Doing(play.event.name, partial(begin_round, play.event, by=play.director))
    return begin if open_seating(play.event) is not None else None


@forward("take-back-unfit-seating", turn=5)
def unfit_back(play: Play) -> Doing | None:
    """Undo table assignments, because somebody left since they were made."""
    if open_seating(play.event) is None:
        return None
    return Doing(play.event.name, partial(take_back_seating, play.event, by=play.director, reason="somebody left"))


@forward("fewer-rounds", turn=6)
def fewer_rounds(play: Play) -> Doing | None:
    """Reduce the number of rounds, because too few entrants are left for another one."""
    rounds = load_course(play.event).rounds
    if rounds is None or rounds.ready or len(rounds.rounds) >= rounds.terms.rounds:
        return None
    most = max(1, len(rounds.rounds))
    return Doing(str(most), partial(change_rounds, play.event, most, by=play.director, reason="too few are left"))


@aside("take-back-seating")
def seating_back(play: Play) -> Doing | None:
    if load_course(play.event).rounds is None:
        return None
    return Doing(play.event.name, partial(take_back_seating, play.event, by=play.director, reason=play.reason()))


@aside("totals-without-card", weight=2)
def type_totals(play: Play) -> Doing | None:
    """Type the totals of a table that is in play or finished."""
    found = _a_table(play)
    return _type_totals(play, found, override=False) if found is not None else None


def _type_totals(play: Play, table: tuple[Match, tuple[int, ...]], *, override: bool) -> Doing:
    match, entries = table
    here = play.dice.some_of(list(entries), len(entries))
    totals = {number: play.dice.randint(-20, 150) for number in here}
    typed = partial(record_table, match, totals, by=play.staff(), reason=play.reason(), override=override)
    return Doing(f"{match.ident}: {totals}", typed)


@forward("totals-after-all", turn=10)
def type_totals_after_all(play: Play) -> Doing | None:
    """Type totals after every table was closed without any. Otherwise nobody would have a place at the end."""
    placings = load_final_placings(play.event)
    if placings is None or placings.finish:
        return None
    found = _a_table(play)
    left = {entrant.number for entrant in play.seen.in_state(Entrant.State.IN)}
    return _type_totals(play, found, override=True) if found is not None and left.intersection(found[1]) else None


@aside("close-table")
def close(play: Play) -> Doing | None:
    found = _a_table(play)
    return None if found is None else _close(play, found[0])


@forward("close-idle-table", turn=4)
def close_idle(play: Play) -> Doing | None:
    """Close a table at which nobody can play on, because too few are left."""
    rounds = load_course(play.event).rounds
    ready = rounds.ready if rounds is not None else ()
    if not ready:
        return None
    return _close(play, _match(play, play.dice.choice(ready).match))


def _close(play: Play, match: Match) -> Doing:
    """Close a table, whatever its signed cards say."""
    cause = play.dice.choice(sorted(CLOSED_BY))
    closing = partial(record_table, match, {}, cause, by=play.staff(), reason=play.reason(), override=True)
    return Doing(f"{match.ident}: {cause.value}", closing)


def _a_table(play: Play) -> tuple[Match, tuple[int, ...]] | None:
    rounds = load_course(play.event).rounds
    tables = [table for each in rounds.rounds for table in each.tables] if rounds is not None else []
    table = play.dice.one_of(tables)
    return None if table is None else (_match(play, table.match), table.entries)


def _match(play: Play, ident: str) -> Match:
    return Match.objects.filter(COUNTING).select_related("event__tournament").get(event=play.event, ident=ident)
