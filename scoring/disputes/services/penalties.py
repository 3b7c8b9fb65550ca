"""Penalties imposed by rulings: lost games and matches, removals from the event, and the players' penalty records."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from pairing.desk.services.pairings import add_penalty
from pairing.draws.results import ResultCause
from pairing.models import Match, MatchResult
from pairing.results.services.corrections import record_entrant_return, record_result_undo
from pairing.results.services.results import MatchDecision, record_decision, record_removal
from pairing.stages.selectors.course import load_event_stages, load_match_sides
from pairing.stages.selectors.plans import load_stage_traits
from scoring.card_state.selectors.cards import load_match_cards
from scoring.card_state.selectors.players import load_seated_match
from scoring.card_state.tables import LOST_GAME_MATCH_KEY
from scoring.disputes.selectors.disputes import DisputeSide, DisputeState
from scoring.models import ConductPenalty, ConductPenaltyLifted, Dispute, Ruling
from scoring.posting.selectors.results import is_best_of_several
from scoring.posting.services.opening import get_or_create_rule_sheet, open_next_card
from scoring.posting.services.posting import record_result_from_cards
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.recommend import MATCH_OFFENSES, PENALTIES
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, EntrantFact, Event, Member

_Effect = dict[str, Any]
"""A penalty as it is stored with the ruling: the side, the entry, the effect, and the lost match if there is one."""
_REMOVALS = {
    RulingDecision.ELIMINATION: EntrantFact.Kind.ELIMINATED,
    RulingDecision.DISQUALIFICATION: EntrantFact.Kind.DISQUALIFIED,
}


def apply_penalties(
    write: WriteTransaction, state: DisputeState, penalties: Mapping[str, RulingDecision], why: str
) -> list[_Effect]:
    """Apply each side's penalty in the caller's transaction. `penalties` is keyed by the side's letter.

    Return the penalties as they are stored with the ruling.

    Raises:
        DomainError: `bad-penalty`, `nobody`, `penalised-already`.
        Conflict: `no-game-to-lose`, and the conflicts that `record_removal` raises.
    """
    sides = {letter: state.find_side(letter) for letter in sorted(penalties)}
    if None in sides.values():
        raise DomainError("nobody", _("That side is not part of this dispute. Choose who gets the penalty."))
    if any(effect not in PENALTIES for effect in penalties.values()):
        raise DomainError("bad-penalty", _("That is not a penalty. Choose one from the list."))
    _require_first_penalty(state, [side for side in sides.values() if side is not None])
    penalized = [(_require_entrant(side), penalties[letter]) for letter, side in sides.items() if side is not None]
    losers = [entrant for entrant, effect in penalized if effect is RulingDecision.GAME_LOSS]
    removed = [entrant for entrant, effect in penalized if effect in _REMOVALS]
    lost = _impose_game_losses(write, state, losers, why) | _record_loss_for_both(
        write, state.dispute.event, removed, why
    )
    effects: list[_Effect] = []
    for letter, (entrant, effect) in zip(sides, penalized, strict=True):
        done: _Effect = {"side": letter, "entry": entrant.number, "effect": str(effect), **lost.get(entrant.pk, {})}
        if effect in _REMOVALS:
            done["out"] = _remove_if_present(write, entrant, _REMOVALS[effect])
        effects.append(done)
    return effects


def record_penalties(write: WriteTransaction, ruling: Ruling, effects: Sequence[_Effect], offence: str) -> None:
    """Add the penalties to the players' records, which carry over into later events.

    If a lost game decides a best-of-several match, the result of the match is recorded.
    """
    for effect in effects:
        entrant = Entrant.objects.get(event=ruling.dispute.event, number=effect["entry"])
        penalty = ConductPenalty.objects.create(
            entrant=entrant, ruling=ruling, effect=effect["effect"], offence=offence, **write.fact_fields()
        )
        write.log_row_digest("conduct", penalty)
        players = Member.objects.filter(entrant=entrant, replaced_by__isnull=True).values_list("player", flat=True)
        penalty.players.set(players)
    _settle_matches(write, effects)


def undo_penalties(write: WriteTransaction, ruling: Ruling) -> None:
    """Undo the penalties of a ruling that was replaced or rejected, in the caller's transaction.

    Results and removals that somebody has changed since then are not touched.
    """
    for penalty in ruling.penalties.filter(lifted__isnull=True):
        ConductPenaltyLifted.objects.create(penalty=penalty, **write.fact_fields())
    undone = set()
    for effect in ruling.effects.get("penalties", ()):
        result = MatchResult.objects.filter(pk=effect.get("result"), superseded_by__isnull=True).first()
        if result is not None and result.pk not in undone:
            undone.add(result.pk)
            record_result_undo(write, result)
        entrant = Entrant.objects.get(event=ruling.dispute.event, number=effect["entry"])
        if effect.get("out") and entrant.state == Entrant.State.REMOVED:
            record_entrant_return(write, entrant)
    _settle_matches(write, ruling.effects.get("penalties", ()))


def lift_penalty(penalty: ConductPenalty, *, by: Actor, reason: str, key: str = "") -> ConductPenaltyLifted:
    """Lift a penalty, so that it no longer counts in later rulings.

    If the penalty was the loss of a single game, this game no longer counts as lost, and its match is updated. The loss
    of a whole match, or a removal, stays in force until staff correct it.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `lifted-already`.
    """
    require_permission(by, "direct", penalty.entrant.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", _("Write why it no longer counts."))
    with writing(
        penalty.entrant.event, verb="penalty.lifted", by=by, reason=reason, key=make_idempotency_key(key, penalty.pk)
    ) as write:
        if write.repeated:
            return ConductPenaltyLifted.objects.get(pk=write.outcome["lifted"])
        if ConductPenaltyLifted.objects.filter(penalty=penalty).exists():
            raise Conflict("lifted-already", _("The penalty was lifted already. Nothing was changed."))
        lifted = ConductPenaltyLifted.objects.create(penalty=penalty, **write.fact_fields())
        _settle_matches(write, penalty.ruling.effects.get("penalties", ()) if penalty.ruling else ())
        write.about(penalty, penalty=penalty.pk, lifted=lifted.pk)
        return lifted


def _require_entrant(side: DisputeSide) -> Entrant:
    if side.entrant is None:
        raise DomainError(
            "nobody", _("%(name)s is a team. Penalize the entrants on their own pages.") % {"name": side.name}
        )
    return side.entrant


def _require_first_penalty(state: DisputeState, sides: Iterable[DisputeSide]) -> None:
    """Raise DomainError if a side was already penalized for this offense in this match, even by another ruling."""
    match = state.dispute.match
    if match is None or state.kind not in MATCH_OFFENSES:
        return
    entrants = [side.entrant for side in sides if side.entrant is not None]
    other = Dispute.objects.filter(match=match).exclude(pk=state.dispute.pk)
    penalties = ConductPenalty.objects.filter(
        ruling__dispute__in=other, ruling__kind=state.kind, entrant__in=entrants, lifted__isnull=True
    )
    earlier = penalties.select_related("entrant", "ruling").first()
    if earlier is not None and earlier.ruling is not None:
        raise DomainError(
            "penalised-already",
            _(
                "%(name)s was already penalized for this in ruling %(number)s. Nobody is penalized twice for "
                "one offense."
            )
            % {"name": earlier.entrant.name, "number": earlier.ruling.number},
        )


def _impose_game_losses(
    write: WriteTransaction, state: DisputeState, losers: Sequence[Entrant], why: str
) -> dict[int, _Effect]:
    """Make each penalized entrant lose one game of a best-of-several match, or else a whole match.

    The loss of a whole match is recorded immediately. In a pool, this can be an extra loss outside of any match. The
    loss of a single game is only included in the returned effects, and `record_penalties` updates the match later.

    Return the effects to store with the ruling, keyed by the entrant's primary key.
    """
    event = state.dispute.event
    matches = {loser.pk: _find_match_to_lose(event, state, loser) for loser in losers}
    lost: dict[int, _Effect] = {
        loser: {"match": match.ident, LOST_GAME_MATCH_KEY: match.pk}
        for loser, match in matches.items()
        if match is not None and state.kind not in MATCH_OFFENSES and _can_lose_single_game(event, match)
    }
    whole = [loser for loser in losers if loser.pk not in lost]
    shared = matches[whole[0].pk] if len(whole) > 1 else None
    if shared is not None and shared == matches[whole[1].pk]:
        result = _record_match_loss(write, shared, None, why)
        return lost | {loser.pk: _make_effect(result) for loser in whole}
    for loser in whole:
        match = matches[loser.pk]
        if match is not None:
            lost[loser.pk] = _make_effect(_record_match_loss(write, match, loser, why))
        else:
            extra = add_penalty(write, loser).results.last()
            assert extra is not None
            lost[loser.pk] = _make_effect(extra)
    return lost


def _record_loss_for_both(
    write: WriteTransaction, event: Event, removed: Sequence[Entrant], why: str
) -> dict[int, _Effect]:
    """Record a loss for both players of a match if both are removed at the same time.

    If they were removed one after the other, the first removal would let the second player advance.
    """
    matches = [_find_current_match(event, entrant) for entrant in removed]
    if len(removed) < 2 or matches[0] is None or matches[0] != matches[1]:
        return {}
    if not load_match_sides(event, matches[0]).winner_advances:
        return {}
    result = _record_match_loss(write, matches[0], None, why)
    return {entrant.pk: _make_effect(result) for entrant in removed}


def _make_effect(result: MatchResult) -> _Effect:
    return {"match": result.match.ident, "result": result.pk}


def _can_lose_single_game(event: Event, match: Match) -> bool:
    """Return whether an undecided match is a best-of-several match whose winner advances."""
    sides = load_match_sides(event, match)
    return sides.winner_advances and not sides.is_decided and is_best_of_several(match)


def _settle_matches(write: WriteTransaction, effects: Iterable[_Effect]) -> None:
    """Update matches after a single game was lost as a penalty, or after such a penalty was undone."""
    for match in Match.objects.filter(
        pk__in={effect[LOST_GAME_MATCH_KEY] for effect in effects if LOST_GAME_MATCH_KEY in effect}
    ):
        meeting = load_seated_match(match)
        if not load_match_cards(match.pk, meeting.cards_key):
            open_next_card(meeting, 1, get_or_create_rule_sheet(match.event))
        record_result_from_cards(write, meeting, load_match_cards(match.pk, meeting.cards_key))


def _record_match_loss(write: WriteTransaction, match: Match, loser: Entrant | None, why: str) -> MatchResult:
    """Record a match that was lost as a penalty. If `loser` is None, both sides lose it."""
    winner = None
    if loser is not None:
        assert match.event_id is not None
        numbers = load_match_sides(match.event, match).numbers
        other = next(number for number in numbers if number != loser.number)
        winner = Entrant.objects.get(event_id=match.event_id, number=other)
    decision = MatchDecision(match=match, winner=winner, cause=ResultCause.PENALTY, reason=why, override=True)
    return record_decision(write, decision)


def _find_match_to_lose(event: Event, state: DisputeState, loser: Entrant) -> Match | None:
    """Return the match that the loser forfeits.

    This is the match of the offense if it can still be forfeited, or else the loser's current match. Return None in a
    pool, where a penalty is an extra loss outside of any match.

    Raises:
        Conflict: `no-game-to-lose`.
    """
    if not load_stage_traits(event).two_meet:
        raise Conflict(
            "no-game-to-lose",
            _(
                "In this event totals decide, and nobody wins or loses a game. Warn, eliminate or "
                "disqualify, or correct the hand on its score card."
            ),
        )
    match, course = state.dispute.match, load_event_stages(event)
    is_in_match = match is not None and _is_side_of_match(event, match, loser)
    in_pool = course.pool is not None
    if match is not None and is_in_match and state.kind in MATCH_OFFENSES:
        return match
    if match is not None and is_in_match and not (in_pool or load_match_sides(event, match).is_decided):
        return match
    if in_pool and not course.current_stage.kind.traits.all_meet:
        return None
    current = _find_current_match(event, loser)
    if current is not None:
        return current
    if is_in_match:
        return match
    raise Conflict(
        "no-game-to-lose",
        _("%(name)s has no match now that could be lost. Warn, eliminate, or rule when the next match is known.")
        % {"name": loser.name},
    )


def _is_side_of_match(event: Event, match: Match, entrant: Entrant) -> bool:
    try:
        return entrant.number in load_match_sides(event, match).numbers
    except Conflict:
        return False


def _find_current_match(event: Event, entrant: Entrant) -> Match | None:
    """Return the first match that an entrant is playing or ready to play, or None."""
    stages = load_event_stages(event).stages
    idents = (
        [ident for ident in stages[-1].ready_matches if entrant.number in stages[-1].match_states[ident].sides]
        if stages
        else []
    )
    rows = event.matches.filter(ident__in=idents[:1], draw__posted__isnull=False, draw__taken_back__isnull=True)
    return rows.filter(stage__taken_back__isnull=True).select_related("event__tournament").first()


def _remove_if_present(write: WriteTransaction, entrant: Entrant, kind: EntrantFact.Kind) -> bool:
    """Remove an entrant from the event, and return whether that changed anything."""
    if Entrant.objects.get(pk=entrant.pk).state == Entrant.State.REMOVED and kind != EntrantFact.Kind.DISQUALIFIED:
        return False
    record_removal(write, entrant, kind)
    return True
