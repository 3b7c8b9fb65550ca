from typing import cast
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_tournament
from tournament.core.pages.refusals import refusals_on
from tournament.core.selectors.log import check_chain
from tournament.core.tables.exports import exported
from tournament.core.tables.paging import Paging
from tournament.models import StaffRole, Tournament, User
from tournament.setup.forms.settings import StaffForm
from tournament.setup.services.sign_in import make_link
from tournament.setup.services.tournaments import grant_role, revoke_role
from tournament.setup.tables import LogTable
from tournament.spreadsheets.numbers import typed_number


@console_tournament("desk")
def log(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    rows = tournament.log.all()
    wanted = request.GET.get("q", "").strip()
    if wanted:
        found = Q(about__icontains=wanted) | Q(verb__icontains=wanted) | Q(by_name__icontains=wanted)
        rows = rows.filter(found | Q(reason__icontains=wanted))
    with timezone.override(ZoneInfo(tournament.time_zone)):
        table = LogTable(rows)
        Paging(request, 50).configure(table)
        download = exported(request, table, "log")
        if download is not None:
            return download
        context = {"table": table, "q": wanted, "chain": check_chain(tournament)}
        return render(request, "tournament/setup/log.html", context)


@console_tournament("direct")
def staff_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    form = StaffForm(request.POST if request.POST.get("act") == "grant" else None)
    link = ""
    if request.method == "POST" and request.POST.get("act") == "take":
        role = tournament.roles.filter(pk=typed_number(request.POST.get("role")) or 0).first()
        if role is not None:
            revoke_role(role, by=request.actor)
            messages.success(request, _("Role removed."))
        return redirect("tournament:desk_staff", tournament=tournament.slug)
    if request.method == "POST" and form.is_valid():
        with refusals_on(form):
            path = _grant(tournament, form, request)
            link = request.build_absolute_uri(path) if path else ""
            messages.success(request, _("Role given."))
            form = StaffForm()
    roles = tournament.roles.select_related("user").order_by("role", "user__name")
    context = {"form": form, "roles": roles, "link": link}
    return render(request, "tournament/setup/staff.html", context)


def _grant(tournament: Tournament, form: StaffForm, request: ActorRequest) -> str:
    """Give the role; answer a one-time link for somebody new, else nothing: an account is its owner's.

    Staff of another tournament are not new, even if they never signed in: the link would open that one too.
    """
    email = form.cleaned_data["email"].lower()
    found = User.objects.filter(email=email).first()
    user = found or User.objects.create_user(email, None, name=form.cleaned_data["name"])
    grant_role(tournament, user, cast(StaffRole.Role, form.cleaned_data["role"]), by=request.actor)
    elsewhere = user.roles.exclude(tournament=tournament).exists()
    if elsewhere or user.last_login is not None or user.has_usable_password() or user.is_superuser:
        return ""
    goes_to = reverse("tournament:today", kwargs={"tournament": tournament.slug})
    return reverse("tournament:sign_in", kwargs={"token": make_link(user, goes_to=goes_to)})
