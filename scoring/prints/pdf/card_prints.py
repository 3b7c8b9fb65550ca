"""Print score cards before play, either blank or with the names of a round's players.

If a game has two sides and no settlement, its small cards are printed two to a page (`score_card`). All other games
have cards that fill a whole page (`whole_sheet`).
"""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from pairing.stages.pictures.boxes import format_full_round_name
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.kinds import RotatingSides
from pairing.stages.selectors.plans import load_event_plan
from scoring.card_state.selectors.cards import select_cards_with_facts
from scoring.card_state.selectors.players import load_match_tables, load_ready_seated_matches
from scoring.card_state.selectors.state import CardState, make_card_state
from scoring.prints.pdf.blocks import fill_sheet_with_blank_lines
from scoring.prints.pdf.score_card import PrintedSide, UnplayedCard, write_unplayed_cards_pdf
from scoring.prints.pdf.whole_sheet import (
    PrintedSheet,
    PrintedSignature,
    make_blank_table_draw_lines,
    make_recorded_table_draw_lines,
    make_sheet_area,
    write_rules_page,
    write_score_sheets,
)
from scoring.rules.book.layout import Heading, LineCells, SheetBlock
from scoring.rules.book.options import MatchPosition
from scoring.rules.sheet.sheets import VariantRules, make_empty_sheet
from scoring.rules.variants.gin.two_sided import TwoSidedGin
from scoring.rules.variants.variant import Variant
from scoring.rulesheets.selectors import (
    find_side_limits,
    list_match_length_scopes,
    load_current_rule_sheet,
    make_default_rule_sheet,
    make_rules_for_position,
)
from tournament.errors import Conflict
from tournament.models import Event

ProgressCallback = Callable[[int, int], None]
"""A callback that reports progress. It receives the number of completed steps and the total."""
SideLabels = Mapping[str, str]
"""The label to print for each side's placeholder name. Labels are empty if names are written in by hand."""
DEFAULT_TABLE_SIZE = 4
"""The default number of players, used if neither the rule set nor the event determines it."""


@dataclass(frozen=True, slots=True)
class PrintRequest:
    """A request for a printout.

    `site` is the site's base URL. If `back` is true, a short version of the rules is printed on the back of each page.
    `place` is used only for blank cards. It is the code of a stage or round that has its own match length
    (`MatchLengthScope`), or empty for the usual length.

    `players` is 0 for the usual number of players. `round` and `table` are 0 for all rounds and all tables.
    """

    event: Event
    paper: str = "letter"
    count: int = 10
    site: str = ""
    card: str = ""
    back: bool = False
    place: str = ""
    players: int = 0
    round: int = 0
    table: int = 0

    def includes_match(self, round_: int, table: int | None) -> bool:
        return (not self.round or self.round == round_) and (not self.table or self.table == table)

    def make_url(self, path: str) -> str:
        return f"{self.site.rstrip('/')}{path}"


def print_blank_cards(order: PrintRequest, report: ProgressCallback) -> bytes:
    event = order.event
    sheet = load_current_rule_sheet(event) or make_default_rule_sheet(event)
    place = next((place for place in list_match_length_scopes(event) if place.code == order.place), None)
    rules = make_rules_for_position(sheet, place.match_position if place else MatchPosition())
    where = place.name if place else _("Round ____")
    if is_printed_two_up(rules):
        nobody = PrintedSide(None, "")
        target = rules.options.get("target")
        points = target if isinstance(target, int) else 0
        blank = UnplayedCard(
            format_event_title(event), where, 0, 0, points, (nobody, nobody), "", *_describe_rules_for_card(rules)
        )
        return _write_small_cards(order, [blank] * order.count, rules, report)
    names = _make_placeholder_names(rules, order)
    form = _make_unplayed_sheet(order, rules, names, _("%(where)s · Game ____") % {"where": where}, blank=True)
    return _write_whole_sheets(order, [form] * order.count, report)


