"""The fast `<select>` of entrants has the same options and attributes as Django's own."""

from __future__ import annotations

import pytest
from django import forms

from tests.factories import an_entrant, an_event
from tournament.core.forms import EntrantField
from tournament.models import Entrant, Event

pytestmark = pytest.mark.django_db


class Quick(forms.Form):
    who = EntrantField(label="Who")
    other = EntrantField(required=False, empty_label="nobody")


class Usual(forms.Form):
    who = forms.ModelChoiceField(Entrant.objects.none(), label="Who")
    other = forms.ModelChoiceField(Entrant.objects.none(), required=False, empty_label="nobody")


def both(event: Event, data: dict[str, object] | None = None) -> tuple[forms.Form, forms.Form]:
    made = []
    for form in (Quick(data), Usual(data)):
        for field in form.fields.values():
            field.queryset = event.entrants.order_by("name")  # type: ignore[attr-defined]
        made.append(form)
    return made[0], made[1]


def plain(html: str) -> list[object]:
    """Return the sorted attributes of a `<select>`, followed by the HTML of its options, one line each."""
    head, _end, options = html.partition(">")
    return [sorted(head.split()), *(line.strip() for line in options.splitlines() if line.strip())]


@pytest.mark.parametrize("chosen", [None, "first", "nobody there"])
def test_options_choice_and_attributes_are_the_same(chosen: str | None) -> None:
    event = an_event()
    first = an_entrant(event, "Ada <b>")
    an_entrant(event, "O'Hara & sons")
    data = {"who": first.pk if chosen == "first" else "999999", "other": ""} if chosen else None
    quick, usual = both(event, data)
    assert quick.is_valid() == usual.is_valid() and quick.errors == usual.errors
    for name in ("who", "other"):
        assert plain(str(quick[name])) == plain(str(usual[name]))


def test_the_choice_is_an_entrant() -> None:
    event = an_event()
    ada = an_entrant(event, "Ada")
    quick, _usual = both(event, {"who": ada.pk, "other": ""})
    assert quick.is_valid() and quick.cleaned_data == {"who": ada, "other": None}
