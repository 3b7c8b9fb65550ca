"""Acts in events with stages: send pairs, let late entries join, and open or undo the next stage."""

from functools import partial

from pairing.desk.selectors.desk import load_desk
from pairing.desk.services.pairings import end_hold, give_bye, hold, penalize
from pairing.desk.services.sending import ByHand, DeskPreview, as_shown, send_by_hand, send_shown, undo_last
from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.draws.stages.pools import Pool, tied_in
from pairing.models import Pairing
from pairing.results.services.late_entries import MissedGames, join_stage, take_bye
from pairing.stages.selectors.openings import OpeningInput
from pairing.stages.selectors.places import drawn_entries
from pairing.stages.services.stages import make_play_off_round, open_next_stage, record_lots, take_back_stage
from scoring.management.random_event.acts.entering import an_entry, there
from scoring.management.random_event.core import Doing, aside, forward, one_of
from scoring.management.random_event.play import Play
from tournament.models import Entrant
from tournament.registration.services.entries import enter


def _pool(play: Play) -> Pool | None:
    return play.seen.course.pool if play.seen.course is not None else None


@forward("send-pairs", turn=1)
def send(play: Play) -> Doing | None:
    """Send everybody whom the desk would send, in one act."""
    if play.seen.course is None:
        return None
    desk = load_desk(play.event)
    if desk is None:
        return None
    pairs = tuple(as_shown(one) for one in desk.going if one.table is not None or desk.by_rounds)
    if not pairs and desk.bye is None:
        return None
    calls = tuple((game.ident, table) for game, table in desk.calls)
    shown = DeskPreview(at=desk.now, pairs=pairs, calls=calls, bye=desk.bye)
    said = ", ".join(f"{one}–{other}" for one, other, _table in shown.pairs)
    return Doing(said, partial(send_shown, play.event, shown, by=play.desk, key=play.dice.token(), reason="it is late"))


@forward("bye-for-the-last", turn=2)
def bye_for_the_last(play: Play) -> Doing | None:
    """Give a bye to an entrant who has a game to come and no opponent."""
    pool = _pool(play)
    pool = pool if pool is not None and not pool.kind.traits.all_meet else None
    ready = [number for number in pool.qualifying.ready if pool.qualifying[number].way.is_in_play] if pool else []
    number = play.dice.one_of(ready)
    if number is None or play.seen.meetings:
        return None
    return Doing(str(number), partial(give_bye, _entrant(play, number), by=play.desk, reason="nobody is left to play"))


@forward("end-hold", turn=2)
def release(play: Play) -> Doing | None:
    desk = load_desk(play.event) if play.seen.course is not None else None
    number = play.dice.one_of(sorted(desk.held)) if desk is not None else None
    if number is None:
        return None
    return Doing(str(number), partial(end_hold, _entrant(play, number), by=play.desk))


@forward("open-next-stage", turn=3)
def open_next(play: Play) -> Doing | None:
    course = play.seen.course
    if course is None or course.to_come is None or not course.current.is_complete:
        return None
    cut = play.dice.cut()
    return Doing(cut, partial(open_next_stage, play.event, by=play.director, wishes=OpeningInput(cut=cut)))


@forward("play-off-round", turn=1)
def play_off_round(play: Play) -> Doing | None:
    course = play.seen.course
    if course is None or not course.current.lacks_matches:
        return None
    return Doing(course.current.name, partial(make_play_off_round, play.event, by=play.desk))


@aside("take-back-stage")
def stage_back(play: Play) -> Doing | None:
    course = play.seen.course
    if course is None:
        return None
    return Doing(course.current.name, partial(take_back_stage, play.event, by=play.director, reason=play.reason()))


@aside("take-back-pairs")
def pairs_back(play: Play) -> Doing | None:
    """Undo the pairs that were sent last, in one act."""
    course = play.seen.course
    last = Pairing.objects.filter(stage=course.current.row, taken_back=None).last() if course is not None else None
    if last is None:
        return None
    seen = [state.card.match.ident for state in play.seen.cards]
    return Doing(str(last), partial(undo_last, play.event, last.pk, by=play.desk, reason=play.reason(), seen=seen))


@aside("send-by-hand")
def by_hand(play: Play) -> Doing | None:
    """Send two waiting entrants by hand, whatever the desk suggests."""
    pool = _pool(play)
    if pool is None or len(pool.qualifying.ready) < 2:
        return None
    one, other = play.dice.sample(list(pool.qualifying.ready), 2)
    act = partial(send_by_hand, play.event, ByHand(pair=(one, other)), by=play.desk, reason="as they ask")
    return Doing(f"{one}–{other}", act)


def _in_a_stage(play: Play) -> list[Entrant]:
    return there(play) if play.seen.course is not None else []


@aside("hold", weight=0.5)
@one_of(_in_a_stage)
def keep_back(play: Play, who: Entrant) -> Doing | None:
    return Doing(who.name, partial(hold, who, by=play.desk, reason="at lunch"))


@aside("penalty-game", weight=0.5)
@one_of(_in_a_stage)
def penalty(play: Play, who: Entrant) -> Doing | None:
    """Give a penalty: a game lost outside any match."""
    return Doing(who.name, partial(penalize, who, by=play.director, reason="played unmatched"))


@aside("record-lots")
@one_of(lambda play: [sorted(group) for group in tied_in(pool)] if (pool := _pool(play)) is not None else [])
def lots(play: Play, level: list[int]) -> Doing | None:
    order = play.dice.mixed(level)
    return Doing(str(order), partial(record_lots, play.event, order, by=play.director, reason="cut for it"))


@aside("enter-in-play", weight=2)
def enter_in_play(play: Play) -> Doing | None:
    """Enter somebody late. Another act puts the entry into play."""
    entry = an_entry(play)
    return Doing(entry.people[0].name, partial(enter, play.event, entry, by=play.desk))


def _without_a_place(play: Play) -> list[Entrant]:
    drawn = set(drawn_entries(play.event) or ())
    if play.seen.course is not None:
        drawn |= set(play.seen.course.entries)
    return [who for who in there(play) if who.number not in drawn]


@aside("join-late", weight=3)
@one_of(_without_a_place)
def join_late(play: Play, who: Entrant) -> Doing | None:
    """Let a late entry join the stage that is being played, or take the place of a bye."""
    if _pool(play) is not None:
        missed = MissedGames(play.dice.randint(0, 1), play.dice.choice(list(MissedGamesPolicy)))
        return Doing(who.name, partial(join_stage, who, by=play.desk, reason="came late", beforehand=missed))
    return Doing(who.name, partial(take_bye, who, by=play.desk, reason="came late"))


def _entrant(play: Play, number: int) -> Entrant:
    return next(who for who in play.seen.entrants if who.number == number)
