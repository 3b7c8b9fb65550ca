"""The page that judges two hands: a hand of a card, or two hands by the rule sheet of an event alone.

The desk types the hands, and everybody can open the page by its address.
"""

from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card
from scoring.disputes.forms.hands import ShownHandsForm
from scoring.disputes.tables.hands import rule_facts, show_judged_hands
from scoring.rules.hand.hands import FINISHES, KnockRule
from scoring.rules.sheet.sheets import Sheet, open_sheet, rule_sheet
from scoring.rules.sheet.showdown import judge_hands
from scoring.rules.variants.variant import FieldKind, Variant
from scoring.rulesheets.selectors.sheets import current_sheet, unsaved_sheet, variant_class
from tournament.errors import BadCase, NotFound
from tournament.lazy_text import lazy_text
from tournament.models import Event
from tournament.spreadsheets.names import typed_number

UNNAMED_SIDES = (lazy_text("Knocker"), lazy_text("Opponent"), lazy_text("Sits out"))


@dataclass(frozen=True, slots=True)
class _HandContext:
    """A hand to judge. `sheet` has the hands before it, and `number` counts from 1.

    `state` is None if there is no card, and then the sides have no names.
    """

    sheet: Sheet
    state: CardState | None = None
    number: int = 1

    @property
    def variant(self) -> Variant[Any, Any]:
        return self.sheet.variant

    @property
    def rule(self) -> KnockRule | None:
        """The knock rule, or None if the variant's hands are not sets and runs."""
        return self.variant.knock_rule(None)

    @property
    def asks_who(self) -> bool:
        """Whether the sides have names, so that the form asks which side is which."""
        return self.state is not None or self.variant.sides_are_teams

    @property
    def corrects(self) -> bool:
        return self.state is not None and self.number <= len(self.state.lines)

    @property
    def recorded(self) -> dict[str, str]:
        """The recorded hand as initial values of the form: `up`, `by` (the number of the side) and `said`."""
        if self.state is None or not self.corrects:
            return {}
        line = self.state.lines[self.number - 1].line or {}
        found = {"up": line.get("up", "")}
        if line.get("by") in self.state.letters and line.get("outcome") in FINISHES:
            found |= {"by": str(self.state.letters.index(line["by"])), "said": line["outcome"]}
        return found


def load_judged_page(request: HttpRequest, event: Event) -> dict[str, Any]:
    """Return the page's context: `place`, `form`, and `judged` if both hands are readable.

    The address carries all input.
    """
    number = typed_number(request.GET.get("line", ""))
    place = _load_hand_context(event, request.GET.get("card", ""), number)
    context: dict[str, Any] = {"place": place, "state": place.state, "judged": None, "title": place.variant.title}
    rule = place.rule
    if rule is None:
        return context
    data = request.GET if "hand" in request.GET else None
    form = ShownHandsForm(data, variant=place.variant, rule=rule, asks_who=place.asks_who, initial=place.recorded)
    context |= {"form": form, "facts": rule_facts(rule, place.variant)}
    context["is_one_of_several"] = any(field.kind is FieldKind.GROUP for field in place.variant.line_fields())
    if form.is_valid():
        context |= _judge(place, form)
    return context


def _judge(place: _HandContext, form: ShownHandsForm) -> dict[str, Any]:
    shown = form.shown()
    try:
        found = judge_hands(place.sheet, shown)
    except BadCase as refused:
        form.show(refused)
        return {}
    card = f"card={place.state.card.token}&line={place.number}&" if place.state else ""
    return {"judged": show_judged_hands(shown, found, place.variant), "address": card + form.address()}


def _load_hand_context(event: Event, token: str, number: int | None) -> _HandContext:
    """Return hand `number` of the card, or the next one without a number. Without a token, use the event's rules.

    Raises:
        NotFound: there is no such card in this event, or no such hand on it.
    """
    if not token:
        rules = current_sheet(event) or unsaved_sheet(event)
        variant = variant_class(rules.variant)
        names = variant.side_names if variant.sides_are_teams else UNNAMED_SIDES[: variant.fewest_sides]
        return _HandContext(open_sheet(rule_sheet(rules.variant, rules.options), names))
    state = load_card(token) if token.isprintable() else None  # a database refuses unprintable characters
    if state is None or state.card.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
    played = len(state.lines)
    wanted = number or (played if state.is_complete else played + 1)
    if not 1 <= wanted <= played + 1:
        raise NotFound("no-such-hand", _("There is no such hand on this score card. Look at the score card again."))
    before = replace(state.named_sheet, lines=state.named_sheet.lines[: wanted - 1])
    return _HandContext(before, state, wanted)