def print_round_cards(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print the score cards of all matches that can be played, ordered by table.

    Raises:
        Conflict: `no-cards`.
    """
    states, tables = load_playable_cards(order)
    return write_playable_cards(order, states, tables, report)


def print_unstarted_cards(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print the score cards that are ready for play and still empty.

    Raises:
        Conflict: `no-cards`.
    """
    states, tables = load_playable_cards(order)
    fresh = [state for state in states if not state.lines]
    if not fresh:
        raise Conflict("no-cards", _("Every open match has a score card in use. Print the cards of another round."))
    return write_playable_cards(order, fresh, tables, report)


def print_rules(order: PrintRequest, report: ProgressCallback) -> bytes:
    """Print the rules in brief, with all options, on a separate page."""
    rules = make_rules_for_position(
        load_current_rule_sheet(order.event) or make_default_rule_sheet(order.event), MatchPosition()
    )
    sheet = _make_unplayed_sheet(
        replace(order, back=True), rules, _make_placeholder_names(rules, order), "", blank=True
    )
    target = io.BytesIO()
    write_rules_page(target, sheet, paper=order.paper)
    return target.getvalue()


def load_playable_cards(order: PrintRequest) -> tuple[list[CardState], dict[int, int | None]]:
    """Return the newest card of each match that can be played, and the matches' tables.

    The cards are ordered by table. The tables are keyed by the match's primary key. For a couples event or Court Whist,
    return the open cards and no tables.

    Raises:
        Conflict: `no-cards`.
    """
    rotating_sides = load_event_stages(order.event).rotating_sides
    if rotating_sides is not None:
        return _load_open_cards_of_sides(rotating_sides), {}
    meetings = load_ready_seated_matches(order.event)
    tables = load_match_tables(meeting.match.pk for meeting in meetings)
    wanted = {(meeting.match.pk, meeting.cards_key) for meeting in meetings}
    cards = select_cards_with_facts().filter(match__in=[pk for pk, _key in wanted]).order_by("game")
    fits = [card for card in cards if wanted & {(card.match_id, card.sides_key), (card.match_id, None)}]
    newest = {card.match_id: card for card in fits}
    asked = (card for card in newest.values() if order.includes_match(card.match.round, tables.get(card.match_id)))
    states = [make_card_state(card) for card in asked]
    if newest and not states:
        raise Conflict(
            "no-cards", _("No match of that round and table can be played now. Choose another round or table.")
        )
    if not states:
        raise Conflict(
            "no-cards", _("No match can be played now, so there is no score card to print. Start play first.")
        )
    states.sort(key=lambda state: (not tables.get(state.card.match_id), tables.get(state.card.match_id) or 0))
    return states, tables


def _load_open_cards_of_sides(rotating_sides: RotatingSides) -> list[CardState]:
    """Return the open cards of a couples event or Court Whist."""
    states = map(make_card_state, select_cards_with_facts().filter(match=rotating_sides.match))
    open_states = [state for state in states if not (state.is_posted or state.score.is_closed)]
    if not open_states:
        raise Conflict("no-cards", _("No score card is open now, so there is nothing to print. Start play first."))
    return open_states


def write_playable_cards(
    order: PrintRequest, states: Sequence[CardState], tables: dict[int, int | None], report: ProgressCallback
) -> bytes:
    """Write a PDF of cards to fill in during play, with the players' names.

    `tables` contains table numbers, keyed by the match's primary key.
    """
    if all(_is_small_card(state.sheet.variant) for state in states):
        return _write_small_cards(
            order, [_make_small_card(order, state, tables) for state in states], states[0].rules, report
        )
    return _write_whole_sheets(order, [_make_sheet_for_match(order, state, tables) for state in states], report)


def _is_small_card(variant: Variant[Any, Any]) -> bool:
    """Return whether the game's cards are small enough to print two on a page.

    This is the case if the game has two sides, and no settlement with further bonuses at the end.
    """
    return isinstance(variant, TwoSidedGin) and not variant.terms.has_settlement


def is_printed_two_up(rules: VariantRules) -> bool:
    """Return whether two cards under these rules fit on a page."""
    return issubclass(rules.variant, TwoSidedGin) and _is_small_card(make_empty_sheet(rules, ("1", "2")).variant)


def format_event_title(event: Event) -> str:
    return f"{event.tournament.name} · {event.name}"


def list_option_descriptions(rules: VariantRules) -> tuple[str, ...]:
    """Return a short text for each option of the rules, to print on a card before play.

    Under Fort Worth rule C 6, an option is in force only if it is marked on the score card.
    """
    return tuple(f"{line.option.label}: {line.words}" for line in rules.list_published_options())


def _describe_rules_for_card(rules: VariantRules) -> tuple[str, tuple[str, ...]]:
    """Return the rules to print on a card: a single line for the front, and all options for the back."""
    return rules.summarize_options(), list_option_descriptions(rules)


def _make_small_card(order: PrintRequest, state: CardState, tables: dict[int, int | None]) -> UnplayedCard:
    card = state.card
    named = zip(state.seats, state.names, strict=True)
    one, other = (PrintedSide(seat.entrant.number if seat.entrant else None, name) for seat, name in named)
    table, round_ = tables.get(card.match_id) or 0, format_full_round_name(card.match)
    return UnplayedCard(
        format_event_title(order.event),
        round_,
        table,
        card.game,
        state.target or 0,
        (one, other),
        order.make_url(f"/c/{card.token}/"),
        *_describe_rules_for_card(state.rules),
    )


def _make_sheet_for_match(order: PrintRequest, state: CardState, tables: dict[int, int | None]) -> PrintedSheet:
    card = state.card
    alone = f" · {state.names[0]}" if len(state.names) == 1 else ""
    where = _("%(round)s · Game %(game)s%(alone)s") % {
        "round": format_full_round_name(card.match),
        "game": card.game,
        "alone": alone,
    }
    made = _make_unplayed_sheet(order, state.rules, state.names, where, state)
    return replace(made, table=tables.get(card.match_id) or 0, address=order.make_url(f"/c/{card.token}/"))


def _make_unplayed_sheet(
    order: PrintRequest,
    rules: VariantRules,
    names: Sequence[str],
    where: str,
    state: CardState | None = None,
    *,
    blank: bool = False,
) -> PrintedSheet:
    """Return a score sheet to print before play, including the draw at the table if the card (`state`) has one.

    Blank lines are printed for missing parts of the draw. If `blank` is true, the players' names are blank lines as
    well.
    """
    variant = make_empty_sheet(rules, names).variant
    draw = (
        make_recorded_table_draw_lines(state)
        if state
        else make_blank_table_draw_lines(variant.table_draw(), len(names))
    )
    known = state.draw.is_order_known if state else not variant.table_draw().orders_sides
    variant = variant if known else variant.copy_without_drawn_order()
    labels = make_blank_card_labels(variant.blocks((), None), names) if blank and not variant.sides_are_teams else {}
    # A name that has no other place gets a line in front of those of the draw.
    draw = replace(draw, blanks=(*((label, "") for label in labels.values() if label), *draw.blanks))
    place = make_sheet_area(len(names) + len(variant.further_signers), order.paper, under_head=draw.height)
    signers = [label if len(labels) > 1 else "" for label in labels.values()] or names
    return PrintedSheet(
        title=format_event_title(order.event),
        subtitle=where,
        rules=variant.title,
        played=rules.summarize_options(),
        options=list_option_descriptions(rules),
        blocks=replace_names_with_labels(fill_sheet_with_blank_lines(variant, (), None, place), labels),
        signatures=tuple(map(PrintedSignature, (*signers, *variant.further_signers))),
        signers=variant.signers,
        back=variant.rulebook.card_sentences if order.back else (),
        draw=draw,
    )


def _make_placeholder_names(rules: VariantRules, order: PrintRequest) -> tuple[str, ...]:
    """Return names for the sides of a blank card.

    Teams have fixed names. Players get placeholder names.

    Raises:
        Conflict: `wrong-sides` if the rules do not allow this number of players.
    """
    variant = rules.variant
    if variant.sides_are_teams:
        return variant.side_names
    few, many = find_side_limits(rules.rules, rules.options)
    if order.players and not few <= order.players <= many:
        wanted = str(few) if few == many else _("%(few)s to %(many)s") % {"few": few, "many": many}
        raise Conflict(
            "wrong-sides",
            _("A score card for %(title)s has %(wanted)s sides. Choose another number.")
            % {"title": variant.title, "wanted": wanted},
        )
    tables = load_event_plan(order.event).first.tables
    usual = tables.size if tables is not None else DEFAULT_TABLE_SIZE
    count = order.players or min(many, max(few, usual))
    return tuple(_("Player %(number)s") % {"number": number} for number in range(1, count + 1))


def _write_small_cards(
    order: PrintRequest, cards: list[UnplayedCard], rules: VariantRules, report: ProgressCallback
) -> bytes:
    target = io.BytesIO()
    pages = (len(cards) + 1) // 2
    write_unplayed_cards_pdf(
        target,
        cards,
        paper=order.paper,
        back=rules.variant.rulebook.card_sentences if order.back else (),
        progress=lambda done: report(done, pages),
    )
    return target.getvalue()


def _write_whole_sheets(order: PrintRequest, sheets: list[PrintedSheet], report: ProgressCallback) -> bytes:
    target = io.BytesIO()
    write_score_sheets(target, sheets, paper=order.paper, progress=lambda done: report(done, len(sheets)))
    return target.getvalue()


# --- Names on blank cards --------------------------------------------------------------------------------------------
# A blank card has one place for each name.


def make_blank_card_labels(blocks: Sequence[SheetBlock], names: Sequence[str]) -> SideLabels:
    """Return a label for each placeholder name on a blank card.

    If every name has its own heading, the labels are empty, and players write their names there. Otherwise the labels
    are letters, or “Player” for a single player.
    """
    over = {group.text for block in blocks for group in block.groups}
    if over >= set(names):
        return dict.fromkeys(names, "")
    if len(names) == 1:
        return {names[0]: _("Player")}
    return {name: chr(ord("A") + place) for place, name in enumerate(names)}


def replace_names_with_labels(blocks: Sequence[SheetBlock], labels: SideLabels) -> tuple[SheetBlock, ...]:
    """Return the blocks with the placeholder names replaced by their labels."""

    def replaced(text: str) -> str:
        return labels.get(text, text)

    def line(cells: LineCells) -> LineCells:
        return replace(cells, cells=tuple(replace(cell, text=replaced(cell.text)) for cell in cells.cells))

    return tuple(
        replace(
            block,
            groups=tuple(replace(group, text=replaced(group.text)) for group in block.groups),
            headings=tuple(_remove_name_from_heading(heading, labels) for heading in block.headings),
            lines=tuple(map(line, block.lines)),
            footer=tuple(map(line, block.footer)),
        )
        for block in blocks
    )


def _remove_name_from_heading(heading: Heading, labels: SideLabels) -> Heading:
    """Return a heading without the player's name, so that “Player 1, total” becomes “Total”."""
    for name, label in labels.items():
        if heading.text == name:
            return replace(heading, text=label or _("Points"))
        if heading.text.startswith(f"{name}, "):
            what = heading.text.removeprefix(f"{name}, ")
            return replace(heading, text=f"{label}, {what}" if label else what.capitalize())
    return heading
