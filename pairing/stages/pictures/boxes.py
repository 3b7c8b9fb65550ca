"""Describe matches (their round, state and outcome) and render them as boxes.

Rendering a thousand boxes in a template is slow, so this is done in Python. The markup must stay the same as in
`templates/components/match_box.html`.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Final
from weakref import WeakKeyDictionary

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from pairing.draws.knockout.bracket import BracketPart, DrawnSide, LoserOf, RoundKey, WinnerOf
from pairing.draws.knockout.progress import BracketMatchProgress, BracketMatchState, BracketSide
from pairing.draws.results import PLAYED_MATCH_CAUSES, Credit, MatchOutcome, Result, ResultCause
from pairing.models import Match
from pairing.stages.selectors.boards import BracketBoard, count_stage_rounds, load_round_count
from tournament.templatetags.gin import minus, render_badge

# --- Credits and penalties in words ----------------------------------------------------------------------------------

CREDIT_LABELS = {
    (Result.WIN, ResultCause.PLAYED): gettext_lazy("win"),
    (Result.WIN, ResultCause.TIME): gettext_lazy("win, ahead when time was called"),
    (Result.WIN, ResultCause.WALK_OVER): gettext_lazy("win by walkover"),
    (Result.WIN, ResultCause.BYE): gettext_lazy("win by a bye"),
    (Result.LOSS, ResultCause.PLAYED): gettext_lazy("loss"),
    (Result.LOSS, ResultCause.TIME): gettext_lazy("loss, behind when time was called"),
    (Result.LOSS, ResultCause.FORFEIT): gettext_lazy("loss by forfeit"),
    (Result.LOSS, ResultCause.NO_SHOW): gettext_lazy("loss, no-show"),
    (Result.LOSS, ResultCause.BOTH_ABSENT): gettext_lazy("loss, no-show"),
    (Result.LOSS, ResultCause.WALK_OVER): gettext_lazy("loss, not played"),
    (Result.LOSS, ResultCause.PENALTY): gettext_lazy("loss by penalty"),
    (Result.LOSS, ResultCause.DISQUALIFIED): gettext_lazy("loss, disqualified"),
    (Result.NONE, ResultCause.PENALTY): gettext_lazy("no win"),
    (Result.NONE, ResultCause.VOID): gettext_lazy("no games yet"),
    (Result.NONE, ResultCause.BYE): gettext_lazy("no win and no loss, not yet in the event"),
}


def describe_credit(credit: Credit) -> str:
    return str(CREDIT_LABELS.get((credit.result, credit.cause), f"{credit.result.value}, {credit.cause.value}"))


def describe_penalty_win(credits: Mapping[int, Credit], winner: int | None, names: Mapping[int, str]) -> str:
    """Describe a match that was won by a penalty, such as “Ada wins the match, by a penalty against Alan.”.

    Return an empty string if neither of the two sides lost by a penalty.
    """
    lost = [
        number for number, each in credits.items() if (each.result, each.cause) == (Result.LOSS, ResultCause.PENALTY)
    ]
    if not lost or len(credits) != 2:
        return ""
    called = [names.get(number, str(number)) for number in lost]
    who = names.get(winner, str(winner)) if winner is not None else _("Nobody")
    if len(called) == 1:
        return _("%(who)s wins the match, by a penalty against %(loser)s.") % {"who": who, "loser": called[0]}
    both = {"who": who, "one": called[0], "other": called[1]}
    return _("%(who)s wins the match, by penalties against %(one)s and %(other)s.") % both


MatchUrlBuilder = Callable[[str], str]

# --- Names of rounds and matches -------------------------------------------------------------------------------------

BRACKET_PART_LABELS = {
    BracketPart.WINNERS: gettext_lazy("Winners’ side"),
    BracketPart.LOSERS: gettext_lazy("Losers’ side"),
    BracketPart.FINAL: gettext_lazy("Finals"),
}
BRACKET_PART_BY_LETTER = {part.name[0]: part for part in BracketPart}
"""Maps the first letter of a match name in a double elimination to the part of the bracket."""


def format_short_round_name(key: RoundKey, rounds: int) -> str:
    """Return a round's name without its side of the bracket: “Round 2” instead of “Losers’ side, round 2”.

    The last rounds of a single elimination have names such as “Semifinals”. `rounds` is the bracket's number of rounds.
    """
    if key.part is BracketPart.FINAL:
        return _("Final") if key.number == 1 else _("Second final")
    last = {0: _("Final"), 1: _("Semifinals"), 2: _("Quarterfinals")}
    return (None if key.part else last.get(rounds - key.number)) or _("Round %(number)s") % {"number": key.number}


def format_round_name(key: RoundKey, rounds: int) -> str:
    """Return a round's full name, such as “Quarterfinals” or “Losers’ side, round 2”."""
    name = format_short_round_name(key, rounds)
    if key.part in (None, BracketPart.FINAL):
        return name
    return _("%(part)s, round %(number)s") % {"part": BRACKET_PART_LABELS[key.part], "number": key.number}


