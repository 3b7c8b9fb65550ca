"""The rule sheet of an event: its versions, the one that counts, and how it reads in words."""

from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.translation import gettext as _

from pairing.draws.stages.kinds import StageKind
from pairing.draws.table_rounds.rounds import TableTerms
from pairing.plans.selectors import table_terms, traits_of
from scoring.models import RuleSheet, RuleSheetFrozen
from scoring.rules.book.options import Option, Options
from scoring.rules.book.rulebook import Particular
from scoring.rules.rulings.policies import policy_of
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import Variant
from scoring.rulesheets.selectors.lengths import lengths_said as lengths_in_words
from scoring.rulesheets.selectors.lengths import match_in_words
from tournament.models import Event

USUAL_VARIANT: Final = "gra-singles"
USUAL_OF_PAIRS: Final = "gra-partnership"
PAIR: Final = 2
USUAL_GAMES_TO_WIN: Final = 1
"""Formats that are one rule set's own."""


@dataclass(frozen=True, slots=True)
class OptionInWords:
    """One line of the published sheet. `rule` empty: the rules are silent, the director set it."""

    label: str
    value: str
    meaning: str
    rule: str
    changed: bool

    @property
    def set_by_director(self) -> bool:
        return not self.rule or self.changed


@dataclass(frozen=True, slots=True)
class RulesInWords:
    """A rule sheet as it is published. `games` is empty where a match is always one game.

    `lengths` has the places where matches are longer or shorter; `unfinished` is empty where no rule can be chosen;
    `draw` is what is cut or drawn for before the first hand. `is_numbered`: the sentences of `summary` are the rules
    of the book, by number; `besides` has what follows them. `follows` and `follows_title` name the rule set that holds
    where the book says nothing.
    """

    title: str
    about: str
    source: str
    players: str
    games: str
    options: tuple[OptionInWords, ...]
    particulars: tuple[Particular, ...]
    summary: tuple[str, ...]
    signers: str
    is_numbered: bool = False
    besides: tuple[str, ...] = ()
    follows: str = ""
    follows_title: str = ""
    remarks: str = ""
    lengths: tuple[tuple[str, str], ...] = ()
    unfinished: str = ""
    disputes: tuple[str, ...] = ()
    draw: str = ""
    draw_rule: str = ""
    """Where the rules say it; empty: the director has set it."""


def current_sheet(event: Event) -> RuleSheet | None:
    return event.rule_sheets.order_by("-version").first()


def is_frozen(event: Event) -> bool:
    return RuleSheetFrozen.objects.filter(event=event).exists()


def load_sheet_versions(event: Event) -> list[RuleSheet]:
    """All versions, the newest first."""
    return list(event.rule_sheets.order_by("-version"))


def variant_class(name: str) -> type[Variant[Any, Any]]:
    return VARIANTS[name]


def usual_variant(event: Event) -> str:
    """By what an event is played unless somebody chooses something else."""
    return traits_of(event).own_rules or (USUAL_OF_PAIRS if event.entry_size == PAIR else USUAL_VARIANT)


def unsaved_sheet(event: Event) -> RuleSheet:
    """What an event plays by while nobody has touched its rule sheet."""
    return RuleSheet(
        event=event,
        version=0,
        variant=usual_variant(event),
        options=variant_class(usual_variant(event)).defaults(),
        games_to_win=USUAL_GAMES_TO_WIN,
    )


def in_words(sheet: RuleSheet) -> RulesInWords:
    games = match_in_words(sheet.games_to_win) if has_games(sheet.event, sheet.variant) else ""
    words = set_in_words(sheet.variant, sheet.options)
    if seats_by_event(sheet):
        words = replace(words, draw=_("Nobody draws. Seats and roles come from the event's draw."), draw_rule="")
    return replace(
        words,
        games=games,
        remarks=sheet.remarks,
        lengths=tuple(lengths_in_words(sheet.event, sheet)),
        unfinished=unfinished_in_words(sheet),
    )


def seats_by_event(sheet: RuleSheet) -> bool:
    """Whether the director has the event's draw decide on seats that are otherwise drawn for at the table."""
    draw = variant_class(sheet.variant)((), sheet.options).table_draw()
    return draw.orders_sides and sheet.seats == RuleSheet.Seats.EVENT


def unfinished_in_words(sheet: RuleSheet) -> str:
    """How a game ends that is not finished when time is called; empty where one card is kept for the whole event."""
    return "" if traits_of(sheet.event).one_card else str(sheet.get_unfinished_display())


