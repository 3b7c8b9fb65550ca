from typing import Any

from django import forms

from scoring.ready_events.selectors.ready import READY
from tournament.core.forms import KeyedForm
from tournament.models import Event


class ReadyForm(KeyedForm):
    ready = forms.ChoiceField(choices=[(ready.name, ready.title) for ready in READY])


class FormerForm(KeyedForm):
    former = forms.TypedChoiceField(coerce=int)

    def __init__(self, data: Any = None, *, events: list[Event]) -> None:
        super().__init__(data)
        field = self.fields["former"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = [(event.pk, event.name) for event in events]
