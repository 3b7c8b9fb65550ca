"""How matches end: by a posted card, or by the desk's word; a correction is a new result that supersedes one."""

from __future__ import annotations

from collections.abc import Mapping

from pairing.draws import (
    Cause,
    Changes,
    Credit,
    MatchOutcome,
    Progress,
    StageKind,
    changes,
    make_bracket,
    make_progress,
)
from pairing.models import Match, MatchResult
from pairing.selectors.brackets import load_facts, load_posted_draw, load_progress, write_credits
from pairing.selectors.tables import drawn_entries
from pairing.services.stages import advance_play_off
from tournament.errors import Conflict, DomainError, NeedsReason
from tournament.models import Entrant, EntrantFact, Event
from tournament.permissions import Actor, require
from tournament.services.record import Note, writing

Kind = EntrantFact.Kind


def record_result(
    note: Note, match: Match, outcome: MatchOutcome, *, score: Mapping[int, int] | None = None
) -> MatchResult:
    """Inside an open write: the winner moves up at once. An earlier result of the match is superseded."""
    return record_credits(note, match, outcome.winner, outcome.credits, score=score)


def record_credits(
    note: Note,
    match: Match,
    winner: int | None,
    credits: Mapping[int, Credit],
    *,
    score: Mapping[int, int] | None = None,
) -> MatchResult:
    """Inside an open write: what each side gets, of as many sides as there are, by entry number."""
    last = match.results.filter(superseded_by__isnull=True).order_by("-pk").first()
    won = Entrant.objects.get(event_id=match.event_id, number=winner) if winner is not None else None
    result = MatchResult.objects.create(
        match=match,
        winner=won,
        credits=write_credits(credits),
        score={str(number): points for number, points in (score or {}).items()},
        supersedes=last,
        **note.signed(),
    )
    if match.stage is not None and match.stage.kind == StageKind.PLAY_OFF:
        advance_play_off(note)
    return result


WON_BY = frozenset({Cause.PLAYED, Cause.TIME, Cause.FORFEIT, Cause.NO_SHOW, Cause.DISQUALIFIED, Cause.PENALTY})
WON_BY_NOBODY = frozenset({Cause.BOTH_ABSENT, Cause.PENALTY, Cause.FORFEIT, Cause.VOID})


def decide_match(
    match: Match,
    winner: Entrant | None,
    cause: Cause,
    *,
    by: Actor,
    reason: str,
    key: str = "",
    override: bool = False,
    seen: int | None = None,
) -> MatchResult:
    """The desk's word: a walk-over, a no-show, both absent (no winner), or a corrected winner.

    `seen` is the newest result (its primary key, 0 for none) that whoever decides had before his eyes.

    Raises:
        DomainError: `reason-needed`, `bad-cause`.
        Conflict: `not-in-play`, `no-opponent`, `not-a-side`, `decided-meanwhile`.
        NeedsReason: `touches-later`: later matches were played already; say so with `override`.
    """
    require(by, "desk", match.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", "Write down why: it stays in the record beside the result.")
    if cause not in (WON_BY_NOBODY if winner is None else WON_BY):
        raise DomainError("bad-cause", "That cause does not go with who goes on. Choose who goes on and why once more.")
    with writing(match.event, verb="match.decided", by=by, reason=reason, key=key) as note:
        if note.repeated:
            return MatchResult.objects.get(pk=note.outcome["result"])
        refuse_unseen(match, seen)
        sides = _sides(_event(note), match)
        outcome = _outcome(match, sides, winner, cause)
        _refuse_upset(upset_by(_event(note), match, winner, cause), override)
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
        _refuse_outside_play(_event(note), locked)
        if locked.state == Entrant.State.REMOVED and kind != Kind.DISQUALIFIED:
            raise Conflict("out-already", f"{locked.name} is out already. Nothing was changed.")
        EntrantFact.objects.create(entrant=locked, kind=kind, data={"drawn": True}, **note.signed())
        locked.state = Entrant.State.REMOVED
        locked.save(update_fields=["state"])
        note.about(locked, kind=kind)
        return locked


def _refuse_outside_play(event: Event, entrant: Entrant) -> None:
    drawn = drawn_entries(event)
    if drawn is None:
        raise Conflict("not-drawn", "The draw is not posted: withdraw the entrant on the list of entrants instead.")
    if event.state == Event.State.FINISHED:
        raise Conflict("finished", "The event is finished: open it again first, with a reason.")
    if entrant.number not in drawn:
        raise Conflict("not-in-draw", f"{entrant.name} is not in the draw. Look at the list of entrants.")


def touched_by(event: Event, match: Match, winner: Entrant | None, cause: Cause) -> Changes:
    """What such a decision would change, before anything is done."""
    return changes(*_before_and_after(event, _outcome(match, _sides(event, match), winner, cause)))


def upset_by(event: Event, match: Match, winner: Entrant | None, cause: Cause) -> tuple[str, ...]:
    """Later matches whose recorded result would hold no more, as another entrant would stand there."""
    before, after = _before_and_after(event, _outcome(match, _sides(event, match), winner, cause))
    recorded = (view for view in before.views.values() if view.outcome is not None and not view.by_itself)
    return tuple(
        view.match.id
        for view in recorded
        if view.match.id != match.ident and after[view.match.id].outcome is not view.outcome
    )


def _before_and_after(event: Event, outcome: MatchOutcome) -> tuple[Progress, Progress]:
    draw = load_posted_draw(event)
    if draw is None:
        raise Conflict("not-drawn", "The bracket is not drawn yet.")
    bracket, facts = make_bracket(draw.places), load_facts(event, draw)
    return make_progress(bracket, facts), make_progress(bracket, [*facts, outcome])


def _refuse_upset(upset: tuple[str, ...], override: bool) -> None:
    if upset and not override:
        raise NeedsReason(
            "touches-later",
            f"Later matches were decided with another entrant: {', '.join(upset)}. They would be open again. "
            "Tick “do it all the same” if that is right.",
            warnings=list(upset),
        )


def refuse_unseen(match: Match, seen: int | None) -> None:
    """Two desks at one match: the second shall not correct a result that it never saw."""
    if seen is None:
        return
    last = match.results.select_related("winner").order_by("-pk").first()
    if last is not None and last.pk != seen:
        who = f"{last.winner.name if last.winner else 'nobody'} {'goes on' if match.seating_id is None else 'won'}"
        raise Conflict(
            "decided-meanwhile",
            f"{last.by_name} recorded a result meanwhile: {who}. Look at it; record yours only to correct it.",
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
