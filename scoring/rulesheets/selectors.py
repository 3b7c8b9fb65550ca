"""Load and describe an event's rule sheet, check whether its rules fit the event, and find special match lengths."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from typing import Any, Final

from django.utils.translation import gettext as _

from pairing.draws.knockout.bracket import Bracket, BracketPart
from pairing.draws.stages.plan import StageKind
from pairing.draws.table_rounds import TableTerms
from pairing.models import Match
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.plans import load_event_plan, load_stage_traits, load_table_terms
from scoring.models import RuleSheet, RuleSheetFrozen
from scoring.rules.book.options import (
    MatchLength,
    MatchPosition,
    Option,
    Options,
    apply_match_length,
    describe_bracket_round,
    read_match_lengths,
    resolve_match_length,
)
from scoring.rules.rulings.policies import find_dispute_policy
from scoring.rules.sheet.sheets import VariantRules
from scoring.rules.variants import VARIANTS
from tournament.cases import ProblemCollector
from tournament.models import Event
from tournament.registration.selectors.entries import APPROVAL_ROLES, explain_approvals, list_required_approvals

SINGLES_VARIANT: Final = "gra-singles"
PAIRS_VARIANT: Final = "gra-partnership"
PAIR_SIZE: Final = 2
GRA_VARIANTS: Final = ("gra-singles", "gra-partnership")


def load_current_rule_sheet(event: Event) -> RuleSheet | None:
    return event.rule_sheets.order_by("-version").first()


def has_frozen_rule_sheet(event: Event) -> bool:
    return RuleSheetFrozen.objects.filter(event=event).exists()


def load_rule_sheet_versions(event: Event) -> list[RuleSheet]:
    """Return all versions of the rule sheet, newest first."""
    return list(event.rule_sheets.order_by("-version"))


def find_default_variant(event: Event) -> str:
    """Return the rule set that an event uses until the director chooses one."""
    return load_stage_traits(event).own_rules or (PAIRS_VARIANT if event.entry_size == PAIR_SIZE else SINGLES_VARIANT)


def make_default_rule_sheet(event: Event) -> RuleSheet:
    return RuleSheet(
        event=event,
        version=0,
        variant=find_default_variant(event),
        options=VARIANTS[find_default_variant(event)].defaults(),
        games_to_win=1,
    )


def explain_unsuitable_rules(event: Event, name: str, options: Options) -> str:
    """Return why this rule set does not fit the event's format, or an empty string if it fits."""
    variant = VARIANTS[name]
    own = load_stage_traits(event).own_rules
    if own and own != name:
        fitting = VARIANTS[own].title
        return _("This event's format is for %(fitting)s, not for %(title)s. Change the format first.") % {
            "fitting": fitting,
            "title": variant.title,
        }
    if own != name and any(kind.traits.own_rules == name for kind in StageKind):
        return _("%(title)s needs a format in which the sides change every round. Change the format first.") % {
            "title": variant.title
        }
    few, many = find_side_limits(name, options)
    if load_stage_traits(event).two_meet and not few <= 2 <= many:
        return _("%(title)s is for %(wanted)s, but matches here are one on one. Choose other rules.") % {
            "title": variant.title,
            "wanted": _describe_number_on_card(few, many),
        }
    terms = load_table_terms(event)
    return _explain_unsuitable_at_tables(terms, variant.title, few, many) if terms is not None else ""


def _explain_unsuitable_at_tables(terms: TableTerms, title: str, few: int, many: int) -> str:
    if not few <= terms.size <= many:
        wanted = str(few) if few == many else f"{few} to {many}"
        return _(
            "%(title)s is for %(wanted)s at a table, and this event has tables of %(size)s. Change the "
            "format or the rules."
        ) % {"title": title, "wanted": wanted, "size": terms.size}
    if few == many and not terms.requires_full_tables:
        return _(
            "%(title)s is for exactly %(few)s at a table, and tables of this event may have fewer. "
            "Change the format or the rules."
        ) % {"title": title, "few": few}
    return ""