def format_match_name(ident: str, rounds: int = 0) -> str:
    """Return a match's full name.

    `R2M3` is “Round 2, match 3”, or “Quarterfinal 3” in a bracket of four rounds. `G7` is “Game 7”. `R2T3` is the third
    table in an event with rounds at tables, and its name is “Round 2, group 3”. If round 2 is seated again, the third
    table of the new seating is `R2T3-2`, and has the same name.

    `rounds` is the number of rounds in a single-elimination bracket, and 0 for any other match.
    """
    number, at_table, position = ident[1:].partition("T")
    if at_table:
        return _("Round %(round)s, group %(position)s") % {"round": number, "position": position.partition("-")[0]}
    number, _m, position = ident[1:].partition("M")
    place = {"round": number, "position": position}
    match ident[0]:
        case "G":
            return _("Game %(number)s") % {"number": number}
        case "X":
            return _("Penalty %(number)s") % {"number": number}
        case "P":
            return _("Play-off, round %(round)s, match %(position)s") % place
        case "F":
            return _("Final") if number == "1" else _("Second final")
        case "W" | "L" as side:
            part = BRACKET_PART_LABELS[BRACKET_PART_BY_LETTER[side]]
            return _("%(part)s, round %(round)s, match %(position)s") % {"part": part, **place}
    if rounds and position:
        to_final = rounds - int(number)
        if to_final == 0:
            return _("Final")
        if to_final == 1:
            return _("Semifinal %(position)s") % place
        if to_final == 2:
            return _("Quarterfinal %(position)s") % place
    return _("Round %(round)s, match %(position)s") % place


def format_full_match_name(match: Match) -> str:
    """Return a match's full name, for any kind of stage."""
    return format_match_name(match.ident, count_stage_rounds(match) if match.ident.startswith("R") else 0)


def format_full_round_name(match: Match) -> str:
    """Return the full name of a match's round, such as “Quarterfinals”, “Losers’ side, round 2”, or “Round 3”."""
    part = BRACKET_PART_BY_LETTER.get(match.ident[0])
    is_in_bracket = match.ident[0] == "R" and "M" in match.ident
    return format_round_name(RoundKey(part, match.round), load_round_count(match.event) if is_in_bracket else 0)


def format_short_match_name(ident: str) -> str:
    """Return a match's short name in a double elimination. `W2M1` is W2·1, and the finals are F and F2."""
    number, _m, position = ident[1:].partition("M")
    if ident[0] == "F":
        return "F" if number == "1" else "F2"
    return f"{ident[0]}{number}·{position}"


# --- States and outcomes in words ------------------------------------------------------------------------------------

CAUSE_LABELS = {
    ResultCause.NO_SHOW: gettext_lazy("no-show"),
    ResultCause.DISQUALIFIED: gettext_lazy("the opponent was disqualified"),
    ResultCause.BOTH_ABSENT: gettext_lazy("neither player came"),
    ResultCause.WALK_OVER: gettext_lazy("another reason"),
}


