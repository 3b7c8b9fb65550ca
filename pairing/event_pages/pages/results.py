"""Staff pages for results: the list of all matches, and the page for deciding or correcting a match."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.knockout.progress import BracketMatchState, BracketProgress
from pairing.draws.results import PLAYED_MATCH_CAUSES, MatchOutcome, Result, ResultCause, make_desk_outcome
from pairing.models import Match, MatchResult
from pairing.ports import CardPoints, score_cards
from pairing.results.forms import (
    AffectedLaterMatch,
    BringBackEntrantForm,
    LaterMatchesForm,
    RemoveEntrantForm,
    read_later_match_choices,
)
from pairing.results.pages import PreviewedAction, preview_or_apply_action
from pairing.results.services.corrections import preview_decision_after_reopening
from pairing.results.services.results import (
    MAX_MATCH_POINTS,
    MatchDecision,
    choose_points_to_record,
    decide_match,
    preview_decision,
)
from pairing.results.tables import ResultRow, ResultTable, list_later_game_choices, make_later_game_choice_context
from pairing.stages.pages import make_match_url_builder
from pairing.stages.pictures import boxes
from pairing.stages.pictures.boxes import (
    describe_credit,
    explain_unplayed_outcome,
    format_full_match_name,
    format_match_name,
    render_match_box,
)
from pairing.stages.selectors.boards import (
    BracketBoard,
    load_bracket_board,
    load_match,
    load_match_results,
    load_player_names,
    load_result_recorders,
    load_round_count,
)
from pairing.stages.selectors.course import (
    EventStages,
    MatchSides,
    load_event_stages,
    load_final_placings,
    load_match_sides,
    load_match_sides_if_in_play,
)
from pairing.stages.selectors.records import is_actual_result, read_outcome
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest
from tournament.core.pages.responses import make_event_url
from tournament.core.selectors.events import load_entry_names
from tournament.core.tables.lists import configure_or_export_list
from tournament.errors import Conflict, DomainError, NotFound, ReasonRequired
from tournament.models import Entrant, Event
from tournament.spreadsheets.names import parse_number
from tournament.templatetags.gin import minus

_POINTS_ERROR_CODES: Final = ("points-needed", "bad-points")
"""The error codes that are shown next to the points instead of above the form."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """One possible ending of a match, and what it `means` for both sides.

    `value` is the cause, a colon, and the winner's entry number.
    """

    value: str
    label: str
    means: str


_EndingGroup = tuple[str, Sequence[_Ending]]
"""A heading and the endings listed below it."""


class _DecideForm(IdempotentForm):
    """A form for the desk's decision on a match: one of the endings in `groups`, and a reason."""

    ending = forms.ChoiceField(label=gettext_lazy("How did it end?"), widget=forms.RadioSelect)
    reason = forms.CharField(label=gettext_lazy("Reason, for the record"), max_length=300)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(
        self,
        *args: Any,
        groups: Sequence[_EndingGroup],
        sides: Sequence[Entrant],
        seen: int,
        by_cards: CardPoints | None = None,
        **options: Any,
    ) -> None:
        """Add a field for each side's points. They default to the points on the score cards (`by_cards`)."""
        super().__init__(*args, **options)
        self.groups, self.by_cards = groups, by_cards
        self.sides = {str(side.number): side for side in sides}
        choices = [(one.value, one.label) for _title, endings in groups for one in endings]
        self.fields["ending"].choices = choices  # type: ignore[attr-defined]
        self.fields["seen"].initial = seen
        for side in sides:
            self.fields[f"points_{side.number}"] = forms.IntegerField(
                label=side.name,
                required=False,
                min_value=-MAX_MATCH_POINTS,
                max_value=MAX_MATCH_POINTS,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 6, "class": "form-control field-number"}),
            )

    @property
    def points_fields(self) -> list[forms.BoundField]:
        return [self[f"points_{number}"] for number in self.sides]

    @property
    def card_points_text(self) -> str:
        """Return the points from the score cards as text, such as “Ada 0, Alan 95”."""
        points = self.by_cards.points if self.by_cards is not None else {}
        sides = (side for side in self.sides.values() if side.number in points)
        return ", ".join(f"{side.name} {points[side.number]}" for side in sides)

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if len(self.get_points(facts)) == 1:
            self._add_points_error(_("Points are given for one player only. Enter the points of both, or of neither."))
        return facts

    def show_error(self, error: DomainError) -> None:
        """Show an error next to the points if it concerns the points, or else above the form."""
        if error.code in _POINTS_ERROR_CODES:
            self._add_points_error(error.message)
        else:
            self.add_error(None, error.message)

    def _add_points_error(self, message: Any) -> None:
        for number in self.sides:
            self.add_error(f"points_{number}", message)

    @property
    def points_errors(self) -> list[str]:
        return list(dict.fromkeys(str(error) for field in self.points_fields for error in field.errors))

    def get_points(self, facts: Mapping[str, Any]) -> dict[int, int]:
        typed = {int(number): facts.get(f"points_{number}") for number in self.sides}
        return {number: points for number, points in typed.items() if points is not None}

    @property
    def chosen_ending(self) -> _Ending | None:
        value = self["ending"].value()
        return next((one for _title, endings in self.groups for one in endings if one.value == value), None)

    def make_decision(self, match: Match, choices: Mapping[str, LaterMatchChoice], *, override: bool) -> MatchDecision:
        facts = self.cleaned_data
        cause, _colon, number = facts["ending"].partition(":")
        return MatchDecision(
            match=match,
            winner=self.sides.get(number),
            cause=ResultCause(cause),
            reason=facts["reason"],
            last_seen_result=facts["seen"],
            later_match_choices=choices,
            override=override,
            points=(self.get_points(facts) or None) if ResultCause(cause) in PLAYED_MATCH_CAUSES and number else None,
        )


