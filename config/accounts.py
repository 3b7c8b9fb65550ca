"""The django-allauth account adapter."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        # Without email nobody can prove that an address is theirs, and it may be a director's.
        return bool(settings.MAIL_IS_SET)
