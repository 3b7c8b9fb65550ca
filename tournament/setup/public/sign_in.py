from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from tournament.core.pages.access import keep_link
from tournament.setup.services.sign_in import use_link


def sign_in(request: HttpRequest, token: str) -> HttpResponse:
    """The link opens a page with one key: mail scanners that follow links do not use it up."""
    if request.method != "POST":
        return render(request, "tournament/setup/sign_in.html", {"token": token})
    link = use_link(token)
    login(request, link.user, backend="django.contrib.auth.backends.ModelBackend")
    keep_link(request, link)
    safe = url_has_allowed_host_and_scheme(link.goes_to, allowed_hosts=None)
    return redirect(link.goes_to if safe else "/")
