"""Acts around the draw: close registration, seal, draw, post and start play, with the steps back."""

from pairing.blind_draw.selectors.draws import (
    Doubtful,
    current_commitment,
    drawn_numbers,
    load_doubtful,
    load_draw_terms,
)
from pairing.blind_draw.services.draws import (
    close_event,
    make_draw,
    post_draw,
    renew_commitment,
    set_draw_terms,
    take_back,
)
from pairing.draws.separation.draw import DrawKind, DrawTerms
from pairing.stages.selectors.plans import load_plan
from pairing.stages.selectors.records import open_draw
from scoring.management.random_event.acts.entering import an_entry, left_out, there
from scoring.management.random_event.core import Doing, State, aside, forward, one_of
from scoring.management.random_event.play import Play
from scoring.posting.services.opening import start_play
from tournament.models import Entrant
from tournament.registration.services.entries import bring_back, enter, keep_in_draw, leave_out
from tournament.setup.services.tournaments import open_registration


@forward("close-registration", in_state=(State.OPEN,), turn=2)
def close(play: Play) -> Doing | None:
    return Doing(play.event.name, lambda: close_event(play.event, by=play.director))


@aside("open-registration-again", in_state=(State.CLOSED,), weight=0.5)
def open_again(play: Play) -> Doing | None:
    return Doing(play.event.name, lambda: open_registration(play.event, by=play.director, reason=play.reason()))


@aside("enter-after-closing", in_state=(State.CLOSED, State.DRAWN))
def enter_late(play: Play) -> Doing | None:
    entry = an_entry(play)
    return Doing(entry.people[0].name, lambda: enter(play.event, entry, by=play.desk))


@forward("enter-for-the-field", in_state=(State.CLOSED,))
def fill_the_field(play: Play) -> Doing | None:
    """Enter one more, because too many have withdrawn for a draw."""
    return enter_late(play) if open_draw(play.event) is None and _is_short(play) else None


def _is_short(play: Play) -> bool:
    entered = there(play)
    if len(entered) < play.one.kind.fewest(play.one.rules):
        return True
    if play.one.kind.turns:
        sides = [who.side for who in entered]
        return sides.count("left") != sides.count("right") or "" in sides
    sites = [who.site for who in entered]
    return any(sites.count(site) < 2 for site in play.event.sites)


@forward("decide-doubtful", in_state=(State.CLOSED,), turn=2)
@one_of(lambda play: [row for row in load_doubtful(play.event) if not row.kept])
def decide_doubtful(play: Play, row: Doubtful) -> Doing | None:
    """Keep an entrant who has not paid or arrived in the draw, or leave them out if enough are left."""
    if open_draw(play.event) is not None:
        return None
    number, enough = row.entrant.number, len(there(play)) > play.one.kind.fewest(play.one.rules)
    if enough and not play.one.kind.turns and not play.event.sites and play.dice.chance(0.2):
        return Doing(f"{row.entrant} out", lambda: leave_out(play.event, [number], by=play.director, reason="not here"))
    return Doing(f"{row.entrant} kept", lambda: keep_in_draw(play.event, [number], by=play.director, reason="comes"))


@aside("bring-back-left-out", in_state=(State.CLOSED,), weight=0.5)
@one_of(left_out)
def bring_left_out(play: Play, who: Entrant) -> Doing | None:
    return Doing(who.name, lambda: bring_back(play.event, [who.number], by=play.director, reason=play.reason()))


@aside("say-draw-terms", in_state=(State.CLOSED,))
def say_terms(play: Play) -> Doing | None:
    return _terms(play, play.dice.choice(list(DrawKind))) if load_plan(play.event).first.knockout else None


@forward("write-seeds", in_state=(State.CLOSED,), turn=2)
def write_seeds(play: Play) -> Doing | None:
    needed = load_plan(play.event).is_seeded and load_draw_terms(play.event) is None and open_draw(play.event) is None
    return _terms(play, DrawKind.SEEDED) if needed else None


def _terms(play: Play, kind: DrawKind) -> Doing:
    numbers = tuple(play.dice.some_of(drawn_numbers(play.event), 4)) if kind is not DrawKind.BLIND else ()
    return Doing(f"{kind}: {numbers}", lambda: set_draw_terms(play.event, DrawTerms(kind, numbers), by=play.director))


@forward("seal-again", in_state=(State.CLOSED,), turn=3)
def seal_again(play: Play) -> Doing | None:
    """Seal the list again, because it has changed since it was sealed."""
    sealed = current_commitment(play.event)
    if open_draw(play.event) is not None or (sealed is not None and sealed.numbers == drawn_numbers(play.event)):
        return None
    return Doing(play.event.name, lambda: renew_commitment(play.event, by=play.director))


@forward("draw", in_state=(State.CLOSED,), turn=4)
def draw_entrants(play: Play) -> Doing | None:
    if open_draw(play.event) is not None:
        return None
    cut = play.dice.cut()
    return Doing(cut, lambda: make_draw(play.event, cut, by=play.director))


@forward("post-draw", in_state=(State.CLOSED,), turn=5)
def post(play: Play) -> Doing | None:
    made = open_draw(play.event)
    if made is None or made.commitment.numbers != drawn_numbers(play.event):
        return None
    return Doing(play.event.name, lambda: post_draw(play.event, by=play.director))


@forward("take-back-changed-draw", in_state=(State.CLOSED,), turn=6)
def take_back_changed(play: Play) -> Doing | None:
    """Undo the draw, because somebody joined or left since it was made."""
    return Doing(play.event.name, lambda: take_back(play.event, by=play.director, reason="the list has changed"))


@aside("take-back-draw", in_state=(State.CLOSED, State.DRAWN, State.IN_PLAY))
def take_draw_back(play: Play) -> Doing | None:
    return Doing(play.event.name, lambda: take_back(play.event, by=play.director, reason=play.reason()))


@forward("start-play", in_state=(State.DRAWN,))
def start(play: Play) -> Doing | None:
    return Doing(play.event.name, lambda: start_play(play.event, by=play.director))