def get_match_state_code(board: BracketBoard, view: BracketMatchProgress) -> str:
    """Return the code of a match's state, for use with `state_badge`."""
    ident = view.match.id
    match view.state:
        case BracketMatchState.NOT_NEEDED:
            return "not-needed"
        case BracketMatchState.READY:
            return "playing" if ident in board.started else "called" if ident in board.tables else "ready"
        case BracketMatchState.DECIDED if ident in board.corrected:
            return "corrected"
        case BracketMatchState.DECIDED:
            return "done" if _is_played(view) else "walk-over"
    return "if-needed" if view.match.if_needed else "waiting"


def _is_played(view: BracketMatchProgress) -> bool:
    return view.outcome is not None and bool(
        PLAYED_MATCH_CAUSES & {credit.cause for credit in view.outcome.credits.values()}
    )


def explain_why_not_played(view: BracketMatchProgress, names: Mapping[int, str] | None = None) -> str:
    """Explain why a decided match was not played. Return an empty string if it was played or is open."""
    return "" if view.outcome is None else explain_unplayed_outcome(view.outcome, names)


def _explain_forfeit(outcome: MatchOutcome) -> str:
    """Explain that the loser, or both players, gave up or left. Return an empty string if nobody did."""
    lost_by = [credit.cause for number, credit in outcome.credits.items() if number != outcome.winner]
    if ResultCause.FORFEIT not in lost_by:
        return ""
    if outcome.winner is not None:
        return _("The opponent gave up or left")
    both = len(lost_by) > 1 and set(lost_by) == {ResultCause.FORFEIT}
    return _("No winner: both players gave up or left") if both else _("No winner: one player gave up or left")


def explain_retained_side(view: BracketMatchProgress) -> str:
    """Return a note if a player stayed in this match although a corrected result would send somebody else to it.

    Return an empty string if there is no such player.
    """
    return _("Kept as played: an earlier result was corrected") if any(s.kept for s in view.sides) else ""


def explain_unplayed_outcome(outcome: MatchOutcome, names: Mapping[int, str] | None = None) -> str:
    """Explain why a match was not played to the end. Return an empty string if it was.

    If `names` is given, the text for a penalty names the players. If somebody gave up, the match is never called “not
    played”, because it may have been started.
    """
    by_penalty = describe_penalty_win(outcome.credits, outcome.winner, names) if names is not None else ""
    if by_penalty:
        return by_penalty
    causes = {number: credit.cause for number, credit in outcome.credits.items()}
    if outcome.is_void:
        return _("Void: to be played again")
    if PLAYED_MATCH_CAUSES & set(causes.values()):
        return ""
    lost_by = [cause for number, cause in causes.items() if number != outcome.winner]
    if ResultCause.PENALTY in lost_by:
        return _("Decided by a ruling") if outcome.winner is not None else _("No winner, by a ruling")
    if gave_up := _explain_forfeit(outcome):
        return gave_up
    words = str(CAUSE_LABELS.get(lost_by[0], "")) if lost_by else _("no player reached this match")
    if outcome.winner is None:
        return _("No winner: %(why)s") % {"why": words}
    return _("Not played: %(why)s") % {"why": words}


def describe_match(board: BracketBoard, view: BracketMatchProgress) -> str:
    """Describe the match in a sentence for screen readers and announcements."""
    names = [describe_side(board, side, view.match.id) for side in view.sides]
    if view.state is BracketMatchState.NOT_NEEDED:
        return _("Not needed: the unbeaten side won the final")
    if view.winner is None:
        return _("%(one)s against %(other)s") % {"one": names[0], "other": names[1]}
    score = board.scores.get(view.match.id, {})
    loser = next((number for number in view.entries if number != view.winner), None)
    by_penalty = (
        describe_penalty_win(view.outcome.credits, view.winner, board.names_by_match.get(view.match.id, board.names))
        if view.outcome is not None
        else ""
    )
    if by_penalty:
        return by_penalty
    if loser is not None and view.outcome is not None and _explain_forfeit(view.outcome):
        names = [board.get_name_in_match(view.match.id, view.winner), board.get_name_in_match(view.match.id, loser)]
        return _("%(winner)s advances: %(loser)s gave up or left") % {"winner": names[0], "loser": names[1]}
    if loser is None or not _is_played(view):
        return _("%(winner)s advances by walkover") % {"winner": board.name(view.winner)}
    names = [board.get_name_in_match(view.match.id, view.winner), board.get_name_in_match(view.match.id, loser)]
    words = {"winner": names[0], "loser": names[1]}
    if view.winner not in score or loser not in score:
        return _("%(winner)s beats %(loser)s") % words
    scores = {"won": minus(score[view.winner]), "lost": minus(score[loser])}
    return _("%(winner)s beats %(loser)s, %(won)s to %(lost)s") % {**words, **scores}


