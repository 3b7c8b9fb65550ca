"""The page that judges two hands. The desk types the hands, and everybody can open the page by its address."""

from typing import Any

from django.http import HttpRequest

from scoring.hands.forms import ShownHandsForm
from scoring.hands.selectors import HandPlace, load_hand_place
from scoring.hands.tables import hands_shown, rule_facts
from scoring.rules.sheet.showdown import judge_hands
from scoring.rules.variants.variant import FieldKind
from tournament.errors import BadCase
from tournament.models import Event
from tournament.spreadsheets.names import typed_number


def judged_page(request: HttpRequest, event: Event) -> dict[str, Any]:
    """Return the page's context: `place`, `form`, and `judged` if both hands are readable.

    The address carries all input.
    """
    number = typed_number(request.GET.get("line", ""))
    place = load_hand_place(event, request.GET.get("card", ""), number)
    context: dict[str, Any] = {"place": place, "state": place.state, "judged": None, "title": place.variant.title}
    rule = place.rule
    if rule is None:
        return context
    data = request.GET if "hand" in request.GET else None
    form = ShownHandsForm(data, variant=place.variant, rule=rule, asks_who=place.asks_who, initial=place.recorded)
    context |= {"form": form, "facts": rule_facts(rule, place.variant)}
    context["is_one_of_several"] = any(field.kind is FieldKind.GROUP for field in place.variant.line_fields())
    if form.is_valid():
        context |= _judged(place, form)
    return context


def _judged(place: HandPlace, form: ShownHandsForm) -> dict[str, Any]:
    shown = form.shown()
    try:
        found = judge_hands(place.sheet, shown)
    except BadCase as refused:
        form.show(refused)
        return {}
    card = f"card={place.state.card.token}&line={place.number}&" if place.state else ""
    return {"judged": hands_shown(shown, found, place.variant), "address": card + form.address()}