def find_side_limits(name: str, options: Options) -> tuple[int, int]:
    """Return the smallest and largest number of sides on a card under these options."""
    variant = VARIANTS[name]
    chosen = next((p for p in variant.presets if p.options.get("game") == options.get("game")), None)
    return chosen.sides if chosen and chosen.sides else (variant.fewest_sides, variant.most_sides)


def describe_rule_sheet(sheet: RuleSheet) -> dict[str, Any]:
    """Return the text of a rule sheet for publication.

    The result has the keys from `describe_rule_set` and these:

    - `games`: the number of games in a match, or empty if every match is a single game.
    - `remarks`: the house rules that no option covers.
    - `lengths`: the stages and rounds in which matches are longer or shorter.
    - `unfinished`: the rule for unfinished games, or empty if the event has none.
    """
    games = _describe_match_length(sheet.games_to_win) if allows_several_games(sheet.event, sheet.variant) else ""
    words = describe_rule_set(sheet.variant, sheet.options)
    draw = VARIANTS[sheet.variant]((), sheet.options).table_draw()
    if draw.orders_sides and sheet.seats == RuleSheet.Seats.EVENT:
        words |= {"draw": _("Nobody draws. Seats and roles come from the event's draw."), "draw_rule": ""}
    return words | {
        "games": games,
        "remarks": sheet.remarks,
        "lengths": _describe_lengths(sheet),
        "unfinished": describe_unfinished_game_rule(sheet),
    }


def describe_unfinished_game_rule(sheet: RuleSheet) -> str:
    """Return how an unfinished game ends when time is called.

    The text is empty if one card covers the whole event, because time is never called in such an event.
    """
    return "" if load_stage_traits(sheet.event).one_card else str(sheet.get_unfinished_display())


def describe_rule_set(name: str, options: Options | None = None) -> dict[str, Any]:
    """Return the text about a rule set, with these options or with its defaults.

    - `draw`: the cut or draw before the first hand. `draw_rule` is its source, if any.
    - `is_numbered`: whether the sentences in `summary` are the rule book's numbered rules.
    - `follows`, `follows_title`: the rule set that applies to questions that the rule book does not answer.
    """
    variant = VARIANTS[name]
    values = variant.defaults() if options is None else options
    made = variant((), values)
    draw = made.table_draw()
    book = variant.rulebook
    return {
        "title": variant.title,
        "about": variant.about,
        "source": book.title,
        "players": describe_player_count(name),
        "games": "",
        "options": [_describe_option(option, values) for option in variant.options],
        "rule_tables": made.make_rule_tables(),
        "summary": book.summary,
        "signers": variant.signers,
        "is_numbered": book.is_numbered,
        "notes": book.notes,
        "follows": book.follows,
        "follows_title": VARIANTS[book.follows].title if book.follows else "",
        "remarks": "",
        "lengths": [],
        "unfinished": "",
        "disputes": find_dispute_policy(name).sentences,
        "draw": f"{draw.instruction} {draw.words}",
        "draw_rule": draw.rule,
    }


def _describe_option(option: Option, chosen: Options) -> dict[str, Any]:
    """Return an option's line on the published rule sheet.

    The line shows whether the rules or the director set the option's value.
    """
    value = chosen[option.name]
    return {
        "label": option.label,
        "value": option.describe(value),
        "meaning": option.meaning,
        "rule": option.rule,
        "set_by_director": not option.rule or value != option.default,
    }


def describe_player_count(name: str) -> str:
    """Return the number of players on a card, as text.

    >>> describe_player_count("gra-singles"), describe_player_count("fort-worth"), describe_player_count("metzker")
    ('2 on a score card', '2 to 5 on a score card', 'two teams, Guys and Girls')
    """
    variant = VARIANTS[name]
    if variant.sides_are_teams:
        one, other = variant.side_names
        return _("two teams, %(one)s and %(other)s") % {"one": one, "other": other}
    few, many = variant.fewest_sides, variant.most_sides
    if many == 1:
        return _("one score card for every player")
    return _describe_number_on_card(few, many)


def _describe_number_on_card(few: int, many: int) -> str:
    if few == many:
        return _("%(few)s on a score card") % {"few": few}
    return _("%(few)s to %(many)s on a score card") % {"few": few, "many": many}


