"""The wording for substitutes on a card, the same on every page and on paper."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState
from scoring.card_state.selectors.substitutes import PlaysOn, load_plays_on
from tournament.templatetags.gin import local_day_time


def plays_on_words(state: CardState, found: Collection[PlaysOn] | None = None) -> list[str]:
    """Return a sentence for each substitute on the card. They are loaded unless `found` has them.

    “Ben has played for Ada since Nov 22, 2:45 PM. The score card keeps its first name.”
    """
    known = load_plays_on([state]).get(state.card.pk, ()) if found is None else found
    over = _("%(came)s played for %(left)s from %(at)s on. The score card keeps its first name.")
    on = _("%(came)s has played for %(left)s since %(at)s. The score card keeps its first name.")
    tournament = state.card.match.event.tournament
    said = over if state.is_posted else on
    return [said % {"came": one.came, "left": one.left, "at": local_day_time(one.at, tournament)} for one in known]