def show_matches(request: ActorRequest, event: Event) -> HttpResponse:
    """Show all matches with their results, and forms to remove players, bring them back, or finish the event."""
    board, course = load_bracket_board(event), load_event_stages(event)
    if board is None and not course.stages:
        return render(request, "pairing/results/results.html", {})
    wanted = request.GET.get("q", "").strip()
    rows = _make_stage_result_rows(event, course, wanted) + (_make_bracket_result_rows(board, wanted) if board else [])
    table = ResultTable(rows, event=event, export="_export" in request.GET)
    download = configure_or_export_list(request, table, f"{event.slug}-results", rows=64, link_query=f"q={wanted}&")
    if download is not None:
        return download
    placings, names = load_final_placings(event), load_entry_names(event)
    first = placings.finish[0].entries if placings is not None and placings.finish else ()
    context = {
        "table": table,
        "remove": RemoveEntrantForm(event=event),
        "bring_back": BringBackEntrantForm(event=event),
        "may_come_late": event.state == Event.State.IN_PLAY and board is not None and not board.is_double_elimination,
        "complete": placings is not None,
        "champion": ", ".join(names[number] for number in first),
    }
    return render(request, "pairing/results/results.html", context)


def _make_bracket_result_rows(board: BracketBoard, wanted: str) -> list[ResultRow]:
    entries = set(board.find_entries(wanted))
    rows = []
    for view in board.progress.views.values():
        if not view.entries or (wanted and not entries & set(view.entries)):
            continue
        one, other = (boxes.describe_side(board, side, view.match.id) for side in view.sides)
        winner = board.get_name_in_match(view.match.id, view.winner) if view.winner is not None else ""
        score = board.scores.get(view.match.id, {})
        shown = "–".join(str(score[number]) for number in view.entries if number in score)
        state, why = boxes.get_match_state_code(board, view), boxes.explain_why_not_played(view, board.names)
        why = why or boxes.explain_retained_side(view)
        recorded = board.result_recorders.get(view.match.id) if view.state is BracketMatchState.DECIDED else None
        rows.append(ResultRow(view.match.id, one, other, winner, shown, state, why, recorded))
    return rows


def _make_stage_result_rows(event: Event, course: EventStages, wanted: str) -> list[ResultRow]:
    """Return the table rows for pools and play-offs, in match order."""
    games = {ident: match for stage in course.stages for ident, match in stage.matches.items()}
    if not games:
        return []
    current_names, recorded = load_entry_names(event), load_result_recorders(event)
    sides_of_all = {ident: frozenset(match.meeting.sides) for ident, match in games.items()}
    played_by = load_player_names(event, sides_of_all) if current_names.earlier else {}
    number, words = parse_number(wanted), wanted.casefold()
    rows = []
    passed = frozenset(ident for stage in course.stages for ident in stage.obsolete_matches)
    for ident, match in games.items():
        sides = match.meeting.sides
        if wanted and not any(side == number or words in current_names[side].casefold() for side in sides):
            continue
        outcome = match.meeting.outcome
        names = played_by.get(ident, current_names)
        one, other = [*(names[side] for side in sides), ""][:2]
        winner = names[outcome.winner] if outcome is not None and outcome.winner is not None else ""
        score = "–".join(minus(match.meeting.points[side]) for side in sides if side in match.meeting.points)
        why = explain_unplayed_outcome(outcome, names) if outcome is not None else ""
        state = "ready" if not match.is_decided else "walk-over" if why else "done"
        state = "not-needed" if ident in passed else state
        rows.append(ResultRow(ident, one, other, winner, score, state, why, recorded.get(ident)))
    return rows


