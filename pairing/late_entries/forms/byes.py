from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.late_entries.selectors.byes import LateByes
from pairing.matches.forms import EntrantForm
from pairing.models import LateEntry
from tournament.core.forms import KeyedForm
from tournament.models import Event


class LateForm(EntrantForm):
    """The entrant and the reason of a late entry in a bracket. The draw decides which bye it gets."""

    reason = forms.CharField(label=_("Reason for the late entry"), max_length=500)

    def __init__(self, data: Any = None, *, event: Event, numbers: Collection[int], **options: Any) -> None:
        may = event.entrants.filter(number__in=numbers).order_by("number")
        super().__init__(data, prefix="late", among=may, **options)


class GiveByeBackForm(KeyedForm):
    late_entry = forms.ModelChoiceField(label=_("Late entry"), queryset=LateEntry.objects.none())
    reason = forms.CharField(label=_("Reason"), max_length=500)

    def __init__(self, data: Any = None, *, late: LateByes) -> None:
        super().__init__(data, prefix="back")
        rows = LateEntry.objects.filter(pk__in=[one.pk for one in late.came])
        self.fields["late_entry"].queryset = rows.select_related(  # type: ignore[attr-defined]
            "entrant", "bye", "match", "draw__commitment__event__tournament"
        )
