"""Cards that disagree with the result of their match, each with the page that settles it."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from pairing.plans.selectors import traits_of
from scoring.posting.selectors.statements import CountedCard, changed_at, load_points
from scoring.today.selectors.items import AttentionItem, Open, State
from tournament.models import Event


def against_results(event: Event, against: Iterable[CountedCard]) -> list[AttentionItem]:
    """Return an item for each match with a disagreeing card. Cards that wait for signatures come first."""
    rows = {}
    for one in sorted(against, key=lambda each: each.waits):
        is_over = event.state == State.FINISHED
        if traits_of(event).one_card:
            rows[one.state.card.match_id] = _of_all_cards(one, is_over=is_over)
        else:
            rows[one.state.card.match_id] = _to_sign(one) if one.waits and not is_over else _to_decide(one)
    return list(rows.values())


def _to_decide(one: CountedCard) -> AttentionItem:
    match = one.state.card.match
    said = _(
        "Match %(match)s: the signed card says %(card)s, the result is %(result)s. The result counts until you decide."
    )
    if one.waits:
        said = _(
            "Match %(match)s: the card was changed to %(card)s and not signed again, the result is %(result)s. "
            "The event is finished: nobody can sign."
        )
    points = load_points(match) if not one.waits else None
    winner = points.winner if points is not None else None
    ending = f"played:{winner}" if winner is not None else "void:"
    return AttentionItem(
        Open.AGAINST,
        said % {"match": match.ident, "card": one.state.score.line, "result": one.result_line},
        "pairing:desk_decide",
        changed_at(one.state) if one.waits else one.state.clock.counts_since,
        ident=match.ident,
        query=f"?ending={ending}" if points is not None else "",
        act=_("Decide the match"),
    )


def _of_all_cards(one: CountedCard, *, is_over: bool) -> AttentionItem:
    """Return the item for an event with two sides, in which the result is the sum of all cards."""
    said = _("The card was changed to %(card)s after the result was made. The result follows when all have signed.")
    if is_over:
        said = _(
            "The card was changed to %(card)s after the result was made. Open the event again: the result follows when "
            "all have signed."
        )
    words = {"card": one.state.score.line}
    return AttentionItem(
        Open.AGAINST, said % words, "scoring:desk_rounds", changed_at(one.state), act=_("Look at the rounds")
    )


def _to_sign(one: CountedCard) -> AttentionItem:
    """Return the item for a card that was changed after it was posted. The result stays until all sign again."""
    if one.state.is_complete:
        act = _("Collect the signatures")
        said = _(
            "Match %(match)s, game %(game)s: the card was corrected to %(card)s and waits for signatures. "
            "Until then the result stays: %(result)s."
        )
    else:
        act = _("Complete the card")
        said = _(
            "Match %(match)s, game %(game)s: the card was changed to %(card)s and is not complete. "
            "Until it is, and all have signed, the result stays: %(result)s."
        )
    if one.is_by_desk and one.state.is_complete:
        said = _(
            "Match %(match)s, game %(game)s: the card was corrected to %(card)s and waits for signatures. "
            "The desk decided the result before that, and it stays: %(result)s."
        )
    card = one.state.card
    words = {"match": card.match.ident, "game": card.game, "card": one.state.score.line, "result": one.result_line}
    return AttentionItem(
        Open.AGAINST, said % words, "scoring:desk_card_lines", changed_at(one.state), token=card.token, act=act
    )