def decide_single_match(request: ActorRequest, event: Event, ident: str) -> HttpResponse:
    """Decide an open match immediately, or correct a decided match after a preview."""
    match = load_match(event, ident)
    if match is None:
        raise NotFound("no-match", _("There is no such match in this event. Choose one from the list of results."))
    try:
        meeting = (
            load_match_sides(event, match)
            if event.state == Event.State.FINISHED
            else load_match_sides_if_in_play(event, match)
        )
    except Conflict:
        meeting = None  # The match can be neither decided nor, after the finish, previewed.
    board, recorded = load_bracket_board(event), load_match_results(match)
    form = _make_decide_form(request, match, meeting, board, recorded) if meeting else None
    if request.method == "POST" and form is not None and form.is_valid():
        at_once = request.POST.get("act", "record") == "record" and event.state == Event.State.IN_PLAY
        if at_once and _decide_at_once(request, match, form):
            return redirect(make_event_url(event, "pairing:desk_results"))
        plan = _make_previewed_action(request, match, form) if not form.errors else None
        if plan is not None:
            return preview_or_apply_action(request, plan)
    status = 422 if form is not None and form.errors else 200
    return render(
        request, "pairing/results/decide.html", _make_decide_context(board, match, form, recorded), status=status
    )


def _make_decide_form(
    request: ActorRequest, match: Match, meeting: MatchSides, board: BracketBoard | None, recorded: list[MatchResult]
) -> _DecideForm:
    found = {entrant.number: entrant for entrant in match.event.entrants.filter(number__in=meeting.numbers)}
    sides = [found[number] for number in meeting.numbers]
    named = [(side.number, side.name) for side in sides]
    groups = _make_ending_groups(match.ident, named, _find_consequences(board, match, meeting))
    initial: dict[str, object] = {"ending": request.GET.get("ending", "")}
    by_cards = score_cards().load_card_points(match)
    if by_cards is not None:
        initial |= {f"points_{number}": points for number, points in by_cards.points.items()}
    seen = recorded[0].pk if recorded else 0
    return _DecideForm(request.POST or None, groups=groups, sides=sides, seen=seen, by_cards=by_cards, initial=initial)


def _make_decide_context(
    board: BracketBoard | None, match: Match, form: _DecideForm | None, results: list[MatchResult]
) -> dict[str, object]:
    event, address = match.event, make_match_url_builder(match.event)
    view = board.progress.views.get(match.ident) if board is not None else None
    later = board.progress.bracket.next_matches.get(match.ident) if board is not None else None
    after = (
        render_match_box(board, board.progress[later.id], address=address, prefix="after-") if board and later else ""
    )
    names = board.names if board is not None else load_entry_names(event)
    return {
        "label": format_full_match_name(match),
        "ident": match.ident,
        "box": render_match_box(board, view, address=address) if board is not None and view is not None else "",
        "who": [] if view is not None else [seat.entrant.name for seat in match.seats.select_related("entrant")],
        "after": after,
        "statements": score_cards().load_card_summaries(event, [match.pk]),
        "results": [(result, _describe_credits(names, result)) for result in results],
        "can_undo": event.state == Event.State.IN_PLAY and bool(results) and is_actual_result(results[0]),
        "form": form,
    }


def _describe_credits(names: Mapping[int, str], result: MatchResult) -> str:
    credits = read_outcome(result).credits.items()
    if not credits:
        return _("the earlier result is undone")
    return "; ".join(f"{names[number]}: {describe_credit(credit)}" for number, credit in credits)


def _decide_at_once(request: ActorRequest, match: Match, form: _DecideForm) -> bool:
    """Try to record the result immediately, and return whether that worked.

    If it returns False without a form error, the user has to see a preview first.
    """
    try:
        decision = form.make_decision(match, {}, override=False)
        decide_match(decision, by=request.actor, key=form.cleaned_data["key"])
    except ReasonRequired:
        return False
    except DomainError as error:
        form.show_error(error)
        return False
    messages.success(request, _format_success_message(match, decision))
    return True


