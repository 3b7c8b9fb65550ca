"""Console pages about staff: the user's own name, roles, sign-in links, and the log."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from typing import Any, Final, cast
from zoneinfo import ZoneInfo

import django_tables2 as tables
from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from tournament.core.pages.access import ActorRequest, sign_in_required, staff_tournament_view
from tournament.core.pages.responses import domain_errors_as_form_errors, find_site_url, make_qr_data_uri
from tournament.core.selectors.left_out import LEFT_OUT_VERB, load_left_out_parts
from tournament.core.selectors.log import check_log_chain
from tournament.core.tables.lists import (
    HIDDEN_ON_TABLET_CLASS,
    PERSON_CELL_ATTRS,
    ListRequestConfig,
    export_if_requested,
)
from tournament.core.words import describe_log_verb, find_log_verbs
from tournament.models import AuditEntry, StaffRole, Tournament, User
from tournament.setup.services.sign_in import (
    SIGN_IN_LINK_LIFETIME,
    create_sign_in_link_for_staff,
    find_users_with_credentials,
    find_users_with_wider_access,
)
from tournament.setup.services.tournaments import grant_role, revoke_role
from tournament.spreadsheets.names import parse_number


class _OwnNameForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Your own name"),
        max_length=200,
        help_text=gettext_lazy("Everything you do from now on is recorded under this name."),
        widget=forms.TextInput(attrs={"autocomplete": "name", "autocapitalize": "words"}),
    )


@sign_in_required
def change_own_name(request: HttpRequest) -> HttpResponse:
    """Change the user's name for all future actions, and redirect to `next`. Earlier records keep the old name."""
    user, goes_on = cast(User, request.user), request.GET.get("next", "")
    form = _OwnNameForm(request.POST or None, initial={"name": user.name})
    if request.method == "POST" and form.is_valid():
        user.name, user.is_named = form.cleaned_data["name"], True
        user.save(update_fields=["name", "is_named"])
        messages.success(request, _("You are now %(name)s. What you did before keeps the old name.") % {"name": user})
        is_here = url_has_allowed_host_and_scheme(goes_on, allowed_hosts={request.get_host()})
        return redirect(goes_on if is_here else "tournament:own_name")
    status = 422 if form.errors else 200
    return render(request, "tournament/setup/own_name.html", {"form": form}, status=status)


_ROLE_DESCRIPTIONS: Final[dict[StaffRole.Role, Promise]] = {
    StaffRole.Role.HOTEL: gettext_lazy("Sees entrants, score cards and prizes, and gives the hotel’s approval."),
    StaffRole.Role.DESK: gettext_lazy("Checks players in, takes payments, assigns tables and enters score cards."),
    StaffRole.Role.COORDINATOR: gettext_lazy("Does everything the desk does, and gives the coordinator’s approval."),
    StaffRole.Role.DIRECTOR: gettext_lazy("Does everything: settings, draw, rulings, payouts and staff."),
}
"""A description of each role's permissions, fewest first."""


