"""The results of matches, by a posted card or by a decision of the desk. A correction supersedes a result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.knockout.corrections import DoubleBooked, LaterChoice
from pairing.draws.results import (
    BOTH_PLAYED,
    WON_BY,
    WON_BY_NOBODY,
    Cause,
    Credit,
    MatchOutcome,
    Result,
    SidesKept,
    end_match,
)
from pairing.draws.stages.corrections import Correction, LaterFact
from pairing.draws.stages.plan import StageKind
from pairing.draws.table_rounds import SeatedTable, TableOutcome
from pairing.models import (
    Match,
    MatchKept,
    MatchResult,
    TableCall,
)
from pairing.ports import StatusKind, score_cards
from pairing.results.selectors.results import load_correction, load_dependent_entries
from pairing.stages.selectors.brackets import GrowingBracket
from pairing.stages.selectors.course import MatchSides, drawn_entries, load_course, load_sides, sides_of
from pairing.stages.selectors.kinds import room_of
from pairing.stages.selectors.records import COUNTING, outcome_of, result_digest
from tournament.core.permissions import Actor, require
from tournament.core.services.previews import require_as_shown
from tournament.core.services.record import Write, require_reason, scoped_key, writing
from tournament.core.topics import raise_also
from tournament.errors import Conflict, DomainError, NeedsReason
from tournament.models import Entrant, EntrantFact, Event
from tournament.models.topic import EVERYBODY, entrant_topic

# --- Points that the desk names, or that follow from the card -------------------------------------------------------
# The points of a match that the desk decides: either the desk names them, or they follow the card.

MOST_POINTS: Final = 99_999


def points_to_record(match: Match, outcome: MatchOutcome, typed: Mapping[int, int] | None) -> Mapping[int, int]:
    """Return the points by entry number, empty if the match was not played or nobody knows them.

    Raises:
        DomainError: `bad-points`; `points-needed` if the cards, signed or not, say that somebody else or nobody has
            won.
    """
    played = outcome.winner is not None and {credit.cause for credit in outcome.credits.values()} <= BOTH_PLAYED
    if not played:
        if typed:
            raise DomainError("bad-points", _("Only a match that was played has points. Leave them empty."))
        return {}
    if typed is not None:
        _refuse_bad_points(outcome, typed)
        return dict(typed)
    return _points_on_record(match, outcome)


def _refuse_conflict_with_cards(event: Event, match: Match) -> None:
    """Refuse a decision against a signed card until its consequences have been previewed.

    Call it inside the write, after the result is recorded.

    Raises:
        NeedsReason: `against-card`.
    """
    cards = score_cards().load_card_summaries(event, [match.pk])
    found = [one for one in cards if one.kind is StatusKind.SUPERSEDED]
    if found:
        said = _("This goes against a signed score card: %(title)s. Look at the changes first.") % {
            "title": found[0].title
        }
        raise NeedsReason("against-card", said, warnings=[one.title for one in found])


def _points_on_record(match: Match, outcome: MatchOutcome) -> Mapping[int, int]:
    """Return the points of the cards if they agree, else those typed before for the same winner."""
    assert outcome.winner is not None
    cards = score_cards().load_card_points(match)
    if cards is not None:
        others = (points for number, points in cards.points.items() if number != outcome.winner)
        is_ahead = cards.winner is None and cards.points.get(outcome.winner, 0) > max(others, default=0)
        if cards.winner == outcome.winner or is_ahead:
            return cards.points
        if cards.winner:
            said = _("By the score card the other player has won. Enter both scores as they count now.")
        else:
            said = _("By the score card nobody has won yet. Enter both scores as they count now.")
        raise DomainError("points-needed", said)
    last = match.results.filter(superseded_by__isnull=True).select_related("winner", "match").last()
    if last is not None and last.score and outcome_of(last).winner == outcome.winner:
        return {int(number): points for number, points in last.score.items()}
    return {}


def _refuse_bad_points(outcome: MatchOutcome, typed: Mapping[int, int]) -> None:
    if set(typed) != set(outcome.credits):
        raise DomainError("bad-points", _("Enter the points of both players."))
    if any(abs(points) > MOST_POINTS for points in typed.values()):
        raise DomainError(
            "bad-points",
            _("A score is at most %(most_points)s points. Check it and enter it again.") % {"most_points": MOST_POINTS},
        )
    won = next(typed[number] for number in typed if number == outcome.winner)
    if any(points >= won for number, points in typed.items() if number != outcome.winner):
        raise DomainError("bad-points", _("The winner must have more points than the other player. Check both scores."))


Kind = EntrantFact.Kind
WHY_DECIDED: Final = gettext_lazy("Enter the reason. It stays on record with the result.")
LARGEST_TOTAL: Final = 99_999
CLOSED_BY: Final = frozenset({Cause.BOTH_ABSENT, Cause.FORFEIT, Cause.TIME, Cause.PENALTY, Cause.VOID})
"""The causes for which the desk can close a table."""


class _KnownMatch(Protocol):
    """A match that the caller has already read in this write."""

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """Entrants who play in the match. Not all of them have to be read."""

    @property
    def is_untouched(self) -> bool:
        """Whether it is certain that nothing was ever recorded for the match."""

    @property
    def bracket(self) -> GrowingBracket | None:
        """The bracket of the match before the new result, or None."""


def record_result(
    write: Write,
    match: Match,
    outcome: MatchOutcome,
    *,
    score: Mapping[int, int] | None = None,
    undoes: MatchResult | None = None,
    known: _KnownMatch | None = None,
) -> MatchResult:
    """Record the outcome of a match and advance its winner.

    Call it inside an open write. An earlier result of the match is superseded.
    """
    return record_credits(write, match, outcome.winner, outcome.credits, score=score, undoes=undoes, known=known)


def record_credits(
    write: Write,
    match: Match,
    winner: int | None,
    credits: Mapping[int, Credit],
    *,
    score: Mapping[int, int] | None = None,
    undoes: MatchResult | None = None,
    known: _KnownMatch | None = None,
    advance: bool = True,
) -> MatchResult:
    """Record the credits of a match with any number of sides, by entry number.

    Call it inside an open write. `undoes` is the result that the new row takes back. `advance` also creates the later
    matches that follow.
    """
    is_first = known is not None and known.is_untouched
    last = None if is_first else match.results.filter(superseded_by__isnull=True).order_by("-pk").first()
    won = next((who for who in known.entrants if who.number == winner), None) if known is not None else None
    if won is None and winner is not None:
        won = Entrant.objects.get(event_id=match.event_id, number=winner)
    if last is None:
        raise_also(*_topics_of_result(write.the_event, match, credits, known))
    result = MatchResult.objects.create(
        match=match,
        winner=won,
        credits=_write_credits(credits),
        score={str(number): points for number, points in (score or {}).items()},
        supersedes=last,
        undoes=undoes,
        **write.fact_fields(),
    )
    write.outcome.setdefault("results", []).append({"pk": result.pk, "digest": result_digest(result)})
    if advance:
        _advance_stage(write, match)
    return result


def _topics_of_result(event: Event, match: Match, credits: Iterable[int], known: _KnownMatch | None) -> list[str]:
    """Return the topics of the players and of those who wait for the result.

    If the result may end the bracket, it is everybody's topic.
    """
    if known is not None and known.bracket is not None:
        bracket = known.bracket
        if bracket.bracket.can_end_with(match.ident):
            return [EVERYBODY]
        return [entrant_topic(who.pk) for who in bracket.entrants({*bracket.waiting_for(match), *credits}).values()]
    waiting = load_dependent_entries(event, match) if known is None else ()
    if waiting is None:
        return [EVERYBODY]
    found = Entrant.objects.filter(event=event, number__in={*waiting, *credits})
    return [entrant_topic(pk) for pk in found.values_list("pk", flat=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchDecision:
    """The desk's decision on a match.

    `winner` is the side that is not at fault. It is None if both sides are treated alike, and then `cause` explains
    why. `seen` is the primary key of the newest result that the user was shown, or 0 if there was none. `choices` has
    the choice for each later match that the decision affects. `override` means that the user has seen these
    consequences. `listed` are the later games of a pool that were shown with them. `points` are the points of a played
    match by entry number. None means the points of its card.
    """

    match: Match
    winner: Entrant | None
    cause: Cause
    reason: str
    seen: int | None = None
    choices: Mapping[str, LaterChoice] = field(default_factory=dict)
    override: bool = False
    listed: tuple[str, ...] | None = None
    points: Mapping[int, int] | None = None


def decide_match(decision: MatchDecision, *, by: Actor, key: str = "") -> MatchResult:
    """Record a decision: a walkover, no-show, penalty, double absence, result without a card, or correction.

    Raises:
        DomainError: `reason-needed`, `bad-cause`, `torn` (the choices contradict each other), `keep-needs-result`,
            `bad-points`, `points-needed` (by the card the other player has won, so the points must be typed).
        Conflict: `not-in-play`, `no-opponent`, `not-a-side`, `decided-meanwhile`, `final` (the card is final, so a
            second official has to agree).
        NeedsReason: `touches-later` if the match is decided or later ones were played, `against-card` if a signed card
            contradicts the decision. The user has to see the consequences first.
    """
    match = decision.match
    require(by, "desk", match.event.tournament)
    _validate_decision(decision)
    with writing(
        match.event, verb="match.decided", by=by, reason=decision.reason, key=scoped_key(key, match.pk, decision)
    ) as write:
        if write.repeated:
            return MatchResult.objects.get(pk=write.outcome["result"])
        score_cards().refuse_final_match(write, match)
        return record_decision(write, decision)


def record_decision(write: Write, decision: MatchDecision) -> MatchResult:
    """Record a decision inside an open write. It refuses the same as `decide_match`, except for a final card."""
    match = decision.match
    refuse_stale_result(match, decision.seen)
    meeting = load_sides(write.the_event, match)
    outcome = _outcome_of_decision(decision, meeting)
    points = points_to_record(match, outcome, decision.points)
    found = load_correction(write.the_event, match, outcome, decision.choices)
    _refuse_unseen_consequences(decision, meeting, found)
    result = record_credits(write, match, outcome.winner, outcome.credits, score=points, advance=False)
    added = record_later_choices(write, result, found.added)
    if not decision.override:
        _refuse_conflict_with_cards(write.the_event, match)
    score_cards().open_ready_cards(write)
    chosen = {ident: choice.value for ident, choice in decision.choices.items()}
    write.about(match, result=result.pk, winner=outcome.winner, cause=decision.cause.value)
    write.outcome.update({"choices": chosen, "added": added} if chosen or added else {})
    return result


def preview_decision(decision: MatchDecision) -> tuple[MatchOutcome, Correction]:
    """Return the outcome of a decision and the later matches that it affects, without recording anything.

    In a pool, these include matches affected by the choices made for others. Refusals of `decide_match` that concern
    the match itself are raised here, too.
    """
    _validate_decision(decision)
    event = Event.objects.select_related("tournament").get(pk=decision.match.event_id)
    outcome = _outcome_of_decision(decision, sides_of(event, decision.match))
    points_to_record(decision.match, outcome, decision.points)
    found = load_correction(event, decision.match, outcome)
    if found.goes_on or not decision.choices:
        return outcome, found
    return outcome, load_correction(event, decision.match, outcome, decision.choices)


def _validate_decision(decision: MatchDecision) -> None:
    """Refuse a decision without a reason or with a cause that does not fit its winner.

    Raises:
        DomainError: `reason-needed`, `bad-cause`.
    """
    require_reason(decision.reason, str(WHY_DECIDED))
    if decision.cause not in (WON_BY_NOBODY if decision.winner is None else WON_BY):
        raise DomainError(
            "bad-cause", _("That way to end does not fit that winner. Choose the winner and how it ended again.")
        )


def remove_entrant(
    entrant: Entrant, kind: str, *, by: Actor, reason: str, key: str = "", forfeited: Sequence[Match] = ()
) -> Entrant:
    """Remove an entrant after the draw: withdrawn, no-show or disqualified.

    Every later opponent gets a walkover. `forfeited` are matches that the entrant had won because the opponent left
    first. They are changed to a forfeit by both.
    """
    require(by, "direct" if kind == Kind.DISQUALIFIED else "desk", entrant.event.tournament)
    if kind not in (Kind.WITHDRAWN, Kind.NO_SHOW, Kind.DISQUALIFIED):
        raise DomainError(
            "bad-kind", _("This way to leave the event is not known. Choose withdrawn, no-show or disqualified.")
        )
    require_reason(reason, _("Enter why the player leaves the event. The reason stays on record."))
    make_sender_key = scoped_key(key, entrant.pk, [match.pk for match in forfeited])
    with writing(entrant.event, verb=f"entrant.{kind}", by=by, reason=reason, key=make_sender_key) as write:
        if write.repeated:
            return Entrant.objects.get(pk=entrant.pk)
        for match in forfeited:
            record_decision(
                write, MatchDecision(match=match, winner=None, cause=Cause.FORFEIT, reason=reason, override=True)
            )
        return record_removal(write, entrant, kind)


def record_removal(write: Write, entrant: Entrant, kind: str) -> Entrant:
    """Remove an entrant inside an open write, like `remove_entrant`, or because a ruling eliminates them.

    Raises:
        Conflict: `not-drawn`, `finished`, `not-in-draw`, `out-already`.
    """
    locked = Entrant.objects.get(pk=entrant.pk)
    _refuse_outside_play(write.the_event, locked)
    if locked.state == Entrant.State.REMOVED and kind != Kind.DISQUALIFIED:
        raise Conflict(
            "out-already", _("%(name)s has already left the event. Nothing was changed.") % {"name": locked.name}
        )
    EntrantFact.objects.create(entrant=locked, kind=kind, data={"drawn": True}, **write.fact_fields())
    locked.state = Entrant.State.REMOVED
    locked.save(update_fields=["state"])
    write.about(locked, kind=kind)
    score_cards().open_ready_cards(write)
    return locked


def _refuse_outside_play(event: Event, entrant: Entrant) -> None:
    drawn = drawn_entries(event)
    if drawn is None:
        raise Conflict("not-drawn", _("The draw is not posted. Withdraw the player on the Entrants page instead."))
    if event.state == Event.State.FINISHED:
        raise Conflict("finished", _("The event is finished. Open it again first, with a reason."))
    if entrant.number not in drawn:
        raise Conflict(
            "not-in-draw", _("%(name)s is not in the draw. Look at the list of entrants.") % {"name": entrant.name}
        )


def _refuse_unseen_consequences(decision: MatchDecision, meeting: MatchSides, found: Correction) -> None:
    kept = [ident for ident in found.touched if found.goes_on and decision.choices.get(ident) is LaterChoice.KEEP]
    if kept and decision.cause is Cause.VOID:
        said = _(
            "Another player may win this match, so %(kept)s cannot stay. Play it again, too, or record a result here."
        )
        raise DomainError("keep-needs-result", said % {"kept": ", ".join(kept)})
    if found.torn:
        said = _("%(matches)s can stay only if the earlier matches stay. Keep those, too.")
        raise DomainError("torn", said % {"matches": ", ".join(found.torn)}, matches=list(found.torn))
    if found.double_booked:
        raise _double_booked_error(decision.match.event, found.double_booked[0])
    if not found.goes_on:
        refuse_stale_games(decision.listed, found.touched)
    if (found.touched or meeting.is_decided) and not decision.override:
        raise NeedsReason("touches-later", _what_changes(meeting, found), warnings=list(found.touched))


def _what_changes(meeting: MatchSides, found: Correction) -> str:
    later = ", ".join(found.touched)
    said = [_("This match has a result.")] if meeting.is_decided else []
    if later and found.goes_on:
        said.append(_("Later matches were decided with another player: %(matches)s.") % {"matches": later})
    elif later:
        said.append(_("Later matches were paired by other records: %(matches)s.") % {"matches": later})
    return " ".join([*said, _("Look at what changes first.")])


def refuse_stale_games(listed: Iterable[str] | None, touched: Iterable[str]) -> None:
    """Refuse if the later games that would change are not exactly those that the user was shown."""
    message = _("More later games would change than this page shows. Look at them again.")
    require_as_shown(None if listed is None else set(listed), set(touched), message)


def _double_booked_error(event: Event, torn: DoubleBooked) -> DomainError:
    name = event.entrants.values_list("name", flat=True).get(number=torn.entry)
    one, other = torn.matches
    said = _("%(name)s would be in %(one)s and in %(other)s at once. Choose the same for both matches.")
    return DomainError("torn", said % {"name": name, "one": one, "other": other}, matches=[one, other])


def refuse_stale_result(match: Match, seen: int | None) -> None:
    """Refuse if somebody else recorded a result that this user has not seen."""
    last = match.results.select_related("winner").order_by("-pk").first() if seen is not None else None
    if last is None:
        return
    if last.winner is None:
        message = _("%(by)s has just recorded a result without a winner. Record yours only if that is wrong.")
    else:
        message = _("%(by)s has just recorded a result: %(winner)s won. Record yours only if that is wrong.")
    words = {"by": last.by_name, "winner": last.winner.name if last.winner else ""}
    require_as_shown(seen, last.pk, message % words, "decided-meanwhile")


def _outcome_of_decision(decision: MatchDecision, meeting: MatchSides) -> MatchOutcome:
    """Return the outcome of a decision.

    Raises:
        Conflict: `not-a-side`.
    """
    winner = decision.winner
    if winner is not None and winner.number not in meeting.numbers:
        raise Conflict(
            "not-a-side", _("%(name)s does not play in this match. Choose one of its players.") % {"name": winner.name}
        )
    number = winner.number if winner is not None else None
    return end_match(decision.match.ident, meeting.numbers, number, decision.cause, goes_on=meeting.goes_on)


def record_later_choices(write: Write, result: MatchResult, added: Iterable[LaterFact]) -> list[str]:
    """Record the choices for later matches with the correction that they belong to. Return them for the log.

    Call it inside an open write.
    """
    match, said = result.match, []
    named = {fact.match for fact in added}
    rows = {row.ident: row for row in Match.objects.filter(COUNTING, stage=match.stage_id, ident__in=named)}
    for fact in added:
        row = rows[fact.match]
        if isinstance(fact, SidesKept):
            MatchKept.objects.create(match=row, sides=list(fact.sides), result=result, **write.fact_fields())
            said.append(f"{fact.match} kept" if any(fact.sides) else f"{fact.match} no longer kept")
        elif isinstance(fact, MatchOutcome):
            record_credits(write, row, fact.winner, fact.credits, advance=False)
            said.append(f"{fact.match} void")
        else:
            record_credits(write, row, None, {}, advance=False)
            TableCall.objects.create(match=row, table=None, **write.fact_fields())
            said.append(f"{fact.match} played again")
    _advance_stage(write, match)
    return said


def _advance_stage(write: Write, match: Match) -> None:
    advance = room_of(StageKind(match.stage.kind)).advance
    if advance is not None:
        advance(write)


# --- Results of tables: totals without a card, a table closed without play, or opened again --------------------------


def record_table(
    match: Match,
    totals: Mapping[int, int],
    cause: Cause | None = None,
    *,
    by: Actor,
    reason: str,
    key: str = "",
    seen: int | None = None,
    override: bool = False,
) -> MatchResult:
    """Record the points of a table by entry number, or the cause why it has none.

    A player who left without points is not in `totals`. `Cause.VOID` takes the result back and opens the table again.
    `override` means that the user has seen what the result changes.

    Raises:
        DomainError: `reason-needed`, `no-totals`, `bad-total`, `bad-cause`.
        Conflict: `not-in-play`, `not-a-side`, `decided-meanwhile`.
        NeedsReason: `against-card`. The user has to see the consequences first.
    """
    outcome = _table_outcome(totals, cause)
    require(by, "desk", match.event.tournament)
    require_reason(reason, str(WHY_DECIDED))
    with writing(
        match.event, verb="table.decided", by=by, reason=reason, key=scoped_key(key, match.pk, outcome)
    ) as write:
        if write.repeated:
            return MatchResult.objects.get(pk=write.outcome["result"])
        refuse_stale_result(match, seen)
        table, low_wins = _find_table(write.the_event, match)
        strangers = set(outcome.points) - set(table.entries)
        if strangers:
            raise Conflict(
                "not-a-side",
                _("Entry %(number)s does not play at this table. Choose the right table.") % {"number": min(strangers)},
            )
        winner = None
        if outcome.points:
            best = (min if low_wins else max)(outcome.points.values())
            first = [number for number, total in outcome.points.items() if total == best]
            winner = first[0] if len(first) == 1 else None
        credits = _table_credits(table, outcome, winner)
        result = record_credits(write, match, winner, credits, score=outcome.points)
        if not override:
            _refuse_conflict_with_cards(write.the_event, match)
        score_cards().open_ready_cards(write)
        write.about(match, result=result.pk, points={str(n): p for n, p in outcome.points.items()}, cause=outcome.cause)
        return result


def _table_outcome(totals: Mapping[int, int], cause: Cause | None) -> TableOutcome:
    if cause is not None:
        if cause not in CLOSED_BY:
            raise DomainError("bad-cause", _("A table cannot be closed for that reason. Choose another."))
        return TableOutcome({}, None, cause)
    if not totals:
        raise DomainError("no-totals", _("A total is missing. Enter the total of every player at this table."))
    if any(abs(total) > LARGEST_TOTAL for total in totals.values()):
        raise DomainError(
            "bad-total", _("A total is too large. Enter %(largest_total)s or less.") % {"largest_total": LARGEST_TOTAL}
        )
    return TableOutcome(dict(totals))


def _find_table(event: Event, match: Match) -> tuple[SeatedTable, bool]:
    """Return the table of a match, and whether the fewest points win."""
    rounds = load_course(event).rounds
    if rounds is None or event.state != Event.State.IN_PLAY:
        raise Conflict("not-in-play", _("Results can be recorded only while the event is in play."))
    found = rounds.find(match.ident)
    if found is None:
        raise Conflict("taken-back", _("The assignment of this table was undone. Look at the tables of the round."))
    return found[1], rounds.low_wins


def _table_credits(table: SeatedTable, outcome: TableOutcome, winner: int | None) -> dict[int, Credit]:
    """Return a credit for everybody at the table.

    Players with points have played, and the others have forfeited. If the table was closed, its cause applies to all.
    """
    if not outcome.points:
        return {number: Credit(Result.NONE, outcome.cause) for number in table.entries}
    credits = {number: Credit(Result.LOSS, Cause.FORFEIT) for number in table.entries}
    lost = Result.NONE if winner is None else Result.LOSS
    credits |= {number: Credit(lost, Cause.PLAYED) for number in outcome.points}
    if winner is not None:
        credits[winner] = Credit(Result.WIN, Cause.PLAYED)
    return credits


def _write_credits(credits: Mapping[int, Credit]) -> dict[str, list[str]]:
    """Return credits by entry number in the form that a result stores: [result, cause]."""
    return {str(number): [credit.result.value, credit.cause.value] for number, credit in credits.items()}