def _make_previewed_action(request: ActorRequest, match: Match, form: _DecideForm) -> PreviewedAction | None:
    """Return the action to preview, with a choice for each later match. Return None if the form has an error."""
    try:
        outcome, later = preview_decision(
            form.make_decision(match, read_later_match_choices(request.POST), override=True)
        )
    except DomainError as error:
        form.show_error(error)
        return None
    listed = (
        list_later_game_choices(match.event, later)
        if later.games
        else _list_affected_matches(match.event, later.affected_matches)
    )
    choices = LaterMatchesForm(request.POST, touched=listed)
    decision = form.make_decision(match, choices.choices, override=True)
    seen = replace(decision, shown_later_games=tuple(request.POST.get("listed", "").split()))
    name = format_full_match_name(match)
    return PreviewedAction(
        event=match.event,
        title=_("%(match)s: what it changes") % {"match": name},
        act=lambda *, key, by, reason: decide_match(seen if key else decision, by=by, key=key),
        label=_("Record result"),
        explanation=" ".join(
            filter(None, (form.chosen_ending.means if form.chosen_ending else "", _describe_points(decision, outcome)))
        ),
        form=form,
        success_message=_format_success_message(match, decision),
        next_url=make_event_url(match.event, "pairing:desk_results"),
        first=match.ident,
        choices=choices if listed else None,
        preview_only=(lambda: preview_decision_after_reopening(decision))
        if match.event.state == Event.State.FINISHED
        else None,
        extra_context=make_later_game_choice_context(match.event, later)
        | {"listed": "" if later.winner_advances else " ".join(later.affected_matches)},
    )


def _format_success_message(match: Match, decision: MatchDecision) -> str:
    is_void = decision.cause is ResultCause.VOID
    message = _("%(match)s is void and will be played again.") if is_void else _("%(match)s is decided.")
    return message % {"match": format_full_match_name(match)}


def _describe_points(decision: MatchDecision, outcome: MatchOutcome) -> str:
    """Describe the points to be recorded, such as “Points: Ada 0, Alan 91.”.

    If there are none, return an empty string.
    """
    points, names = (
        choose_points_to_record(decision.match, outcome, decision.points),
        load_entry_names(decision.match.event),
    )
    listed = ", ".join(f"{names[number]} {total}" for number, total in points.items())
    return _("Points: %(points)s.") % {"points": listed} if listed else ""


_BRACKET_CHOICE_LABELS: Final = {
    LaterMatchChoice.KEEP: gettext_lazy("Keep it as played"),
    LaterMatchChoice.REPLAY: gettext_lazy("Play it again, with the players who belong there now"),
    LaterMatchChoice.VOID: gettext_lazy("Void: the result no longer counts"),
}


_CHOICE_LABELS_IN_PROGRESS: Final = {
    LaterMatchChoice.KEEP: gettext_lazy("Let these two play on"),
    LaterMatchChoice.REPLAY: gettext_lazy("Stop it: the two players who belong there now play instead"),
}


def _list_affected_matches(event: Event, touched: tuple[str, ...]) -> list[AffectedLaterMatch]:
    """Return the affected matches of a bracket or play-off, with text about their players and winners."""
    names, rounds, matches = load_entry_names(event), load_round_count(event), []
    for ident, entries, outcome in _iter_played_sides(event, touched):
        words = {"match": format_match_name(ident, rounds), "who": " – ".join(names[number] for number in entries)}
        winner = outcome.winner if outcome is not None else None
        won = names[winner] if winner is not None else _("nobody")
        label = _("%(match)s: %(who)s, won by %(winner)s") if outcome else _("%(match)s: %(who)s are playing")
        choices = _BRACKET_CHOICE_LABELS if outcome else _CHOICE_LABELS_IN_PROGRESS
        matches.append(AffectedLaterMatch(ident, label % {**words, "winner": won}, choices, LaterMatchChoice.REPLAY))
    return matches


def _iter_played_sides(
    event: Event, idents: tuple[str, ...]
) -> Iterator[tuple[str, tuple[int, ...], MatchOutcome | None]]:
    course = load_event_stages(event)
    progress = course.progress
    for ident in idents:
        stage_and_match = course.find_match(ident)
        if stage_and_match is not None:
            meeting = stage_and_match[1].meeting
            yield ident, meeting.sides, meeting.outcome
        elif progress is not None:
            yield ident, progress[ident].entries, progress[ident].outcome


# --- The ways in which a match can end, and their consequences -------------------------------------------------------