class _StaffForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=200)
    email = forms.EmailField(label=gettext_lazy("Email"))
    role = forms.ChoiceField(
        label=gettext_lazy("Role"), widget=forms.RadioSelect, initial=next(iter(_ROLE_DESCRIPTIONS))
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        role = self.fields["role"]
        assert isinstance(role, forms.ChoiceField)
        label = '<strong>{}</strong><span class="d-block second">{}</span>'
        role.choices = [
            (one.value, format_html(label, one.label, rights)) for one, rights in _ROLE_DESCRIPTIONS.items()
        ]


@staff_tournament_view("direct")
def staff_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    form = _StaffForm(request.POST if request.POST.get("act") == "grant" else None)
    if request.method == "POST" and request.POST.get("act") == "take":
        role = tournament.roles.filter(pk=parse_number(request.POST.get("role")) or 0).first()
        if role is not None:
            revoke_role(role, by=request.actor)
            message = _("%(name)s is no longer %(role)s here.") % {"name": role.user, "role": role.get_role_display()}
            messages.success(request, message)
        return redirect("tournament:desk_staff", tournament=tournament.slug)
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            user = _grant_role(tournament, form, request)
            can_sign_in = user.last_login is not None or user.has_usable_password() or user.is_superuser
            is_staff_elsewhere = user.roles.exclude(tournament=tournament).exists()
            if not can_sign_in and not is_staff_elsewhere and request.actor.link is None:
                return _show_sign_in_link(request, tournament, user)
            return redirect("tournament:desk_staff", tournament=tournament.slug)
    context = {"form": form, "people": list(_iter_staff(tournament, request)), "link": request.actor.link}
    return render(request, "tournament/setup/staff.html", context, status=422 if form.errors else 200)


@require_POST
@staff_tournament_view("direct")
def create_staff_sign_in_link(request: ActorRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Create a sign-in link for a staff member who cannot sign in.

    It is shown only once, because only its digest is stored.
    """
    return _show_sign_in_link(request, tournament, get_object_or_404(User, pk=pk))


def _show_sign_in_link(request: ActorRequest, tournament: Tournament, user: User) -> HttpResponse:
    goes_to = reverse("tournament:today", kwargs={"tournament": tournament.slug})
    token = create_sign_in_link_for_staff(tournament, user, by=request.actor, goes_to=goes_to)
    link = find_site_url(request) + reverse("tournament:sign_in", kwargs={"token": token})
    context = {
        "person": user,
        "link": link,
        "qr": make_qr_data_uri(link),
        "until": timezone.now() + SIGN_IN_LINK_LIFETIME,
    }
    with timezone.override(ZoneInfo(tournament.time_zone)):
        response = render(request, "tournament/setup/staff_link.html", context)
    response["Cache-Control"] = "private, no-store"  # going back in the browser must not reveal the link
    return response


def _iter_staff(tournament: Tournament, request: ActorRequest) -> Iterator[dict[str, Any]]:
    """Yield staff members with their roles, and whether this director can create a sign-in link for them."""
    found = list(tournament.roles.select_related("user").order_by("user__name", "user_id", "role"))
    users = {role.user for role in found}
    beyond, protected = (
        find_users_with_wider_access(tournament, users, request.actor),
        find_users_with_credentials(users),
    )
    for user, roles in groupby(found, key=lambda role: role.user):
        about = {"reaches_beyond": user.pk in beyond, "has_password": user in protected}
        yield {"user": user, "roles": list(roles), **about}


def _grant_role(tournament: Tournament, form: _StaffForm, request: ActorRequest) -> User:
    email = form.cleaned_data["email"].lower()
    found = User.objects.filter(email=email).first()
    user = found or User.objects.create_user(email, None, name=form.cleaned_data["name"])
    role = cast(StaffRole.Role, form.cleaned_data["role"])
    granted = grant_role(tournament, user, role, by=request.actor)
    messages.success(
        request, _("%(name)s is on the staff: %(role)s.") % {"name": user, "role": granted.get_role_display()}
    )
    return user


# --- Log -------------------------------------------------------------------------------------------------------------

_CODE_CELL_ATTRS = {"td": {"class": "small"}}
_DIGEST_CELL_ATTRS = {"td": {"class": f"small {HIDDEN_ON_TABLET_CLASS}"}, "th": {"class": HIDDEN_ON_TABLET_CLASS}}
_REASON_CELL_ATTRS = {"td": {"class": "is-text"}}
_NUMBER_CELL_ATTRS = {"td": {"class": HIDDEN_ON_TABLET_CLASS}, "th": {"class": HIDDEN_ON_TABLET_CLASS}}


class LogTable(tables.Table):
    seq = tables.Column(verbose_name=gettext_lazy("No."), attrs=_NUMBER_CELL_ATTRS)
    at = tables.DateTimeColumn(
        verbose_name=gettext_lazy("When"), format="Y-m-d H:i:s", attrs={"td": {"class": "is-moment"}}
    )
    by_name = tables.Column(verbose_name=gettext_lazy("Who"), attrs=PERSON_CELL_ATTRS)
    verb = tables.Column(verbose_name=gettext_lazy("What"), attrs=_CODE_CELL_ATTRS)
    about = tables.Column(verbose_name=gettext_lazy("About"), attrs=PERSON_CELL_ATTRS)
    reason = tables.Column(verbose_name=gettext_lazy("Reason"), attrs=_REASON_CELL_ATTRS)
    digest = tables.Column(verbose_name=gettext_lazy("Digest"), attrs=_DIGEST_CELL_ATTRS)

    class Meta:
        model = AuditEntry
        fields = ("seq", "at", "by_name", "verb", "about", "reason", "digest")
        order_by = "-seq"
        caption = gettext_lazy("The log, newest first")

    def value_at(self, value: datetime) -> datetime:
        return localtime(value).replace(tzinfo=None, microsecond=0)

    def render_verb(self, value: str) -> SafeString:
        """Show a description of the action above its verb. A line break in the verb is allowed only after the dot."""
        verb = format_html_join(mark_safe(".<wbr>"), "{}", ((part,) for part in value.split(".")))
        return format_html('{}<br><code class="second">{}</code>', describe_log_verb(value), verb)

    def value_verb(self, value: str) -> str:
        return value

    def render_digest(self, value: str) -> str:
        return value[:12]


@staff_tournament_view("desk")
def show_log(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    rows = tournament.log.exclude(verb=LEFT_OUT_VERB)
    wanted = request.GET.get("q", "").strip()
    if wanted:
        found = Q(about__icontains=wanted) | Q(verb__icontains=wanted) | Q(verb__in=find_log_verbs(wanted))
        rows = rows.filter(found | Q(by_name__icontains=wanted) | Q(reason__icontains=wanted))
    with timezone.override(ZoneInfo(tournament.time_zone)):
        table = LogTable(rows)
        ListRequestConfig(request, 50).configure(table)
        download = export_if_requested(request, table, "log")
        if download is not None:
            return download
        left_out = load_left_out_parts(tournament.pk).log_rows
        context = {"table": table, "q": wanted, "chain": check_log_chain(tournament), "left_out": left_out}
        return render(request, "tournament/setup/log.html", context)
