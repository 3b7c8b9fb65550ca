"""Console pages for the staff: own names, roles, sign-in links, and the log of everything that they did."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, cast
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from tournament.core.pages.access import ActorRequest, console_tournament, signed_in
from tournament.core.pages.responses import qr_data_uri, refusals_on, site_url
from tournament.core.selectors.log import check_chain
from tournament.core.tables.lists import Paging, export_if_requested
from tournament.models import StaffRole, Tournament, User
from tournament.setup.forms import OwnNameForm, StaffForm
from tournament.setup.services.sign_in import (
    LINK_LIFETIME,
    create_staff_link,
    users_beyond_director,
    users_with_credentials,
)
from tournament.setup.services.tournaments import grant_role, revoke_role
from tournament.setup.tables import LogTable
from tournament.spreadsheets.names import parse_number


@signed_in
def own_name(request: HttpRequest) -> HttpResponse:
    """Change the name under which everything that this person does from then on is recorded."""
    user = cast(User, request.user)
    form = OwnNameForm(request.POST or None, initial={"name": user.name})
    if request.method == "POST" and form.is_valid():
        user.name, user.is_named = form.cleaned_data["name"], True
        user.save(update_fields=["name", "is_named"])
        messages.success(request, _("You are now %(name)s. What you did before keeps the old name.") % {"name": user})
        return redirect("tournament:own_name")
    status = 422 if form.errors else 200
    return render(request, "tournament/setup/own_name.html", {"form": form}, status=status)


@console_tournament("direct")
def staff_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    form = StaffForm(request.POST if request.POST.get("act") == "grant" else None)
    if request.method == "POST" and request.POST.get("act") == "take":
        role = tournament.roles.filter(pk=parse_number(request.POST.get("role")) or 0).first()
        if role is not None:
            revoke_role(role, by=request.actor)
            said = _("%(name)s is no longer %(role)s here.") % {"name": role.user, "role": role.get_role_display()}
            messages.success(request, said)
        return redirect("tournament:desk_staff", tournament=tournament.slug)
    if request.method == "POST" and form.is_valid():
        with refusals_on(form):
            user = _grant(tournament, form, request)
            can_sign_in = user.last_login is not None or user.has_usable_password() or user.is_superuser
            is_staff_elsewhere = user.roles.exclude(tournament=tournament).exists()
            if not can_sign_in and not is_staff_elsewhere and request.actor.link is None:
                return _show_link(request, tournament, user)
            return redirect("tournament:desk_staff", tournament=tournament.slug)
    context = {"form": form, "people": list(_people(tournament, request)), "link": request.actor.link}
    return render(request, "tournament/setup/staff.html", context, status=422 if form.errors else 200)


@require_POST
@console_tournament("direct")
def staff_link(request: ActorRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Make a link for a member of staff who cannot sign in. It appears once, because only its digest is stored."""
    return _show_link(request, tournament, get_object_or_404(User, pk=pk))


def _show_link(request: ActorRequest, tournament: Tournament, user: User) -> HttpResponse:
    goes_to = reverse("tournament:today", kwargs={"tournament": tournament.slug})
    token = create_staff_link(tournament, user, by=request.actor, goes_to=goes_to)
    link = site_url(request) + reverse("tournament:sign_in", kwargs={"token": token})
    context = {"person": user, "link": link, "qr": qr_data_uri(link), "until": timezone.now() + LINK_LIFETIME}
    with timezone.override(ZoneInfo(tournament.time_zone)):
        response = render(request, "tournament/setup/staff_link.html", context)
    response["Cache-Control"] = "private, no-store"  # going back in the browser must not reveal the link
    return response


def _people(tournament: Tournament, request: ActorRequest) -> Iterator[dict[str, Any]]:
    """Yield everybody on the staff with their roles, and whether this director can make them a link."""
    found = list(tournament.roles.select_related("user").order_by("user__name", "user_id", "role"))
    users = {role.user for role in found}
    beyond, protected = users_beyond_director(tournament, users, request.actor), users_with_credentials(users)
    for user, roles in groupby(found, key=lambda role: role.user):
        about = {"reaches_beyond": user.pk in beyond, "has_password": user in protected}
        yield {"user": user, "roles": list(roles), **about}


def _grant(tournament: Tournament, form: StaffForm, request: ActorRequest) -> User:
    email = form.cleaned_data["email"].lower()
    found = User.objects.filter(email=email).first()
    user = found or User.objects.create_user(email, None, name=form.cleaned_data["name"])
    role = cast(StaffRole.Role, form.cleaned_data["role"])
    granted = grant_role(tournament, user, role, by=request.actor)
    messages.success(
        request, _("%(name)s is on the staff: %(role)s.") % {"name": user, "role": granted.get_role_display()}
    )
    return user


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
        download = export_if_requested(request, table, "log")
        if download is not None:
            return download
        context = {"table": table, "q": wanted, "chain": check_chain(tournament)}
        return render(request, "tournament/setup/log.html", context)