def allows_several_games(event: Event, name: str) -> bool:
    """Return whether a match under these rules can have several games."""
    variant = VARIANTS[name]
    return (
        load_stage_traits(event).two_meet
        and variant.fewest_sides <= 2 <= variant.most_sides
        and not variant.sides_are_teams
    )


def describe_approvals(event: Event) -> list[str]:
    """Return sentences for the director about the approvals that each entry in the event needs."""
    sheet = load_current_rule_sheet(event)
    variant = sheet.variant if sheet else find_default_variant(event)
    sentences = [explain_approvals(event)]
    if variant in GRA_VARIANTS and len(list_required_approvals(event)) < len(APPROVAL_ROLES):
        sentences.append(
            _(
                "By the Association's rules the director, the coordinator and the hotel approve every entry. "
                "You can require that under Setup."
            )
        )
    return sentences


# --- Lengths: the place of each match in the event, and the length that the rule sheet sets for it -------------------

MAX_ROUNDS_WITH_SPECIAL_LENGTH: Final = 4
"""The number of last rounds whose matches can have their own length: from the round of sixteen to the final."""


def read_special_match_lengths(sheet: RuleSheet) -> tuple[MatchLength, ...]:
    return read_match_lengths(sheet.lengths, VARIANTS[sheet.variant].options, ProblemCollector())


def _load_match_positions(event: Event, matches: Iterable[Match]) -> dict[int, MatchPosition]:
    """Return each match's stage and round, keyed by the match's primary key."""
    course, listed = load_event_stages(event), list(matches)
    ends = count_rounds_from_end(course.progress.bracket) if course.progress else {}
    kinds = {stage.row.pk: stage.kind.value for stage in course.stages}
    return {match.pk: MatchPosition(kinds.get(match.stage_id, ""), ends.get(match.ident)) for match in listed}


def count_rounds_from_end(bracket: Bracket) -> dict[str, int]:
    """Return each match's round, keyed by the match's name. Rounds are counted backwards: the final is round 1."""
    if not bracket.is_double:
        return {match.id: bracket.count_rounds() - match.round + 1 for match in bracket.matches}
    last: dict[BracketPart | None, int] = {part: bracket.count_rounds(part) for part in BracketPart}
    return {
        match.id: 1 if match.part is BracketPart.FINAL else last[match.part] - match.round + 2
        for match in bracket.matches
    }


def load_special_lengths_by_match(
    event: Event, sheet: RuleSheet, matches: Iterable[Match]
) -> dict[int, dict[str, Any]]:
    """Return each match's special length, keyed by the match's primary key.

    A length has the format that cards store. It is empty for a match of the usual length.
    """
    lengths, listed = read_special_match_lengths(sheet), list(matches)
    if not lengths:
        return {match.pk: {} for match in listed}
    return {pk: resolve_match_length(lengths, place) for pk, place in _load_match_positions(event, listed).items()}


def make_rules_for_position(sheet: RuleSheet, place: MatchPosition) -> VariantRules:
    """Return the rules for a card in this stage and round."""
    return VariantRules(
        sheet.variant, apply_match_length(sheet.options, resolve_match_length(read_special_match_lengths(sheet), place))
    )


@dataclass(frozen=True, slots=True)
class MatchLengthScope:
    """A part of the event that can have its own match length: a stage, or one of the last rounds, such as “Final”.

    `within` is the kind of stage to which a round belongs. It is empty if the event has no stages.
    """

    stage: str
    from_end: int | None
    name: str
    within: str = ""

    @property
    def key(self) -> tuple[str, int | None]:
        return self.stage, self.from_end

    @property
    def code(self) -> str:
        """The identifier for this stage or round in forms and jobs."""
        return f"{self.stage}-{self.from_end or ''}"

    @property
    def match_position(self) -> MatchPosition:
        return MatchPosition(self.stage or self.within, self.from_end)


