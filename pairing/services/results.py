"""How matches end: by a posted card, or by the desk's word; a correction is a new result that supersedes one."""

from __future__ import annotations

from collections.abc import Mapping

from pairing.draws import Cause, Changes, MatchOutcome, changes, make_progress
from pairing.models import Match, MatchResult
from pairing.selectors.brackets import load_facts, load_posted_draw, load_progress, write_credits
from tournament.errors import Conflict, DomainError, NeedsReason
from tournament.models import Entrant, EntrantFact, Event
from tournament.permissions import Actor, require
from tournament.services.record import Note, writing

Kind = EntrantFact.Kind


def record_result(
    note: Note, match: Match, outcome: MatchOutcome, *, score: Mapping[int, int] | None = None
) -> MatchResult:
    """Inside an open write: the winner moves up at once. An earlier result of the match is superseded."""
    last = match.results.filter(superseded_by__isnull=True).order_by("-pk").first()
    winner = None
    if outcome.winner is not None:
        winner = Entrant.objects.get(event_id=match.event_id, number=outcome.winner)
    return MatchResult.objects.create(
        match=match,
        winner=winner,
        credits=write_credits(outcome),
        score={str(number): points for number, points in (score or {}).items()},
        supersedes=last,
        **note.signed(),
    )


def decide_match(
    match: Match, winner: Entrant | None, cause: Cause, *, by: Actor, reason: str, key: str = "", override: bool = False
) -> MatchResult:
    """The desk's word: a walk-over, a no-show, both absent (no winner), or a corrected winner.

    Raises:
        Conflict: `not-in-play`, `no-opponent`, `not-a-side`.
        NeedsReason: `touches-later`: later matches were played already; say so with `override`.
    """
    require(by, "desk", match.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", "Write down why: it stays in the record beside the result.")
    with writing(match.event, verb="match.decided", by=by, reason=reason, key=key) as note:
        if note.repeated:
            return MatchResult.objects.get(pk=note.outcome["result"])
        sides = _sides(_event(note), match)
        outcome = _outcome(match, sides, winner, cause)
        _refuse_upset(_event(note), match, outcome, override)
        result = record_result(note, match, outcome)
        note.about(match, result=result.pk, winner=outcome.winner, cause=cause.value)
        return result


def remove_entrant(entrant: Entrant, kind: str, *, by: Actor, reason: str, key: str = "") -> Entrant:
    """Out after the draw: withdrawn, no-show or disqualified; every opponent from here on has a walk-over."""
    require(by, "direct" if kind == Kind.DISQUALIFIED else "desk", entrant.event.tournament)
    if kind not in (Kind.WITHDRAWN, Kind.NO_SHOW, Kind.DISQUALIFIED):
        raise DomainError("bad-kind", "An entrant goes out as withdrawn, as no-show or disqualified.")
    if not reason.strip():
        raise DomainError("reason-needed", "Write down why the entrant is out: it stays in the record.")
    with writing(entrant.event, verb=f"entrant.{kind}", by=by, reason=reason, key=key) as note:
        if note.repeated:
            return Entrant.objects.get(pk=entrant.pk)
        locked = Entrant.objects.get(pk=entrant.pk)
        if load_progress(_event(note)) is None:
            raise Conflict("not-drawn", "The draw is not posted: withdraw the entrant on the list of entrants instead.")
        if locked.state == Entrant.State.REMOVED and kind != Kind.DISQUALIFIED:
            raise Conflict("out-already", f"{locked.name} is out already. Nothing was changed.")
        EntrantFact.objects.create(entrant=locked, kind=kind, data={"drawn": True}, **note.signed())
        locked.state = Entrant.State.REMOVED
        locked.save(update_fields=["state"])
        note.about(locked, kind=kind)
        return locked


def touched_by(event: Event, match: Match, winner: Entrant | None, cause: Cause) -> Changes:
    """What such a decision would change, before anything is done."""
    outcome = _outcome(match, _sides(event, match), winner, cause)
    draw = load_posted_draw(event)
    before = load_progress(event)
    if draw is None or before is None:
        raise Conflict("not-drawn", "The bracket is not drawn yet.")
    return changes(before, make_progress(before.bracket, [*load_facts(event, draw), outcome]))


def _refuse_upset(event: Event, match: Match, outcome: MatchOutcome, override: bool) -> None:
    """A later match that was decided by play and would get another side needs to be overridden."""
    draw, before = load_posted_draw(event), load_progress(event)
    if draw is None or before is None:
        raise Conflict("not-drawn", "The bracket is not drawn yet.")
    after = make_progress(before.bracket, [*load_facts(event, draw), outcome])
    upset = [ident for ident in changes(before, after).reopened if ident != match.ident]
    if upset and not override:
        raise NeedsReason(
            "touches-later",
            f"Later matches were decided with another entrant: {', '.join(upset)}. They would be open again. "
            "Tick “do it all the same” if that is right.",
            warnings=upset,
        )


def _sides(event: Event, match: Match) -> tuple[int, ...]:
    progress = load_progress(event)
    if progress is None or event.state != Event.State.IN_PLAY:
        raise Conflict("not-in-play", "Results are taken while the event is in play.")
    entries = progress[match.ident].entries
    if len(entries) != 2:
        raise Conflict("no-opponent", "The players of this match are not both known. Look at the bracket.")
    return entries


def _outcome(match: Match, sides: tuple[int, ...], winner: Entrant | None, cause: Cause) -> MatchOutcome:
    if winner is None:
        if cause is Cause.VOID:
            return MatchOutcome.void(match.ident, sides)
        return MatchOutcome.won_by_nobody(match.ident, sides, cause)
    if winner.number not in sides:
        raise Conflict("not-a-side", f"{winner.name} does not play in this match.")
    loser = next(side for side in sides if side != winner.number)
    return MatchOutcome.won(match.ident, winner.number, loser, cause)


def _event(note: Note) -> Event:
    if note.event is None:
        raise LookupError("this write belongs to an event")
    return note.event