def describe_side(board: BracketBoard, side: BracketSide, ident: str) -> str:
    """Return a side's name or, if it is not known yet, the match whose winner or loser it will be.

    `ident` is the match that the side belongs to.
    """
    if side.entry is not None:
        return board.get_name_in_match(ident, side.entry)
    if side.vacant:
        return _("Nobody")
    if isinstance(side.source, WinnerOf):
        return _("Winner of %(match)s") % {"match": format_match_name(side.source.match, board.round_count)}
    if isinstance(side.source, LoserOf):
        return _("Loser of %(match)s") % {"match": format_match_name(side.source.match, board.round_count)}
    return "–"


# --- Boxes of matches ------------------------------------------------------------------------------------------------


def render_match_or_table_box(
    label: str, href: str, *, name: str, mine: bool, table: int | None, **parts: str
) -> SafeString:
    """Render the box of a match, or of a table in a round. `name` is the box's HTML id.

    The other keyword arguments (`parts`) are `news` (the text to announce), `badge` (the state), `sides`, and `note`,
    which may be empty.
    """
    ring = format_html(
        '<span class="table-ring figures"><span class="table-ring-word">{}</span> '
        '<span class="table-ring-number">{}</span></span>',
        _("Table"),
        table,
    )
    return format_html(
        '<article class="match-box{mine}" id="{name}" data-glow="{name}" data-news="{news}">'
        '<header class="match-box-head"><a class="match-box-label" href="{href}">{label}</a>{badge}</header>'
        '<div class="match-box-body"><ol class="match-sides">{sides}</ol>{ring}</div>{note}</article>',
        mine=" is-mine" if mine else "",
        name=name,
        href=href,
        label=label,
        ring=ring if table else "",
        **parts | {"note": format_html('<p class="match-box-note">{}</p>', parts["note"]) if parts["note"] else ""},
    )


def render_box_side(number: int | str, name: str, *, won: str, mine: bool, word: str, score: int | str) -> SafeString:
    """Render one side of a box.

    `won` is the hidden text for the winner's check mark, and is empty for any other side. `word` is a short text to
    show after the name, such as “you”.
    """
    tick = format_html(
        '<span class="winner-sign"><span aria-hidden="true">✓</span><span class="visually-hidden">{}</span></span>', won
    )
    return format_html(
        '<li class="match-side{}"><span class="entry-number figures">{}</span><span class="match-name">{}{}</span>{}'
        '<span class="score">{}</span></li>',
        (" is-winner" if won else "") + (" is-mine" if mine else ""),
        number,
        name,
        format_html(' <span class="{}">{}</span>', "mine-word" if mine else "second small", word) if word else "",
        tick if won else "",
        score,
    )


def join_html(parts: Iterable[str]) -> SafeString:
    """Join HTML fragments, and escape those that are not marked safe.

    A bracket has a thousand fragments, and `format_html_join` takes ten times as long.
    """
    return SafeString("".join(map(conditional_escape, parts)))


def render_match_box(
    board: BracketBoard,
    view: BracketMatchProgress,
    *,
    address: MatchUrlBuilder,
    me: int | None = None,
    prefix: str = "",
) -> SafeString:
    href = address(view.match.id)
    return render_cached_box(board, view, me, ("box", href, prefix), lambda: _render_box(board, view, href, me, prefix))


def render_match_boxes(
    board: BracketBoard,
    views: Iterable[BracketMatchProgress],
    *,
    address: MatchUrlBuilder,
    me: int | None = None,
    prefix: str = "",
) -> SafeString:
    return join_html(render_match_box(board, view, address=address, me=me, prefix=prefix) for view in views)