def list_match_length_scopes(event: Event) -> list[MatchLengthScope]:
    """Return the stages in order, followed by the last rounds of the bracket."""
    plan = load_event_plan(event)
    stages = plan.desk_stages
    if not stages:
        return _list_last_rounds(plan.first.kind, within="") if plan.first.kind.traits.is_bracket else []
    names: dict[str, list[str]] = {}
    for stage in stages:
        names.setdefault(stage.kind.value, []).append(stage.name)
    places = [MatchLengthScope(kind, None, " / ".join(dict.fromkeys(each))) for kind, each in names.items()]
    last = stages[-1].kind
    return [*places, *(_list_last_rounds(last, within=last.value) if last.traits.is_bracket else [])]


def load_scopes_with_special_match_length(event: Event) -> list[MatchLengthScope]:
    """Return the stages and rounds whose matches are longer or shorter than usual."""
    sheet = load_current_rule_sheet(event)
    usual = sheet and make_rules_for_position(sheet, MatchPosition())
    return [
        place
        for place in list_match_length_scopes(event)
        if sheet and make_rules_for_position(sheet, place.match_position) != usual
    ]


def _list_last_rounds(kind: StageKind, *, within: str) -> list[MatchLengthScope]:
    is_double = kind.traits.two_lives
    return [
        MatchLengthScope("", n, describe_bracket_round(n, is_double=is_double), within)
        for n in range(1, MAX_ROUNDS_WITH_SPECIAL_LENGTH + 1)
    ]


def _describe_lengths(sheet: RuleSheet) -> list[tuple[str, str]]:
    """Return the name of each stage or round with its length, such as (“Final”, “to 500”)."""
    names = {place.key: place.name for place in list_match_length_scopes(sheet.event)}
    described = []
    for length in read_special_match_lengths(sheet):
        parts = [f"to {points}" for points in length.options.values()]
        if length.games_to_win is not None:
            parts.append(_describe_match_length(length.games_to_win))
        described.append((_describe_position(length, names), ", ".join(parts)))
    return described


def _describe_position(length: MatchLength, names: dict[tuple[str, int | None], str]) -> str:
    name = names.get((length.stage, length.from_end))
    if name is not None:
        return name
    round_ = describe_bracket_round(length.from_end) if length.from_end else ""
    return ", ".join(filter(None, [StageKind(length.stage).traits.name if length.stage else "", round_]))


def _describe_match_length(games_to_win: int) -> str:
    """Return the length of a match as text.

    >>> _describe_match_length(1), _describe_match_length(2)
    ('one game', 'the first to win 2 games, at most 3')
    """
    if games_to_win == 1:
        return _("one game")
    return _("the first to win %(games_to_win)s games, at most %(most)s") % {
        "games_to_win": games_to_win,
        "most": 2 * games_to_win - 1,
    }


# --- Sizes relative to the usual match -------------------------------------------------------------------------------


def load_relative_match_lengths(event: Event, matches: Iterable[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return each match's length relative to the usual one, such as 2.0 if it is twice as long.

    Each match is identified by the kind of its stage and the match's name. The kind is empty if the event has no
    stages.
    """
    listed = list(matches)
    sheet = load_current_rule_sheet(event)
    if sheet is None or not sheet.lengths:
        return dict.fromkeys(listed, 1.0)
    progress = load_event_stages(event).progress
    ends = count_rounds_from_end(progress.bracket) if progress else {}
    usual = _compute_expected_points(sheet, MatchPosition())
    return {
        (stage, ident): _compute_expected_points(sheet, MatchPosition(stage, ends.get(ident))) / usual
        for stage, ident in listed
    }


def _compute_expected_points(sheet: RuleSheet, place: MatchPosition) -> float:
    """Return a match's expected length: a game's points times the expected number of games between equal players."""
    length = resolve_match_length(read_special_match_lengths(sheet), place)
    target = apply_match_length(sheet.options, length).get("target")
    points = target if isinstance(target, int) else 1
    return points * _compute_expected_games(length.get("games_to_win", sheet.games_to_win))


def _compute_expected_games(to_win: int) -> float:
    """Return the expected number of games until one of two equally strong players has won this many.

    >>> _compute_expected_games(1), _compute_expected_games(2)
    (1.0, 2.5)
    """
    lasts = range(to_win, 2 * to_win)
    return sum(games * comb(games - 1, to_win - 1) / 2.0 ** (games - 1) for games in lasts)
