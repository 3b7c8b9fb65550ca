"""The form on the *Welcome* page, and the form for the club on *This computer*."""

from typing import Any, ClassVar

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext_lazy as _

from tournament.models import Club, User
from tournament.setup.forms import TimeZoneField
from tournament.setup.services.sign_in import FIRST_USER_EMAIL


class ClubForm(forms.ModelForm):
    time_zone = TimeZoneField(label=_("Time zone"))

    class Meta:
        model = Club
        fields = ("name", "time_zone")
        labels: ClassVar = {"name": _("Name of your club")}
        widgets: ClassVar = {"name": forms.TextInput(attrs={"autocomplete": "organization"})}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.is_bound or self.instance.pk:
            del self.fields["time_zone"].widget.attrs["data-own-zone"]


class FirstStartForm(ClubForm):
    """The questions on the *Welcome* page: the club, its time zone, and the director's name and password."""

    your_name = forms.CharField(
        label=_("Your own name"),
        max_length=200,
        help_text=_("You sign in with this name, and everything you do is recorded under it."),
        widget=forms.TextInput(attrs={"autocomplete": "name", "autocapitalize": "words"}),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        help_text=_("At least 8 characters."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    password_again = forms.CharField(
        label=_("Repeat the password"), strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )

    def clean_password_again(self) -> str:
        again = str(self.cleaned_data["password_again"])
        if again != self.cleaned_data.get("password", again):
            raise forms.ValidationError(_("The two passwords differ. Enter the same one twice."))
        return again

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "password" in cleaned:
            user = User(email=FIRST_USER_EMAIL, name=cleaned.get("your_name", ""))
            try:
                validate_password(cleaned["password"], user)
            except forms.ValidationError as error:
                self.add_error("password", error)
        return cleaned
