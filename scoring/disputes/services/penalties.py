"""Penalties by rulings: the record of the people, and the effects on games and on the event."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from pairing.desk.services.pairings import add_penalty
from pairing.draws.results import Cause
from pairing.models import Match, MatchResult
from pairing.results.services.corrections import record_return, record_undo
from pairing.results.services.results import MatchDecision, record_decision, record_removal
from pairing.stages.selectors.course import load_course, sides_of
from pairing.stages.selectors.plans import traits_of
from scoring.card_state.selectors.cards import load_match_cards
from scoring.card_state.selectors.players import load_meeting
from scoring.card_state.tables import GAME_OF
from scoring.disputes.selectors.disputes import DisputeSide, DisputeState
from scoring.models import ConductPenalty, ConductPenaltyLifted, Dispute, Ruling
from scoring.posting.selectors.results import is_best_of_several
from scoring.posting.services.opening import open_next_card, require_current_sheet
from scoring.posting.services.posting import settle_match
from scoring.rules.irregularities.case import Decision
from scoring.rules.rulings.recommend import ON_A_MATCH, PENALTIES
from scoring.seals.services.sealing import log_row
from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, EntrantFact, Event, Member

Did = dict[str, Any]
"""An effect of a ruling on a side, as the ruling records it."""
OUT = {Decision.ELIMINATION: EntrantFact.Kind.ELIMINATED, Decision.DISQUALIFICATION: EntrantFact.Kind.DISQUALIFIED}


def apply_penalties(write: Write, state: DisputeState, penalties: Mapping[str, Decision], why: str) -> list[Did]:
    """Apply penalties inside an open write. Return an item for each side, for the ruling's record.

    Raises:
        DomainError: `bad-penalty`, `nobody`, `penalised-already`.
        Conflict: `no-game-to-lose`, and the refusals of removing an entrant.
    """
    punished = [(_require_side(state, letter), effect) for letter, effect in sorted(penalties.items())]
    if any(effect not in PENALTIES for _side, effect in punished):
        raise DomainError("bad-penalty", _("That is not a penalty. Choose one from the list."))
    _refuse_twice(state, [side for side, _effect in punished])
    entrants = [(side.letter, _require_entrant(side), effect) for side, effect in punished]
    did = [{"side": letter, "entry": entrant.number, "effect": str(effect)} for letter, entrant, effect in entrants]
    lost = [entrant for _letter, entrant, effect in entrants if effect is Decision.GAME_LOSS]
    out = [entrant for _letter, entrant, effect in entrants if effect in OUT]
    games = _lose_games(write, state, lost, why) | _lose_shared_match(write, state.dispute.event, out, why)
    for (_letter, entrant, effect), done in zip(entrants, did, strict=True):
        done |= games.get(entrant.pk, {})
        if effect in OUT:
            done["out"] = _remove_if_in(write, entrant, OUT[effect])
    return did


def record_penalties(write: Write, ruling: Ruling, did: Iterable[Did], offence: str) -> None:
    """Record the penalties of the people in the entries, who carry them into later events.

    Call it inside an open write. A game lost in a match of several games counts from then on and may decide the match.
    """
    did = list(did)
    for done in did:
        entrant = Entrant.objects.get(event=ruling.dispute.event, number=done["entry"])
        penalty = ConductPenalty.objects.create(
            entrant=entrant, ruling=ruling, effect=done["effect"], offence=offence, **write.fact_fields()
        )
        log_row(write, "conduct", penalty)
        people = Member.objects.filter(entrant=entrant, replaced_by__isnull=True).values_list("player", flat=True)
        penalty.players.set(people)
    _settle_matches(write, did)


def undo_penalties(write: Write, ruling: Ruling) -> None:
    """Undo the penalties of a ruling that is no longer in force, inside an open write.

    Results and removals that somebody has changed since are left alone.
    """
    for penalty in ruling.penalties.filter(lifted__isnull=True):
        ConductPenaltyLifted.objects.create(penalty=penalty, **write.fact_fields())
    undone = set()
    for did in ruling.effects.get("penalties", ()):
        result = MatchResult.objects.filter(pk=did.get("result"), superseded_by__isnull=True).first()
        if result is not None and result.pk not in undone:
            undone.add(result.pk)
            record_undo(write, result)
        entrant = Entrant.objects.get(event=ruling.dispute.event, number=did["entry"])
        if did.get("out") and entrant.state == Entrant.State.REMOVED:
            record_return(write, entrant)
    _settle_matches(write, ruling.effects.get("penalties", ()))


def lift_penalty(penalty: ConductPenalty, *, by: Actor, reason: str, key: str = "") -> ConductPenaltyLifted:
    """Lift a penalty, so that it no longer counts as an earlier warning.

    A game lost in a match of several games is open again. Results and removals stay. The desk corrects a result on the
    match's page, and brings an entrant back on the entrant's page.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `lifted-already`.
    """
    require(by, "direct", penalty.entrant.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", _("Write why it no longer counts."))
    with writing(
        penalty.entrant.event, verb="penalty.lifted", by=by, reason=reason, key=scoped_key(key, penalty.pk)
    ) as write:
        if write.repeated:
            return ConductPenaltyLifted.objects.get(pk=write.outcome["lifted"])
        if ConductPenaltyLifted.objects.filter(penalty=penalty).exists():
            raise Conflict("lifted-already", _("The penalty was lifted already. Nothing was changed."))
        lifted = ConductPenaltyLifted.objects.create(penalty=penalty, **write.fact_fields())
        _settle_matches(write, penalty.ruling.effects.get("penalties", ()) if penalty.ruling else ())
        write.about(penalty, penalty=penalty.pk, lifted=lifted.pk)
        return lifted


def _require_side(state: DisputeState, letter: str) -> DisputeSide:
    side = state.side(letter)
    if side is None:
        raise DomainError("nobody", _("That side is not part of this dispute. Choose who gets the penalty."))
    return side


def _require_entrant(side: DisputeSide) -> Entrant:
    if side.entrant is None:
        raise DomainError(
            "nobody", _("%(name)s is a team. Penalize the entrants on their own pages.") % {"name": side.name}
        )
    return side.entrant


def _refuse_twice(state: DisputeState, sides: Iterable[DisputeSide]) -> None:
    """Refuse a second penalty for the same kind of offense in a match, even from another dispute."""
    match = state.dispute.match
    if match is None or state.kind not in ON_A_MATCH:
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


def _lose_games(write: Write, state: DisputeState, losers: Sequence[Entrant], why: str) -> dict[int, Did]:
    """Record the loss of a game by each loser. Return items for the ruling's record.

    The opponent is not credited with a win. The items are keyed by the entrants' primary keys.
    """
    event = state.dispute.event
    matches = {loser.pk: _match_to_lose(event, state, loser) for loser in losers}
    lost: dict[int, Did] = {
        loser: {"match": match.ident, GAME_OF: match.pk}
        for loser, match in matches.items()
        if match is not None and state.kind not in ON_A_MATCH and _has_game_to_lose(event, match)
    }
    whole = [loser for loser in losers if loser.pk not in lost]
    shared = matches[whole[0].pk] if len(whole) > 1 else None
    if shared is not None and shared == matches[whole[1].pk]:
        result = _lose(write, shared, None, why)
        return lost | {loser.pk: _effect_of(result) for loser in whole}
    for loser in whole:
        match = matches[loser.pk]
        result = _lose_extra_game(write, loser) if match is None else _lose(write, match, loser, why)
        lost[loser.pk] = _effect_of(result)
    return lost


def _lose_shared_match(write: Write, event: Event, out: Sequence[Entrant], why: str) -> dict[int, Did]:
    """Record a loss for both if two opponents are removed at once.

    Otherwise the second one would advance, because the first one was removed before.
    """
    matches = [_current_match(event, entrant) for entrant in out]
    if len(out) < 2 or matches[0] is None or matches[0] != matches[1]:
        return {}
    if not sides_of(event, matches[0]).winner_advances:
        return {}
    result = _lose(write, matches[0], None, why)
    return {entrant.pk: _effect_of(result) for entrant in out}


def _effect_of(result: MatchResult) -> Did:
    return {"match": result.match.ident, "result": result.pk}


def _has_game_to_lose(event: Event, match: Match) -> bool:
    """Return whether a single game of an open match can be lost: several wins are needed and a side goes on."""
    sides = sides_of(event, match)
    return sides.winner_advances and not sides.is_decided and is_best_of_several(match)


def _settle_matches(write: Write, did: Iterable[Did]) -> None:
    """Settle the matches in which single games were lost or restored."""
    for match in Match.objects.filter(pk__in={done[GAME_OF] for done in did if GAME_OF in done}):
        meeting = load_meeting(match)
        if not load_match_cards(match.pk, meeting.key):
            open_next_card(meeting, 1, require_current_sheet(match.event))
        settle_match(write, meeting, load_match_cards(match.pk, meeting.key))


def _lose_extra_game(write: Write, loser: Entrant) -> MatchResult:
    """Record a lost game outside any match, in a pool."""
    result = add_penalty(write, loser).results.last()
    assert result is not None
    return result


def _lose(write: Write, match: Match, loser: Entrant | None, why: str) -> MatchResult:
    """Record a match lost by penalty. `loser` None means that both sides lose it."""
    winner = None
    if loser is not None:
        assert match.event_id is not None
        numbers = sides_of(match.event, match).numbers
        other = next(number for number in numbers if number != loser.number)
        winner = Entrant.objects.get(event_id=match.event_id, number=other)
    decision = MatchDecision(match=match, winner=winner, cause=Cause.PENALTY, reason=why, override=True)
    return record_decision(write, decision)


def _match_to_lose(event: Event, state: DisputeState, loser: Entrant) -> Match | None:
    """Return the match to lose: the match of the offense, or the loser's current match.

    Return None to record a game outside any match.

    Raises:
        Conflict: `no-game-to-lose`.
    """
    if not traits_of(event).two_meet:
        raise Conflict(
            "no-game-to-lose",
            _(
                "In this event totals decide, and nobody wins or loses a game. Warn, eliminate or "
                "disqualify, or correct the hand on its score card."
            ),
        )
    match, course = state.dispute.match, load_course(event)
    is_in_match = match is not None and _plays_in(event, match, loser)
    in_pool = course.pool is not None
    if match is not None and is_in_match and state.kind in ON_A_MATCH:
        return match
    if match is not None and is_in_match and not (in_pool or sides_of(event, match).is_decided):
        return match
    if in_pool and not course.current.kind.traits.all_meet:
        return None
    current = _current_match(event, loser)
    if current is not None:
        return current
    if is_in_match:
        return match
    raise Conflict(
        "no-game-to-lose",
        _("%(name)s has no match now that could be lost. Warn, eliminate, or rule when the next match is known.")
        % {"name": loser.name},
    )


def _plays_in(event: Event, match: Match, entrant: Entrant) -> bool:
    try:
        return entrant.number in sides_of(event, match).numbers
    except Conflict:
        return False


def _current_match(event: Event, entrant: Entrant) -> Match | None:
    """Return the match that an entrant is playing or can play, the first of several in a group."""
    stages = load_course(event).stages
    idents = (
        [ident for ident in stages[-1].ready if entrant.number in stages[-1].match_states[ident].sides]
        if stages
        else []
    )
    rows = event.matches.filter(ident__in=idents[:1], draw__posted__isnull=False, draw__taken_back__isnull=True)
    return rows.filter(stage__taken_back__isnull=True).select_related("event__tournament").first()


def _remove_if_in(write: Write, entrant: Entrant, kind: EntrantFact.Kind) -> bool:
    """Remove an entrant and return whether that changed anything.

    An entrant who is out already is removed again only to be disqualified.
    """
    if Entrant.objects.get(pk=entrant.pk).state == Entrant.State.REMOVED and kind != EntrantFact.Kind.DISQUALIFIED:
        return False
    record_removal(write, entrant, kind)
    return True