def set_in_words(name: str, options: Options | None = None) -> RulesInWords:
    """A rule set with these options, with its own defaults where none are given."""
    variant = variant_class(name)
    values = variant.defaults() if options is None else options
    made = variant((), values)
    draw = made.table_draw()
    return RulesInWords(
        title=variant.title,
        about=variant.about,
        source=variant.rulebook.title,
        players=players_in_words(name),
        games="",
        draw=f"{draw.ask} {draw.words}",
        draw_rule=draw.rule,
        options=tuple(_option_in_words(option, values) for option in variant.options),
        particulars=made.particulars(),
        summary=variant.rulebook.summary,
        signers=variant.signers,
        is_numbered=variant.rulebook.is_numbered,
        besides=variant.rulebook.besides,
        follows=variant.rulebook.follows,
        follows_title=variant_class(variant.rulebook.follows).title if variant.rulebook.follows else "",
        disputes=policy_of(name).sentences,
    )


def players_in_words(name: str) -> str:
    """For how many a card of that rule set is.

    >>> players_in_words("gra-singles"), players_in_words("fort-worth"), players_in_words("metzker")
    ('2 on a score card', '2 to 5 on a score card', 'two teams, Guys and Girls')
    """
    variant = variant_class(name)
    if variant.sides_are_teams:
        one, other = variant.side_names
        return _("two teams, %(one)s and %(other)s") % {"one": one, "other": other}
    few, many = variant.fewest_sides, variant.most_sides
    if many == 1:
        return _("one score card for every player")
    return (
        _("%(few)s on a score card") % {"few": few}
        if few == many
        else _("%(few)s to %(many)s on a score card") % {"few": few, "many": many}
    )


def has_games(event: Event, name: str) -> bool:
    """Whether a match may take several games: two meet, and the card is theirs."""
    variant = variant_class(name)
    return traits_of(event).two_meet and variant.fewest_sides <= 2 <= variant.most_sides and not variant.sides_are_teams


def why_not_fit(event: Event, name: str, options: Options) -> str:
    """Why an event of this format cannot well be played by that rule set; empty where it can."""
    variant = variant_class(name)
    own = traits_of(event).own_rules
    if own and own != name:
        fitting = variant_class(own).title
        return _("This event's format is for %(fitting)s, not for %(title)s. Change the format first.") % {
            "fitting": fitting,
            "title": variant.title,
        }
    if own != name and any(kind.traits.own_rules == name for kind in StageKind):
        return _("%(title)s needs a format in which the sides change every round. Change the format first.") % {
            "title": variant.title
        }
    few, many = side_counts(name, options)
    wanted = (
        _("%(few)s on a score card") % {"few": few}
        if few == many
        else _("%(few)s to %(many)s on a score card") % {"few": few, "many": many}
    )
    if traits_of(event).two_meet and not few <= 2 <= many:
        return _("%(title)s is for %(wanted)s, but matches here are one on one. Choose other rules.") % {
            "title": variant.title,
            "wanted": wanted,
        }
    terms = table_terms(event)
    return _why_not_at_tables(terms, variant.title, few, many) if terms is not None else ""


def _why_not_at_tables(terms: TableTerms, title: str, few: int, many: int) -> str:
    if not few <= terms.size <= many:
        wanted = str(few) if few == many else f"{few} to {many}"
        return _(
            "%(title)s is for %(wanted)s at a table, and this event has tables of %(size)s. Change the "
            "format or the rules."
        ) % {"title": title, "wanted": wanted, "size": terms.size}
    if few == many and not terms.full:
        return _(
            "%(title)s is for exactly %(few)s at a table, and tables of this event may have fewer. "
            "Change the format or the rules."
        ) % {"title": title, "few": few}
    return ""


def side_counts(name: str, options: Options) -> tuple[int, int]:
    """The fewest and the most sides on a card; a preset that is chosen may ask for fewer than its rule set takes."""
    variant = variant_class(name)
    chosen = next((p for p in variant.presets if p.options.get("game") == options.get("game")), None)
    return chosen.sides if chosen and chosen.sides else (variant.fewest_sides, variant.most_sides)


def _option_in_words(option: Option, chosen: Options) -> OptionInWords:
    value = chosen[option.name]
    changed = bool(option.rule) and value != option.default
    return OptionInWords(option.label, option.words(value), option.meaning, option.rule, changed)