def _render_box(board: BracketBoard, view: BracketMatchProgress, href: str, me: int | None, prefix: str) -> SafeString:
    ident, names = view.match.id, board.names
    short_names = {number: board.shorten(name) for number, name in names.items()} if board.short_names else names
    return render_match_or_table_box(
        format_match_name(ident, board.round_count),
        href,
        name=f"{prefix}match-{ident}",
        mine=me is not None and me in view.entries,
        table=board.tables.get(ident),
        news=describe_match(board, view) if view.winner is not None else "",
        badge=render_badge(get_match_state_code(board, view)),
        sides=join_html(_render_side(board, view, side, me) for side in view.sides),
        note=explain_why_not_played(view, short_names) or explain_retained_side(view),
    )


def _render_side(board: BracketBoard, view: BracketMatchProgress, side: BracketSide, me: int | None) -> SafeString:
    won = side.entry is not None and side.entry == view.winner
    mine = side.entry is not None and side.entry == me
    name = board.shorten(describe_side(board, side, view.match.id))
    score = (
        board.scores.get(view.match.id, {}).get(side.entry or 0, "") if view.state is BracketMatchState.DECIDED else ""
    )
    # The winner can have the match only because of the other side's penalty, without a win.
    credit = view.outcome.credits.get(view.winner or 0) if view.outcome is not None else None
    words = _("has the match") if credit is not None and credit.result is Result.NONE else _("winner")
    return render_box_side(
        side.entry or "",
        name if side.entry is not None else format_html('<span class="second">{}</span>', name),
        won=words if won else "",
        mine=mine,
        word=_("you") if mine else "",
        score=minus(score),
    )


# --- The cache of boxes ----------------------------------------------------------------------------------------------
# The key of a box contains everything that it shows, so no entry is ever stale.

MAX_CACHED_BOXES: Final = 50_000
"""The maximum number of boxes to cache in a process. A bracket with 256 entries has about a thousand."""
_cached_boxes: dict[Hashable, SafeString] = {}
_cached_match_keys: WeakKeyDictionary[BracketBoard, dict[str, tuple[Hashable, ...]]] = WeakKeyDictionary()


def render_cached_box(
    board: BracketBoard,
    view: BracketMatchProgress,
    me: int | None,
    place: tuple[Hashable, ...],
    write: Callable[[], SafeString],
) -> SafeString:
    """Return a match's box from the cache, or render it with `write`.

    `place` completes the cache key. It has all values that the box depends on, apart from the match, `me`, and the
    language.
    """
    # The match's part of the key is computed once for each board, because both the list and the picture need it.
    keys = _cached_match_keys.setdefault(board, {})
    if view.match.id not in keys:
        keys[view.match.id] = _make_match_key(board, view)
    key = (place, me if me in view.entries else None, get_language(), keys[view.match.id])
    written = _cached_boxes.get(key)
    if written is None:
        if len(_cached_boxes) >= MAX_CACHED_BOXES:
            _cached_boxes.clear()
        written = _cached_boxes[key] = write()
    return written


def _make_match_key(board: BracketBoard, view: BracketMatchProgress) -> tuple[Hashable, ...]:
    ident, outcome = view.match.id, view.outcome
    credits = outcome.credits if outcome is not None else {}
    names, played_by = board.names, board.names_by_match.get(ident, board.names)
    return (
        ident,
        _make_side_key(view.sides[0]),
        _make_side_key(view.sides[1]),
        view.is_needed,
        (view.winner, tuple(credits.items()), outcome is not None),
        tuple((names.get(number), played_by.get(number)) for number in (*view.entries, *credits)),
        tuple(board.shorten(played_by.get(number, "")) for number in view.entries) if board.short_names else (),
        tuple(board.scores.get(ident, {}).items()),
        (board.tables.get(ident), ident in board.started, ident in board.corrected),
        (board.number_width, board.is_double_elimination),
    )


def _make_side_key(side: BracketSide) -> tuple[Hashable, ...]:
    """Return a side of a match as a tuple of plain values, which can be part of a cache key.

    Dataclasses hash slowly, and brackets have thousands of sides.
    """
    source = side.source
    comes = source.number if isinstance(source, DrawnSide) else source.match
    return (type(source).__name__, comes, side.entry, side.vacant, side.kept, side.displaced_entry)
