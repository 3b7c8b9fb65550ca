"""The django-allauth account adapter, and the sign-in form."""

from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import LoginForm
from django import forms
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tournament.models import User


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        # Without email nobody can prove that an address is theirs, and it may be a director's.
        return bool(settings.MAIL_IS_SET)


PLACEHOLDER_DOMAIN: Final = "@localhost"
"""The domain of the placeholder address of an account without an email address, such as that of the first start."""


class NameOrEmailLoginForm(LoginForm):
    """The sign-in form. A user without an email address signs in with their name."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["login"] = forms.CharField(
            label=_("Email or name"),
            widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
        )
        self.order_fields(["login", "password"])

    def clean_login(self) -> str:
        login = str(super().clean_login())
        if "@" in login:
            return login
        addresses = User.objects.filter(name__iexact=login, email__endswith=PLACEHOLDER_DOMAIN)
        matches = list(addresses.values_list("email", flat=True)[:2])
        return matches[0] if len(matches) == 1 else f"{login}{PLACEHOLDER_DOMAIN}"
