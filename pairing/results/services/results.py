"""Record the results of matches and tables. A correction supersedes an earlier result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.results import (
    CAUSES_WITH_WINNER,
    CAUSES_WITHOUT_WINNER,
    PLAYED_MATCH_CAUSES,
    Credit,
    MatchOutcome,
    Result,
    ResultCause,
    RetainedMatchSides,
    make_desk_outcome,
)
from pairing.draws.stages.corrections import LaterMatchFact, ResultCorrection
from pairing.draws.stages.plan import StageKind
from pairing.draws.table_rounds import SeatedTable, TableOutcome
from pairing.models import Match, MatchKept, MatchResult, TableCall
from pairing.ports import CardStatusKind, score_cards
from pairing.results.selectors.results import load_correction, load_dependent_entries
from pairing.stages.selectors.brackets import UpdatableBracket
from pairing.stages.selectors.course import (
    MatchSides,
    load_drawn_entries,
    load_event_stages,
    load_match_sides,
    load_match_sides_if_in_play,
)
from pairing.stages.selectors.kinds import find_stage_kind_hooks
from pairing.stages.selectors.records import VALID_MATCH_FILTER, compute_result_digest, read_outcome
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.previews import require_unchanged
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.core.topics import add_topics_to_write
from tournament.errors import Conflict, DomainError, ReasonRequired
from tournament.models import Entrant, EntrantFact, Event
from tournament.models.topic import EVERYBODY_TOPIC, get_entrant_topic

EntrantFactKind = EntrantFact.Kind

DECISION_REASON_PROMPT: Final = gettext_lazy("Enter the reason. It stays on record with the result.")

MAX_MATCH_POINTS: Final = 99_999

TABLE_CLOSING_CAUSES: Final = frozenset(
    {ResultCause.BOTH_ABSENT, ResultCause.FORFEIT, ResultCause.TIME, ResultCause.PENALTY, ResultCause.VOID}
)
"""The causes for which the desk can close a table without points."""


# --- Decisions of the desk on a match --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchDecision:
    """The desk's decision on a match.

    `winner` is the side that wins or is not at fault, or None if both sides are treated the same. `last_seen_result` is
    the primary key of the newest result that the user was shown, or 0 if there was none. `later_match_choices` are the
    director's choices for later matches that the decision affects. `override` is true if the user has seen the
    consequences. `shown_later_games` are the later pool games that the user was shown. `points` are the points of a
    played match by entry number, or None to use the points on its card.
    """

    match: Match
    winner: Entrant | None
    cause: ResultCause
    reason: str
    last_seen_result: int | None = None
    later_match_choices: Mapping[str, LaterMatchChoice] = field(default_factory=dict)
    override: bool = False
    shown_later_games: tuple[str, ...] | None = None
    points: Mapping[int, int] | None = None


def decide_match(decision: MatchDecision, *, by: Actor, key: str = "") -> MatchResult:
    """Record a decision: a walkover, no-show, penalty, double absence, result without a card, or correction.

    Raises:
        DomainError: `reason-needed`, `bad-cause`, `torn` (the choices contradict each other), `keep-needs-result`,
            `bad-points`, `points-needed` (the other player has won according to the card, so points must be entered).
        Conflict: `not-in-play`, `no-opponent`, `not-a-side`, `decided-meanwhile`, `final` (the card is final, so a
            second official has to confirm).
        ReasonRequired: The user has to see the consequences first: `touches-later` if the match is decided or later
            ones were played, `against-card` if a signed card contradicts the decision.
    """
    match = decision.match
    require_permission(by, "desk", match.event.tournament)
    _validate_decision(decision)
    with writing(
        match.event,
        verb="match.decided",
        by=by,
        reason=decision.reason,
        key=make_idempotency_key(key, match.pk, decision),
    ) as write:
        if write.repeated:
            return MatchResult.objects.get(pk=write.outcome["result"])
        score_cards().require_match_not_final(write, match)
        return record_decision(write, decision)


def record_decision(write: WriteTransaction, decision: MatchDecision) -> MatchResult:
    """Record a decision in the caller's transaction.

    Raise the same errors as `decide_match`, but do not check whether the score card can no longer be corrected.
    """
    match = decision.match
    require_unchanged_result(match, decision.last_seen_result)
    sides = load_match_sides_if_in_play(write.the_event, match)
    outcome = _make_outcome(decision, sides)
    points = choose_points_to_record(match, outcome, decision.points)
    correction = load_correction(write.the_event, match, outcome, decision.later_match_choices)
    _require_consequences_seen(decision, sides, correction)
    result = record_credits(write, match, outcome.winner, outcome.credits, score=points, advance=False)
    added = record_later_match_choices(write, result, correction.facts_to_record)
    if not decision.override:
        _require_no_conflict_with_cards(write.the_event, match)
    score_cards().open_ready_cards(write)
    chosen = {ident: choice.value for ident, choice in decision.later_match_choices.items()}
    write.about(match, result=result.pk, winner=outcome.winner, cause=decision.cause.value)
    write.outcome.update({"choices": chosen, "added": added} if chosen or added else {})
    return result


def preview_decision(decision: MatchDecision) -> tuple[MatchOutcome, ResultCorrection]:
    """Return a decision's outcome and the later matches that it affects, without recording anything.

    In a pool, the later matches include those that are affected only because of the choices for other matches. Errors
    are raised as in `decide_match` if they concern the match itself.
    """
    _validate_decision(decision)
    event = Event.objects.select_related("tournament").get(pk=decision.match.event_id)
    outcome = _make_outcome(decision, load_match_sides(event, decision.match))
    choose_points_to_record(decision.match, outcome, decision.points)
    correction = load_correction(event, decision.match, outcome)
    if correction.winner_advances or not decision.later_match_choices:
        return outcome, correction
    return outcome, load_correction(event, decision.match, outcome, decision.later_match_choices)


def _validate_decision(decision: MatchDecision) -> None:
    require_reason(decision.reason, str(DECISION_REASON_PROMPT))
    if decision.cause not in (CAUSES_WITHOUT_WINNER if decision.winner is None else CAUSES_WITH_WINNER):
        raise DomainError(
            "bad-cause", _("That way to end does not fit that winner. Choose the winner and how it ended again.")
        )


def _make_outcome(decision: MatchDecision, sides: MatchSides) -> MatchOutcome:
    winner = decision.winner
    if winner is not None and winner.number not in sides.numbers:
        raise Conflict(
            "not-a-side", _("%(name)s does not play in this match. Choose one of its players.") % {"name": winner.name}
        )
    number = winner.number if winner is not None else None
    return make_desk_outcome(
        decision.match.ident, sides.numbers, number, decision.cause, winner_advances=sides.winner_advances
    )


def _require_consequences_seen(decision: MatchDecision, sides: MatchSides, later: ResultCorrection) -> None:
    kept = [
        ident
        for ident in later.affected_matches
        if later.winner_advances and decision.later_match_choices.get(ident) is LaterMatchChoice.KEEP
    ]
    if kept and decision.cause is ResultCause.VOID:
        message = _(
            "Another player may win this match, so %(kept)s cannot stay. Play it again, too, or record a result here."
        )
        raise DomainError("keep-needs-result", message % {"kept": ", ".join(kept)})
    if later.impossible_keeps:
        message = _("%(matches)s can stay only if the earlier matches stay. Keep those, too.")
        raise DomainError(
            "torn", message % {"matches": ", ".join(later.impossible_keeps)}, matches=list(later.impossible_keeps)
        )
    if later.double_bookings:
        entry, one, other = later.double_bookings[0]
        name = decision.match.event.entrants.values_list("name", flat=True).get(number=entry)
        message = _("%(name)s would be in %(one)s and in %(other)s at once. Choose the same for both matches.")
        raise DomainError("torn", message % {"name": name, "one": one, "other": other}, matches=[one, other])
    if not later.winner_advances:
        require_unchanged_later_games(decision.shown_later_games, later.affected_matches)
    if (later.affected_matches or sides.is_decided) and not decision.override:
        raise ReasonRequired(
            "touches-later", _explain_consequences(sides, later), warnings=list(later.affected_matches)
        )


def _explain_consequences(sides: MatchSides, later: ResultCorrection) -> str:
    matches = ", ".join(later.affected_matches)
    sentences = [_("This match has a result.")] if sides.is_decided else []
    if matches and later.winner_advances:
        sentences.append(_("Later matches were decided with another player: %(matches)s.") % {"matches": matches})
    elif matches:
        sentences.append(_("Later matches were paired by other records: %(matches)s.") % {"matches": matches})
    return " ".join([*sentences, _("Look at what changes first.")])


def require_unchanged_later_games(listed: Iterable[str] | None, touched: Iterable[str]) -> None:
    """Raise an error if the later games that would change are not exactly those that the user was shown."""
    message = _("More later games would change than this page shows. Look at them again.")
    require_unchanged(None if listed is None else set(listed), set(touched), message)


def require_unchanged_result(match: Match, seen: int | None) -> None:
    """Raise an error if somebody else has recorded a result since the one that the user was shown."""
    last = match.results.select_related("winner").order_by("-pk").first() if seen is not None else None
    if last is None:
        return
    if last.winner is None:
        message = _("%(by)s has just recorded a result without a winner. Record yours only if that is wrong.")
    else:
        message = _("%(by)s has just recorded a result: %(winner)s won. Record yours only if that is wrong.")
    words = {"by": last.by_name, "winner": last.winner.name if last.winner else ""}
    require_unchanged(seen, last.pk, message % words, "decided-meanwhile")


def _require_no_conflict_with_cards(event: Event, match: Match) -> None:
    """Raise an error if the decision that was just recorded contradicts a signed card.

    Don't call this if the user has already seen the effects of the decision on a preview, and has confirmed them.
    """
    cards = score_cards().load_card_summaries(event, [match.pk])
    superseded = [card.title for card in cards if card.kind is CardStatusKind.SUPERSEDED]
    if superseded:
        message = _("This goes against a signed score card: %(title)s. Look at the changes first.")
        raise ReasonRequired("against-card", message % {"title": superseded[0]}, warnings=superseded)


def record_later_match_choices(
    write: WriteTransaction, result: MatchResult, added: Iterable[LaterMatchFact]
) -> list[str]:
    """Record the choices for later matches together with a correction, and return log entries.

    Call this inside a write transaction.
    """
    match, entries = result.match, []
    named = {fact.match for fact in added}
    rows = {row.ident: row for row in Match.objects.filter(VALID_MATCH_FILTER, stage=match.stage_id, ident__in=named)}
    for fact in added:
        row = rows[fact.match]
        if isinstance(fact, RetainedMatchSides):
            MatchKept.objects.create(match=row, sides=list(fact.sides), result=result, **write.fact_fields())
            entries.append(f"{fact.match} kept" if any(fact.sides) else f"{fact.match} no longer kept")
        elif isinstance(fact, MatchOutcome):
            record_credits(write, row, fact.winner, fact.credits, advance=False)
            entries.append(f"{fact.match} void")
        else:
            record_credits(write, row, None, {}, advance=False)
            TableCall.objects.create(match=row, table=None, **write.fact_fields())
            entries.append(f"{fact.match} played again")
    _advance_stage(write, match)
    return entries


# --- The points of a decided match -----------------------------------------------------------------------------------


def choose_points_to_record(match: Match, outcome: MatchOutcome, typed: Mapping[int, int] | None) -> Mapping[int, int]:
    """Return the points to record with an outcome, by entry number.

    Points entered at the desk (`typed`) take precedence, then points on the cards, then points of an earlier result
    with the same winner. There are no points if the match was not played.

    Raises:
        DomainError: `bad-points`, or `points-needed` if this winner has not won according to the cards, signed or not.
    """
    played = outcome.winner is not None and {credit.cause for credit in outcome.credits.values()} <= PLAYED_MATCH_CAUSES
    if not played:
        if typed:
            raise DomainError("bad-points", _("Only a match that was played has points. Leave them empty."))
        return {}
    if typed is not None:
        _require_valid_points(outcome, typed)
        return dict(typed)
    return _load_recorded_points(match, outcome)


def _load_recorded_points(match: Match, outcome: MatchOutcome) -> Mapping[int, int]:
    assert outcome.winner is not None
    cards = score_cards().load_card_points(match)
    if cards is not None:
        others = (points for number, points in cards.points.items() if number != outcome.winner)
        is_ahead = cards.winner is None and cards.points.get(outcome.winner, 0) > max(others, default=0)
        if cards.winner == outcome.winner or is_ahead:
            return cards.points
        if cards.winner:
            message = _("By the score card the other player has won. Enter both scores as they count now.")
        else:
            message = _("By the score card nobody has won yet. Enter both scores as they count now.")
        raise DomainError("points-needed", message)
    last = match.results.filter(superseded_by__isnull=True).select_related("winner", "match").last()
    if last is not None and last.score and read_outcome(last).winner == outcome.winner:
        return {int(number): points for number, points in last.score.items()}
    return {}


def _require_valid_points(outcome: MatchOutcome, typed: Mapping[int, int]) -> None:
    if set(typed) != set(outcome.credits):
        raise DomainError("bad-points", _("Enter the points of both players."))
    if any(abs(points) > MAX_MATCH_POINTS for points in typed.values()):
        raise DomainError(
            "bad-points",
            _("A score is at most %(most_points)s points. Check it and enter it again.")
            % {"most_points": MAX_MATCH_POINTS},
        )
    won = next(typed[number] for number in typed if number == outcome.winner)
    if any(points >= won for number, points in typed.items() if number != outcome.winner):
        raise DomainError("bad-points", _("The winner must have more points than the other player. Check both scores."))


# --- Entrants who leave ----------------------------------------------------------------------------------------------


def remove_entrant(
    entrant: Entrant, kind: str, *, by: Actor, reason: str, key: str = "", forfeited: Sequence[Match] = ()
) -> Entrant:
    """After the draw, remove an entrant because of a withdrawal, a no-show, or a disqualification (`kind`).

    Later opponents get walkovers.

    `forfeited` are matches that the entrant has won by walkover, because the opponent left before. These wins are
    canceled: each of these matches is recorded as forfeited by both sides.
    """
    require_permission(by, "direct" if kind == EntrantFactKind.DISQUALIFIED else "desk", entrant.event.tournament)
    if kind not in (EntrantFactKind.WITHDRAWN, EntrantFactKind.NO_SHOW, EntrantFactKind.DISQUALIFIED):
        raise DomainError(
            "bad-kind", _("This way to leave the event is not known. Choose withdrawn, no-show or disqualified.")
        )
    require_reason(reason, _("Enter why the player leaves the event. The reason stays on record."))
    own_key = make_idempotency_key(key, entrant.pk, [match.pk for match in forfeited])
    with writing(entrant.event, verb=f"entrant.{kind}", by=by, reason=reason, key=own_key) as write:
        if write.repeated:
            return Entrant.objects.get(pk=entrant.pk)
        for match in forfeited:
            record_decision(
                write, MatchDecision(match=match, winner=None, cause=ResultCause.FORFEIT, reason=reason, override=True)
            )
        return record_removal(write, entrant, kind)


def record_removal(write: WriteTransaction, entrant: Entrant, kind: str) -> Entrant:
    """Remove an entrant in the caller's transaction.

    Raises:
        Conflict: `not-drawn`, `finished`, `not-in-draw`, `out-already`.
    """
    locked = Entrant.objects.get(pk=entrant.pk)
    _require_can_be_removed(write.the_event, locked)
    if locked.state == Entrant.State.REMOVED and kind != EntrantFactKind.DISQUALIFIED:
        raise Conflict(
            "out-already", _("%(name)s has already left the event. Nothing was changed.") % {"name": locked.name}
        )
    EntrantFact.objects.create(entrant=locked, kind=kind, data={"drawn": True}, **write.fact_fields())
    locked.state = Entrant.State.REMOVED
    locked.save(update_fields=["state"])
    write.about(locked, kind=kind)
    score_cards().open_ready_cards(write)
    return locked


def _require_can_be_removed(event: Event, entrant: Entrant) -> None:
    drawn = load_drawn_entries(event)
    if drawn is None:
        raise Conflict("not-drawn", _("The draw is not posted. Withdraw the player on the Entrants page instead."))
    if event.state == Event.State.FINISHED:
        raise Conflict("finished", _("The event is finished. Open it again first, with a reason."))
    if entrant.number not in drawn:
        raise Conflict(
            "not-in-draw", _("%(name)s is not in the draw. Look at the list of entrants.") % {"name": entrant.name}
        )


# --- Results as facts ------------------------------------------------------------------------------------------------


class _KnownMatch(Protocol):
    """Data about a match that the caller has already loaded in this transaction. This saves queries."""

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """The entrants of the match that are already loaded. Others may be missing."""

    @property
    def has_no_recorded_result(self) -> bool:
        """Whether it is certain that nothing was ever recorded for the match."""

    @property
    def bracket(self) -> UpdatableBracket | None:
        """The bracket before the new result, or None if it was not loaded."""


def record_result(
    write: WriteTransaction,
    match: Match,
    outcome: MatchOutcome,
    *,
    score: Mapping[int, int] | None = None,
    undoes: MatchResult | None = None,
    known: _KnownMatch | None = None,
) -> MatchResult:
    """Record a match's outcome and advance its winner.

    The new result supersedes an earlier one. Call this inside a write transaction.
    """
    return record_credits(write, match, outcome.winner, outcome.credits, score=score, undoes=undoes, known=known)


def record_credits(
    write: WriteTransaction,
    match: Match,
    winner: int | None,
    credits: Mapping[int, Credit],
    *,
    score: Mapping[int, int] | None = None,
    undoes: MatchResult | None = None,
    known: _KnownMatch | None = None,
    advance: bool = True,
) -> MatchResult:
    """Record a match's credits by entry number. Call this inside a write transaction.

    The match can have any number of sides. `undoes` is the earlier result that this one undoes. If `advance` is true,
    also create the matches whose players are now known.
    """
    is_first = known is not None and known.has_no_recorded_result
    last = None if is_first else match.results.filter(superseded_by__isnull=True).order_by("-pk").first()
    won = next((who for who in known.entrants if who.number == winner), None) if known is not None else None
    if won is None and winner is not None:
        won = Entrant.objects.get(event_id=match.event_id, number=winner)
    if last is None:
        add_topics_to_write(*_find_result_topics(write.the_event, match, credits, known))
    result = MatchResult.objects.create(
        match=match,
        winner=won,
        credits={str(number): [credit.result.value, credit.cause.value] for number, credit in credits.items()},
        score={str(number): points for number, points in (score or {}).items()},
        supersedes=last,
        undoes=undoes,
        **write.fact_fields(),
    )
    write.outcome.setdefault("results", []).append({"pk": result.pk, "digest": compute_result_digest(result)})
    if advance:
        _advance_stage(write, match)
    return result


def _find_result_topics(event: Event, match: Match, credits: Iterable[int], known: _KnownMatch | None) -> list[str]:
    """Return the topics of the pages to update after a result.

    These are the pages of the match's players, and of the entrants waiting for the result. If the match can be the
    bracket's last one, return the topic of all pages of the event.
    """
    if known is not None and known.bracket is not None:
        bracket = known.bracket
        if bracket.bracket.can_be_last_match(match.ident):
            return [EVERYBODY_TOPIC]
        return [
            get_entrant_topic(who.pk)
            for who in bracket.load_entrants({*bracket.find_affected_entries(match), *credits}).values()
        ]
    waiting = load_dependent_entries(event, match) if known is None else ()
    if waiting is None:
        return [EVERYBODY_TOPIC]
    concerned = Entrant.objects.filter(event=event, number__in={*waiting, *credits})
    return [get_entrant_topic(pk) for pk in concerned.values_list("pk", flat=True)]


def _advance_stage(write: WriteTransaction, match: Match) -> None:
    advance = find_stage_kind_hooks(StageKind(match.stage.kind)).create_following_matches
    if advance is not None:
        advance(write)


# --- Results of tables: totals without a card, a table closed without play, or opened again --------------------------


def record_table_result(
    match: Match,
    totals: Mapping[int, int],
    cause: ResultCause | None = None,
    *,
    by: Actor,
    reason: str,
    key: str = "",
    seen: int | None = None,
    override: bool = False,
) -> MatchResult:
    """Record a table's points by entry number, or the reason why it has none.

    Players who left without points are not in `totals`. `ResultCause.VOID` undoes the result and reopens the table.
    `override` is true if the user has seen the consequences.

    Raises:
        DomainError: `reason-needed`, `no-totals`, `bad-total`, `bad-cause`.
        Conflict: `not-in-play`, `not-a-side`, `decided-meanwhile`.
        ReasonRequired: `against-card` until the user has seen the consequences.
    """
    outcome = _make_table_outcome(totals, cause)
    require_permission(by, "desk", match.event.tournament)
    require_reason(reason, str(DECISION_REASON_PROMPT))
    with writing(
        match.event, verb="table.decided", by=by, reason=reason, key=make_idempotency_key(key, match.pk, outcome)
    ) as write:
        if write.repeated:
            return MatchResult.objects.get(pk=write.outcome["result"])
        require_unchanged_result(match, seen)
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
        credits = _make_table_credits(table, outcome, winner)
        result = record_credits(write, match, winner, credits, score=outcome.points)
        if not override:
            _require_no_conflict_with_cards(write.the_event, match)
        score_cards().open_ready_cards(write)
        write.about(match, result=result.pk, points={str(n): p for n, p in outcome.points.items()}, cause=outcome.cause)
        return result


def _make_table_outcome(totals: Mapping[int, int], cause: ResultCause | None) -> TableOutcome:
    if cause is not None:
        if cause not in TABLE_CLOSING_CAUSES:
            raise DomainError("bad-cause", _("A table cannot be closed for that reason. Choose another."))
        return TableOutcome({}, None, cause)
    if not totals:
        raise DomainError("no-totals", _("A total is missing. Enter the total of every player at this table."))
    if any(abs(total) > MAX_MATCH_POINTS for total in totals.values()):
        message = _("A total is too large. Enter %(largest_total)s or less.")
        raise DomainError("bad-total", message % {"largest_total": MAX_MATCH_POINTS})
    return TableOutcome(dict(totals))


def _find_table(event: Event, match: Match) -> tuple[SeatedTable, bool]:
    """Return the table that belongs to a match, and whether the fewest points win."""
    rounds = load_event_stages(event).rounds
    if rounds is None or event.state != Event.State.IN_PLAY:
        raise Conflict("not-in-play", _("Results can be recorded only while the event is in play."))
    numbered_table = rounds.find_table(match.ident)
    if numbered_table is None:
        raise Conflict("taken-back", _("The assignment of this table was undone. Look at the tables of the round."))
    return numbered_table[1], rounds.low_wins


def _make_table_credits(table: SeatedTable, outcome: TableOutcome, winner: int | None) -> dict[int, Credit]:
    """Return everybody's credit at a table. Players without points get a forfeit, unless the whole table was closed."""
    if not outcome.points:
        return {number: Credit(Result.NONE, outcome.cause) for number in table.entries}
    credits = {number: Credit(Result.LOSS, ResultCause.FORFEIT) for number in table.entries}
    lost = Result.NONE if winner is None else Result.LOSS
    credits |= {number: Credit(lost, ResultCause.PLAYED) for number in outcome.points}
    if winner is not None:
        credits[winner] = Credit(Result.WIN, ResultCause.PLAYED)
    return credits
