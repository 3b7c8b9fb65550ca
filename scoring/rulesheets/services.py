"""Save the rule sheet. Once play has started, this requires a reason."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext as _

from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.services.plans import set_table_rules
from scoring.models import Card, RuleSheet
from scoring.rules.book.options import MAX_GAMES_TO_WIN, read_match_lengths, read_options
from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors import has_frozen_rule_sheet, load_current_rule_sheet, load_special_lengths_by_match
from tournament.cases import ProblemCollector
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.core.topics import record_changed_rows
from tournament.errors import Conflict, DomainError
from tournament.models import Event


@dataclass(frozen=True, slots=True)
class ChosenRules:
    """A rule sheet as filled in by the director. Options that are left out get the variant's defaults.

    - `lengths`: in the format that `scoring.rules.book.options` reads.
    - `unfinished`: the rule for ending a game when time is called.
    - `seats`: whether seats and roles are drawn at the table, or come from the event's draw.
    """

    variant: str
    options: Mapping[str, Any]
    games_to_win: int = 1
    remarks: str = ""
    lengths: tuple[Mapping[str, Any], ...] = ()
    unfinished: str = RuleSheet.Unfinished.DIRECTOR.value
    seats: str = RuleSheet.Seats.TABLE.value


def save_rule_sheet(
    event: Event, chosen: ChosenRules, *, by: Actor, reason: str = "", key: str = "", seen: int | None = None
) -> RuleSheet:
    """Save a new version of the rule sheet. If nothing changed, no version is added.

    A match keeps its version of the rules once a line is recorded on one of its cards. All other matches get the new
    version.

    Raises:
        DomainError: `bad-rules`, or `reason-needed` once play has started.
        Conflict: `rules-changed`, if `seen` is not the last version.
    """
    require_permission(by, "direct", event.tournament)
    options, lengths = _read_options(chosen), _read_lengths(event, chosen)
    with writing(event, verb="rules.saved", by=by, key=make_idempotency_key(key, chosen), reason=reason) as write:
        if write.repeated:
            return RuleSheet.objects.get(pk=write.outcome["sheet"])
        before = load_current_rule_sheet(write.the_event)
        if seen is not None and seen != (before.version if before else 0):
            raise Conflict("rules-changed", _("The rule sheet changed in the meantime. Look at it again."))
        if has_frozen_rule_sheet(write.the_event) and not reason.strip():
            why = _("Play has started, so a change is the director's decision. Write the reason.")
            raise DomainError("reason-needed", why)
        return _add_version(write, replace(chosen, options=options, lengths=lengths))


def _read_options(chosen: ChosenRules) -> dict[str, Any]:
    variant = VARIANTS.get(chosen.variant)
    if variant is None:
        raise DomainError("bad-rules", _("There is no such rule set. Choose one from the list."))
    problems = ProblemCollector()
    options, _readable = read_options(variant.options, dict(chosen.options), "", problems)
    if problems:
        raise DomainError("bad-rules", " ".join(problem.message for problem in problems.found))
    if not 1 <= chosen.games_to_win <= MAX_GAMES_TO_WIN:
        raise DomainError(
            "bad-rules",
            _("A match takes 1 to %(most_games_to_win)s games to win. Enter another number.")
            % {"most_games_to_win": MAX_GAMES_TO_WIN},
        )
    return dict(options)


def _read_lengths(event: Event, chosen: ChosenRules) -> tuple[dict[str, Any], ...]:
    """Validate the special lengths and other choices, and return the lengths in a fixed order.

    Raises:
        DomainError: `bad-rules`.
    """
    problems = ProblemCollector()
    read = read_match_lengths(chosen.lengths, VARIANTS[chosen.variant].options, problems)
    if problems:
        raise DomainError("bad-rules", " ".join(problem.message for problem in problems.found))
    if read and load_stage_traits(event).one_card:
        raise DomainError(
            "bad-rules",
            _("This event has one score card for all rounds, so no round has its own length. Leave the lengths empty."),
        )
    if chosen.unfinished not in RuleSheet.Unfinished.values:
        raise DomainError("bad-rules", _("Choose how an unfinished game ends."))
    if chosen.seats not in RuleSheet.Seats.values:
        raise DomainError("bad-rules", _("Choose how seats and roles at a table are decided."))
    return tuple(length.as_json() for length in read)


def _add_version(write: WriteTransaction, chosen: ChosenRules) -> RuleSheet:
    """Save the next version, unless it equals the last one."""
    before = load_current_rule_sheet(write.the_event)
    sheet = RuleSheet(
        event=write.the_event,
        version=before.version + 1 if before else 1,
        variant=chosen.variant,
        options=chosen.options,
        games_to_win=chosen.games_to_win,
        lengths=list(chosen.lengths),
        unfinished=chosen.unfinished,
        seats=chosen.seats,
        remarks=chosen.remarks.strip(),
        **write.fact_fields(),
    )
    if before is not None and _list_content(before) == _list_content(sheet):
        write.about("nothing changed", sheet=before.pk, version=before.version)
        return before
    sheet.save()
    update_table_rules(write, sheet)
    _assign_to_unplayed_matches(sheet)
    write.about(sheet, sheet=sheet.pk, version=sheet.version)
    return sheet


def _assign_to_unplayed_matches(sheet: RuleSheet) -> None:
    """Assign this version of the rule sheet to the cards of all matches without a recorded line.

    Raises:
        Conflict: `other-sides`, if the number or kind of sides on such a card does not fit the new rules.
    """
    cards = Card.objects.filter(match__event=sheet.event)
    begun = cards.filter(lines__isnull=False).values("match_id")
    waiting = cards.exclude(match_id__in=begun)
    variant = VARIANTS[sheet.variant]
    for count, key in waiting.annotate(count=Count("seats")).values_list("count", "sides_key").distinct():
        fits = variant.fewest_sides <= count <= variant.most_sides and variant.sides_are_teams == (key == "")
        if not fits:
            reason = _("Score cards for %(count)s sides are on the tables already, which does not fit %(title)s.") % {
                "count": count,
                "title": variant.title,
            }
            raise Conflict("other-sides", _("%(said)s Undo the draw first, or choose other rules.") % {"said": reason})
    _update_lengths(sheet, list(waiting.select_related("match")))
    keys = list(waiting.values_list("pk", flat=True))
    waiting.update(sheet=sheet)
    record_changed_rows(Card, keys)


def _update_lengths(sheet: RuleSheet, cards: list[Card]) -> None:
    if not sheet.lengths and not any(card.length for card in cards):
        return
    lengths = load_special_lengths_by_match(sheet.event, sheet, [card.match for card in cards])
    for card in cards:
        card.length = lengths[card.match_id]
    Card.objects.bulk_update(cards, ["length"])
    record_changed_rows(Card, [card.pk for card in cards])


def update_table_rules(write: WriteTransaction, sheet: RuleSheet) -> None:
    """Update the event's limits for table sizes, and whether low totals win."""
    variant = VARIANTS[sheet.variant]
    low_wins = variant((), sheet.options).low_wins
    few, many = (0, 0) if variant.sides_are_teams else (variant.fewest_sides, variant.most_sides)
    set_table_rules(write, variant.title, fewest=few, most=many, low_wins=low_wins)


def _list_content(sheet: RuleSheet) -> tuple[Any, ...]:
    return sheet.variant, sheet.options, sheet.games_to_win, sheet.lengths, sheet.unfinished, sheet.seats, sheet.remarks
