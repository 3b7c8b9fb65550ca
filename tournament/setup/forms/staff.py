from typing import Any, Final

from django import forms
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tournament.models import StaffRole

ROLES: Final[dict[StaffRole.Role, Promise]] = {
    StaffRole.Role.HOTEL: _("Sees entrants, score cards and prizes, and gives the hotel’s approval."),
    StaffRole.Role.DESK: _("Checks players in, takes payments, assigns tables and enters score cards."),
    StaffRole.Role.COORDINATOR: _("Does everything the desk does, and gives the coordinator’s approval."),
    StaffRole.Role.DIRECTOR: _("Does everything: settings, draw, rulings, payouts and staff."),
}
"""The rights of each role in words, fewest rights first."""


class StaffForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)
    email = forms.EmailField(label=_("Email"))
    role = forms.ChoiceField(label=_("Role"), widget=forms.RadioSelect, initial=next(iter(ROLES)))

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        role = self.fields["role"]
        assert isinstance(role, forms.ChoiceField)
        role.choices = [(one.value, _explained(one)) for one in ROLES]


class OwnNameForm(forms.Form):
    name = forms.CharField(
        label=_("Your own name"),
        max_length=200,
        help_text=_("Everything you do from now on is recorded under this name."),
        widget=forms.TextInput(attrs={"autocomplete": "name", "autocapitalize": "words"}),
    )


def _explained(role: StaffRole.Role) -> SafeString:
    return format_html('<strong>{}</strong><span class="d-block second">{}</span>', role.label, ROLES[role])
