"""Acts at the end of an event: finish, payouts, and the steps back."""

from functools import partial

from pairing.results.selectors.finish import digest_of_end, placings_if_ended
from pairing.results.services.finish import call_off, end_early, finish_event, reinstate_event, reopen_event
from pairing.stages.selectors.places import load_final_placings
from scoring.management.random_event.acts.matches import come_back
from scoring.management.random_event.core import Doing, State, aside, forward, one_of
from scoring.management.random_event.play import Play
from tournament.errors import DomainError
from tournament.models import Entrant, LedgerLine, PaidOut
from tournament.money.selectors.awards import load_paid, standing_payouts, won_of, wrong_payouts
from tournament.money.selectors.ledger import load_payout
from tournament.money.services.payouts import (
    NOTHING,
    Withheld,
    pay_prize,
    reissue_payout,
    take_back_excess,
    undo_payout,
)


@forward("finish", turn=9)
def finish(play: Play) -> Doing | None:
    """Finish the event if everything is decided and somebody has a place."""
    placings = load_final_placings(play.event)
    return finish_early(play) if placings is not None and placings.finish else None


@forward("end-early", turn=8)
def end_stuck(play: Play) -> Doing | None:
    """End the event early, because too few are left to go on."""
    return _end_early(play, "too few are left") if load_final_placings(play.event) is None else None


@forward("end-without-points", turn=11)
def end_without_points(play: Play) -> Doing | None:
    """End the event early, because the remaining entrants have not played."""
    return _end_early(play, "those who are left have not played")


@forward("let-back-in", turn=10)
def let_somebody_back(play: Play) -> Doing | None:
    """Let an entrant back in if everybody is out and nobody could win."""
    return None if play.seen.in_state(Entrant.State.IN) else come_back(play)


@aside("end-by-the-standings", weight=0.15)
def end_late_at_night(play: Play) -> Doing | None:
    return _end_early(play, "the hall closes")


def _end_early(play: Play, reason: str) -> Doing | None:
    """End the event early like the page does, by the places that were shown."""
    try:
        shown = digest_of_end(placings_if_ended(play.event), ())
    except DomainError:
        return None
    return Doing(play.event.name, lambda: end_early(play.event, by=play.director, reason=reason, shown=shown))


@aside("call-off", in_state=(State.OPEN, State.CLOSED, State.DRAWN, State.IN_PLAY), weight=0.05)
def call_it_off(play: Play) -> Doing | None:
    reason, key = play.reason(), play.dice.token()
    return Doing(play.event.name, lambda: call_off(play.event, by=play.director, reason=reason, key=key))


@forward("bring-back", in_state=(State.CALLED_OFF,))
def play_after_all(play: Play) -> Doing | None:
    reason, key = play.reason(), play.dice.token()
    return Doing(play.event.name, lambda: reinstate_event(play.event, by=play.director, reason=reason, key=key))


@aside("finish-early", weight=0.3)
def finish_early(play: Play) -> Doing | None:
    return Doing(play.event.name, lambda: finish_event(play.event, by=play.director))


@forward("pay-out", in_state=(State.FINISHED,))
def pay_out(play: Play) -> Doing | None:
    payout = load_payout(play.event)
    paid = load_paid(play.event)
    owed = [one for one in payout.awards if paid.get(one.entry, 0) < one.cents] if payout is not None else []
    award = play.dice.one_of(owed)
    if award is None:
        return None
    who = next(one for one in play.seen.entrants if one.number == award.entry)
    method, key = play.dice.choice(LedgerLine.Method.values), play.dice.token()
    withheld = _withheld(play, award.cents - paid.get(award.entry, 0))
    act = partial(pay_prize, who, method, by=play.director, key=key, withheld=withheld)
    return Doing(f"{who.name}: {award.cents}", act)


def _withheld(play: Play, cents: int) -> Withheld:
    """Return what is withheld for taxes: usually nothing, sometimes a part, and rarely all of it."""
    if not play.dice.chance(0.4):
        return NOTHING
    most = cents if play.dice.chance(0.1) else cents // 3
    return Withheld(most, "backup withholding") if most else NOTHING


@forward("take-back-excess", in_state=(State.FINISHED,))
def give_back(play: Play) -> Doing | None:
    """Take back money from somebody who was paid more than they won, after a result was corrected."""
    over = [one for one in wrong_payouts(play.event, won_of(load_payout(play.event))) if one.to_get_back_cents]
    found = play.dice.one_of(over)
    if found is None:
        return None
    who = next(one for one in play.seen.entrants if one.number == found.number)
    key, reason = play.dice.token(), play.reason()
    return Doing(f"{who.name}: back", lambda: take_back_excess(who, by=play.director, reason=reason, key=key))


@aside("undo-payout", in_state=(State.FINISHED, State.IN_PLAY))
@one_of(lambda play: standing_payouts(play.event).select_related("entrant", "event__tournament").order_by("pk"))
def undo_paid(play: Play, paid: PaidOut) -> Doing | None:
    """Undo a payout that was never handed over. It is also possible after the event was reopened."""
    act = partial(undo_payout, paid, by=play.director, reason=play.reason(), key=play.dice.token())
    return Doing(f"{paid.entrant}: {paid.cents}", act)


@aside("reissue-payout", in_state=(State.FINISHED,), weight=0.5)
@one_of(lambda play: standing_payouts(play.event).select_related("entrant", "event__tournament").order_by("pk"))
def reissue_paid(play: Play, paid: PaidOut) -> Doing | None:
    """Replace a payout, such as a lost check, by any method. It is refused if the prize became smaller."""
    method, reason, key = play.dice.choice(LedgerLine.Method.values), play.reason(), play.dice.token()
    act = partial(reissue_payout, paid, method, by=play.director, reason=reason, key=key)
    return Doing(f"{paid.entrant}: {paid.cents}", act)


@aside("reopen", in_state=(State.FINISHED,))
def reopen(play: Play) -> Doing | None:
    return Doing(play.event.name, lambda: reopen_event(play.event, by=play.director, reason=play.reason()))
