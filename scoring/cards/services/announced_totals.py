"""Announce totals before the last hand, and refuse corrections that the policy of a rule set no longer allows."""

from django.utils.translation import gettext as _

from scoring.card_state.permissions import require_keeper
from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.cards.selectors.policies import announces_now, standing_of
from scoring.cards.services.keys import own_key
from scoring.correction_period.services.terms import directs
from scoring.models import Card, TotalsAnnounced
from scoring.rules.rulings.policies import policy_of
from tournament.core.permissions import Actor
from tournament.core.services.record import Write, writing
from tournament.errors import Conflict, NotAllowed
from tournament.models import Event


def announce_totals(card: Card, *, by: Actor, key: str = "") -> TotalsAnnounced:
    """Record that the scorer announces the totals before the last hand (Fort Worth C 3).

    After that, only a director can correct earlier hands.

    Raises:
        NotAllowed: the sender is neither the scorekeeper nor the desk.
        Conflict: `not-in-play`, `not-before-last`: it is not the moment for it.
    """
    with writing(card.match.event, verb="totals.announced", by=by, key=own_key(card, by, key)) as write:
        if write.repeated:
            return TotalsAnnounced.objects.get(pk=write.outcome["announced"])
        state = load_card_by_pk(card.pk)
        require_keeper(by, card, state.keeper_id)
        if write.event is None or write.event.state != Event.State.IN_PLAY:
            raise Conflict("not-in-play", _("The event is not in play. Nothing was recorded."))
        if not announces_now(state):
            raise Conflict(
                "not-before-last",
                _("Totals are announced once, before the last hand of a game. Look at the score card again."),
            )
        totals = dict(zip(state.letters, state.score.totals, strict=True))
        made = TotalsAnnounced.objects.create(
            card=card, hand=len(state.lines) + 1, totals=totals, **write.fact_fields()
        )
        write.about(card, card=card.pk, announced=made.pk, totals=totals)
        return made


def refuse_late_by_policy(write: Write, state: CardState, hand: int) -> None:
    """Refuse a correction of a hand that is final by these rules. A director can still rule on it.

    Raises:
        NotAllowed: `too-late`.
    """
    why = policy_of(state.sheet.rule_sheet.rules).late(standing_of(state), hand)
    if why and not directs(write):
        raise NotAllowed("too-late", _("%(why)s Call the director if that is wrong.") % {"why": why})