_ENDINGS_WITH_WINNER = (
    (ResultCause.PLAYED, gettext_lazy("It was played, and %(one)s won")),
    (ResultCause.TIME, gettext_lazy("Time was called, and %(one)s was ahead")),
    (ResultCause.NO_SHOW, gettext_lazy("%(other)s was a no-show")),
    (ResultCause.FORFEIT, gettext_lazy("%(other)s forfeited or left")),
    (ResultCause.WALK_OVER, gettext_lazy("It was not played, for another reason")),
    (ResultCause.PENALTY, gettext_lazy("%(other)s was penalized by a ruling")),
)


_ENDINGS_WITHOUT_WINNER = (
    (ResultCause.BOTH_ABSENT, gettext_lazy("Both were no-shows")),
    (ResultCause.FORFEIT, gettext_lazy("Both forfeited or left")),
    (ResultCause.PENALTY, gettext_lazy("Both were penalized by a ruling")),
    (ResultCause.VOID, gettext_lazy("Void: it does not count")),
)


@dataclass(frozen=True, slots=True)
class _Consequences:
    """Texts that describe the consequences of a result.

    `ahead` is for the winner and `behind` for the loser. `both` is for both sides if nobody wins, `owed` for a side
    that gets another game, and `void` for a void match. `winner_advances` is true if somebody has to advance.
    """

    winner_advances: bool
    ahead: str = ""
    behind: str = ""
    both: str = ""
    owed: str = ""
    void: str = ""


def _find_consequences(board: BracketBoard | None, match: Match, meeting: MatchSides) -> _Consequences:
    if not meeting.winner_advances:
        if meeting.kind is not None and meeting.kind.traits.all_meet:
            return _Consequences(False)
        void = _("The game does not count, and both play another one.")
        return _Consequences(False, owed=_("plays another game"), void=void)
    if meeting.kind is not None or board is None:
        out = _("is out of the play-off")
        return _Consequences(True, _("stays in the play-off"), out, out)
    return _find_bracket_consequences(board.progress, match.ident)


def _find_bracket_consequences(progress: BracketProgress, ident: str) -> _Consequences:
    bracket = progress.bracket
    ahead = _("advances") if ident in bracket.next_matches else _("wins the event")
    if bracket.is_double:
        if ident == bracket.final_match.id:
            return _Consequences(True, both=_("is eliminated"))
        if ident in bracket.loser_matches:
            return _Consequences(True, ahead, _("moves to the losers’ side"), _("is eliminated"))
    return _Consequences(True, ahead, _("is eliminated"), _("is eliminated"))


def _make_ending_groups(ident: str, sides: Sequence[tuple[int, str]], follows: _Consequences) -> list[_EndingGroup]:
    """Return the possible endings of a match between these two sides, with their consequences."""
    names = dict(sides)
    numbers = (sides[0][0], sides[1][0])
    title = _("%(name)s advances") if follows.winner_advances else _("%(name)s is ahead, or not at fault")

    def ending(winner: int | None, cause: ResultCause, label: str) -> _Ending:
        outcome = make_desk_outcome(ident, numbers, winner, cause, winner_advances=follows.winner_advances)
        return _Ending(f"{cause.value}:{winner or ''}", label, _describe_outcome(outcome, names, follows))

    groups: list[_EndingGroup] = []
    for number, other in (numbers, numbers[::-1]):
        words = {"one": names[number], "other": names[other]}
        endings = [ending(number, cause, str(label) % words) for cause, label in _ENDINGS_WITH_WINNER]
        groups.append((title % {"name": names[number]}, endings))
    both = [ending(None, cause, str(label)) for cause, label in _ENDINGS_WITHOUT_WINNER]
    return [*groups, (_("The same for both"), both)]


def _describe_outcome(outcome: MatchOutcome, names: Mapping[int, str], follows: _Consequences) -> str:
    """Describe what the result means for each side, and what follows from it, in sentences.

    For example: “Ann: loss by penalty, is out. Bob: no win, goes on.”
    """
    if outcome.is_void:
        return follows.void or _("The match does not count and is played again.")
    sentences = []
    for number, credit in outcome.credits.items():
        if not follows.winner_advances:
            consequence = follows.owed if credit.result is Result.NONE else ""
        elif outcome.winner is None:
            consequence = follows.both
        else:
            consequence = follows.ahead if number == outcome.winner else follows.behind
        words = ", ".join(filter(None, (describe_credit(credit), consequence)))
        sentences.append(f"{names[number]}: {words}.")
    return " ".join(sentences)
