"""Permissions to write on a card.

The scorekeeper enters hands, each side signs for itself, and the desk may do everything except sign.
"""

from django.utils.translation import gettext as _

from pairing.stages.selectors.plans import load_stage_traits
from scoring.card_state.selectors.players import load_match_players
from scoring.models import Card
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import TableDraw
from tournament.core.permissions import Actor, is_allowed, require_permission
from tournament.errors import NotAllowed
from tournament.models import Tournament


def can_act_for_desk(actor: Actor, tournament: Tournament) -> bool:
    """Return whether the actor is the system, or a staff member with the desk permission."""
    if actor.entrant is not None:
        return False
    return actor.user is None or is_allowed(actor.user, "desk", tournament)


def is_player_on_card(actor: Actor, card: Card) -> bool:
    """Return whether the actor has a seat on the card, or plays for a team that has one."""
    if actor.entrant is None:
        return False
    seated = [seat.entrant_id for seat in card.seats.all()]
    if actor.entrant.pk in seated:
        return True
    return None in seated and actor.entrant.pk in [entrant.pk for entrant in load_match_players(card.match)]


def require_player_or_desk(actor: Actor, card: Card) -> None:
    """Raise NotAllowed unless the actor is a player of this card or has the desk permission."""
    if is_player_on_card(actor, card):
        return
    if actor.entrant is not None:
        raise NotAllowed(
            "not-your-card", _("This is the score card of another match. Open your own from your private page.")
        )
    require_permission(actor, "desk", card.match.event.tournament)


def require_scorekeeper_or_desk(actor: Actor, card: Card, keeper_id: int | None) -> None:
    """Raise NotAllowed unless the actor keeps score or has the desk permission (GRA 2012, singles 2)."""
    require_player_or_desk(actor, card)
    if actor.entrant is not None and is_scored_at_desk(card):
        raise NotAllowed("scorekeeper", _("The scorekeeper at the desk enters every round. Report your result there."))
    if actor.entrant is None or actor.entrant.pk == keeper_id:
        return
    if keeper_id is None:
        draw = _load_table_draw(card)
        if draw.keeps_score:
            message = _("%(act)s Hands can be entered after that. %(rule)s") % {
                "act": draw.instruction,
                "rule": draw.words,
            }
        else:
            message = _("Choose who keeps score first. %(keeper)s") % {"keeper": draw.keeper}
        raise NotAllowed("no-cut", message)
    if len(card.seats.all()) == 2:
        message = _("Your opponent keeps score of this game. You see every hand as it is entered.")
    else:
        message = _("Another player keeps score of this game. You see every hand as it is entered.")
    raise NotAllowed("not-scorekeeper", message)


def _load_table_draw(card: Card) -> TableDraw:
    letters = tuple(seat.side for seat in card.seats.all())
    return VARIANTS[card.sheet.variant](letters, card.sheet.options).table_draw()


def is_scored_at_desk(card: Card) -> bool:
    """Return whether the desk's scorekeeper enters the rounds of this card, as in a couples event."""
    return load_stage_traits(card.match.event).one_card and not card.sides_key
