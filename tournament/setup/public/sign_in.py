from typing import Any, Final

from allauth.account.signals import email_added, email_changed, password_set
from allauth.mfa.signals import authenticator_added
from django.contrib.auth import login
from django.dispatch import Signal, receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from tournament.core.pages.access import keep_link, link_maker
from tournament.core.permissions import staff
from tournament.models import User
from tournament.setup.services.sign_in import record_way_in, use_link


def sign_in(request: HttpRequest, token: str) -> HttpResponse:
    """Show a page with a button that uses the link, so that mail scanners do not use it up."""
    if request.method != "POST":
        return render(request, "tournament/setup/sign_in.html", {"token": token})
    link = use_link(token)
    login(request, link.user, backend="django.contrib.auth.backends.ModelBackend")
    keep_link(request, link)
    safe = url_has_allowed_host_and_scheme(link.goes_to, allowed_hosts=None)
    return redirect(link.goes_to if safe else "/")


@receiver([password_set, email_added, email_changed, authenticator_added], dispatch_uid="way_in_set")
def _way_in_was_set(*, signal: Signal, request: HttpRequest, user: User, **_more: Any) -> None:
    if link := link_maker(request):
        record_way_in(user, WAYS_IN[signal], by=staff(user, link))


WAYS_IN: Final = {
    password_set: "password",
    email_added: "email",
    email_changed: "email",
    authenticator_added: "second-factor",
}
