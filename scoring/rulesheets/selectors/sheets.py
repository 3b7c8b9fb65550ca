"""The rule sheet of an event: its versions, the current one, and its wording."""

from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.translation import gettext as _

from pairing.draws.stages.plan import StageKind
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
from tournament.registration.selectors.entries import APPROVALS, asked_in_words, asked_of

USUAL_VARIANT: Final = "gra-singles"
USUAL_OF_PAIRS: Final = "gra-partnership"
PAIR: Final = 2
USUAL_GAMES_TO_WIN: Final = 1


@dataclass(frozen=True, slots=True)
class _OptionInWords:
    """A line of the published sheet. `rule` is empty if the rules are silent and the director decided."""

    label: str
    value: str
    meaning: str
    rule: str
    changed: bool

    @property
    def set_by_director(self) -> bool:
        return not self.rule or self.changed


@dataclass(frozen=True, slots=True)
class _RulesInWords:
    """A rule sheet as it is published.

    - `games`: empty if a match is always one game.
    - `lengths`: the places where matches are longer or shorter.
    - `unfinished`: empty if the event has no such rule.
    - `draw`: the cut or draw before the first hand.
    - `is_numbered`: the sentences of `summary` are the numbered rules of the book. `besides` has the text after them.
    - `follows`, `follows_title`: the rule set that applies where the book is silent.
    """

    title: str
    about: str
    source: str
    players: str
    games: str
    options: tuple[_OptionInWords, ...]
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
    """The rule that describes the draw. It is empty if the director decided."""


def current_sheet(event: Event) -> RuleSheet | None:
    return event.rule_sheets.order_by("-version").first()


def is_frozen(event: Event) -> bool:
    return RuleSheetFrozen.objects.filter(event=event).exists()


def load_sheet_versions(event: Event) -> list[RuleSheet]:
    """Return all versions of the rule sheet, the newest first."""
    return list(event.rule_sheets.order_by("-version"))


def variant_class(name: str) -> type[Variant[Any, Any]]:
    return VARIANTS[name]


def usual_variant(event: Event) -> str:
    """Return the rule set of an event whose director has not chosen another one."""
    return traits_of(event).own_rules or (USUAL_OF_PAIRS if event.entry_size == PAIR else USUAL_VARIANT)


def unsaved_sheet(event: Event) -> RuleSheet:
    """Return the unsaved default rule sheet of an event."""
    return RuleSheet(
        event=event,
        version=0,
        variant=usual_variant(event),
        options=variant_class(usual_variant(event)).defaults(),
        games_to_win=USUAL_GAMES_TO_WIN,
    )


def in_words(sheet: RuleSheet) -> _RulesInWords:
    games = match_in_words(sheet.games_to_win) if has_games(sheet.event, sheet.variant) else ""
    words = set_in_words(sheet.variant, sheet.options)
    if _seats_by_event(sheet):
        words = replace(words, draw=_("Nobody draws. Seats and roles come from the event's draw."), draw_rule="")
    return replace(
        words,
        games=games,
        remarks=sheet.remarks,
        lengths=tuple(lengths_in_words(sheet.event, sheet)),
        unfinished=unfinished_in_words(sheet),
    )


def _seats_by_event(sheet: RuleSheet) -> bool:
    """Return whether the event's draw decides the seats that are otherwise drawn at the table."""
    draw = variant_class(sheet.variant)((), sheet.options).table_draw()
    return draw.orders_sides and sheet.seats == RuleSheet.Seats.EVENT


def unfinished_in_words(sheet: RuleSheet) -> str:
    """Return how an unfinished game ends when time is called. It is empty if one card covers the whole event."""
    return "" if traits_of(sheet.event).one_card else str(sheet.get_unfinished_display())


def set_in_words(name: str, options: Options | None = None) -> _RulesInWords:
    """Return a rule set in words, with these options or else with its defaults."""
    variant = variant_class(name)
    values = variant.defaults() if options is None else options
    made = variant((), values)
    draw = made.table_draw()
    return _RulesInWords(
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
    """Return the number of players on a card of that rule set, in words.

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
    """Return whether a match may have several games: two sides meet, and the card belongs to them."""
    variant = variant_class(name)
    return traits_of(event).two_meet and variant.fewest_sides <= 2 <= variant.most_sides and not variant.sides_are_teams


def why_not_fit(event: Event, name: str, options: Options) -> str:
    """Return why this rule set does not fit the event's format, or an empty string if it fits."""
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
    """Return the fewest and the most sides on a card. A chosen preset may take fewer than its rule set."""
    variant = variant_class(name)
    chosen = next((p for p in variant.presets if p.options.get("game") == options.get("game")), None)
    return chosen.sides if chosen and chosen.sides else (variant.fewest_sides, variant.most_sides)


def _option_in_words(option: Option, chosen: Options) -> _OptionInWords:
    value = chosen[option.name]
    changed = bool(option.rule) and value != option.default
    return _OptionInWords(option.label, option.words(value), option.meaning, option.rule, changed)


# --- Approvals -------------------------------------------------------------------------------------------------------
# Explain to the director, before registration opens, which approvals are needed and which the rules would need.

OF_THE_ASSOCIATION = ("gra-singles", "gra-partnership")


def approvals_told(event: Event) -> list[str]:
    """Return sentences on the approvals. The second appears if the Association's rules ask for more approvals."""
    sheet = current_sheet(event)
    variant = sheet.variant if sheet else usual_variant(event)
    said = [asked_in_words(event)]
    if variant in OF_THE_ASSOCIATION and len(asked_of(event)) < len(APPROVALS):
        said.append(
            _(
                "By the Association's rules the director, the coordinator and the hotel approve every entry. "
                "You can require that under Setup."
            )
        )
    return said
