from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.core.forms import KeyedForm
from tournament.models import Entrant, Event
from tournament.registration.selectors.entry_options import load_seeking


class JoinForm(KeyedForm):
    """A form that joins two players who look for a partner."""

    one = forms.ModelChoiceField(Entrant.objects.none(), label=_("First player"))
    other = forms.ModelChoiceField(Entrant.objects.none(), label=_("Second player"))
    reason = forms.CharField(label=_("Reason"), max_length=500)

    def __init__(self, *args: Any, event: Event, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = load_seeking(event).select_related("event__tournament")
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = choices


class TakeOverForm(KeyedForm):
    """The players of the first event who want a second chance, by the primary keys of their Player rows."""

    player = forms.TypedMultipleChoiceField(coerce=int, required=False)

    def __init__(self, data: Any = None, *, offered: list[int]) -> None:
        super().__init__(data)
        players = self.fields["player"]
        assert isinstance(players, forms.TypedMultipleChoiceField)
        players.choices = [(pk, str(pk)) for pk in offered]
