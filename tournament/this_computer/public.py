"""The page *Welcome* of the first start, which asks for the club and for the director's name and password."""

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from tournament.core.pages.access import is_request_from_this_computer
from tournament.core.pages.responses import domain_errors_as_form_errors
from tournament.this_computer.forms import FirstStartForm
from tournament.this_computer.services import require_first_start, set_up_installation


@require_http_methods(["GET", "POST"])
def first_start(request: HttpRequest, token: str) -> HttpResponse:
    """Create the first administrator, sign them in, and show the form for the first tournament.

    Raises:
        NotFound: `link-used`: the link has expired, or somebody has already set up this installation.
    """
    require_first_start(token)
    form = FirstStartForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        with domain_errors_as_form_errors(form):
            user = set_up_installation(
                token,
                club_name=values["name"],
                time_zone=values["time_zone"],
                name=values["your_name"],
                password=values["password"],
            )
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            messages.success(request, _("Everything is set up. Now create your first tournament."))
            return redirect("tournament:new_tournament")
    context = {"form": form, "is_here": is_request_from_this_computer(request)}
    template = "tournament/this_computer/first_start.html"
    return render(request, template, context, status=422 if form.errors else 200)
