"""Console pages for entrants: the list, new entries, one entry with all actions, substitutes, and duplicate records."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, cast

import django_tables2 as tables
from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from tournament.core.pages.access import ActorRequest, staff_event_view, staff_tournament_view
from tournament.core.pages.responses import (
    domain_errors_as_form_errors,
    find_site_url,
    list_submitted_fields,
    make_event_url,
    make_private_link,
    make_qr_data_uri,
    render_confirmation,
)
from tournament.core.permissions import is_allowed, load_roles
from tournament.core.tables.lists import (
    NAME_CELL_ATTRS,
    ORDER_BY_FAMILY_NAME,
    PERSON_CELL_ATTRS,
    ListRequestConfig,
    export_if_requested,
    to_decimal_amount,
)
from tournament.errors import DomainError
from tournament.models import Entrant, Event, Player, PlayerCorrection, Tournament, User
from tournament.money.selectors.ledger import load_entry_account, load_event_accounts
from tournament.money.selectors.side_pools import count_extras_of_entry
from tournament.money.services.checkin import CHECK_IN_STATES, check_in_entrants
from tournament.ports import stage_provider
from tournament.purse.fees import EntryAccount
from tournament.registration.forms import DeskEntryForm, PersonForm, SubstituteForm
from tournament.registration.player import make_entry_steps
from tournament.registration.selectors.entries import (
    APPROVAL_ROLES,
    ROLE_NAMES,
    count_free_places,
    explain_approvals,
    get_side_name,
    has_two_partner_pools,
    list_entrants,
    list_required_approvals,
    list_sites,
    load_entrant_by_number,
    load_entry_summaries,
    load_entry_summary,
    load_members,
    load_staff_messages,
    make_partner_seeker_context,
    make_side_choices,
    make_waiting_list_context,
)
from tournament.registration.selectors.people import (
    find_duplicate_players,
    find_events_entered_twice,
    load_reversible_merges,
)
from tournament.registration.services.entries import (
    EntryRequest,
    add_approved_entry,
    add_entry,
    approve_entrant,
    approve_entrants,
    reinstate_entrant,
    reject_entrant,
    substitute_player,
    withdraw_entrant,
)
from tournament.registration.services.pairs import change_partner_pool, split_pair
from tournament.registration.services.people import (
    Person,
    change_sort_name,
    correct_player,
    make_entry_sort_name,
    merge_players,
    undo_merge,
)
from tournament.registration.services.waiting_list import (
    change_side,
    change_site,
    move_up_waiting_list,
    promote_from_waiting_list,
)
from tournament.spreadsheets import find_site_by_name
from tournament.spreadsheets.names import PARTNER_SEPARATOR, parse_number, parse_numbers
from tournament.templatetags.gin import money, render_badge

FIELD_LABELS: Final = {
    "name": gettext_lazy("Name"),
    "public_name": gettext_lazy("Name to show in public"),
    "email": gettext_lazy("Email"),
    "phone": gettext_lazy("Phone"),
    "club": gettext_lazy("Club or city"),
}


@dataclass(frozen=True, slots=True)
class _EntrantRow:
    """A row in the staff's list of entrants. `name` is the public name, and `people` are the current players."""

    number: int
    name: str
    people: tuple[Player, ...]
    club: str
    state: str
    missing: str
    notes: str
    account: EntryAccount
    side: str = ""
    site: str = ""
    sort_key: str = ""

    @property
    def about(self) -> str:
        """The club, preceded by the players' real names if their public names differ."""
        is_alias = any(str(person) != person.name for person in self.people)
        real = " / ".join(person.name for person in self.people) if is_alias else ""
        return " · ".join(filter(None, (real, self.club)))

    @property
    def owed(self) -> int:
        return self.account.charged_cents

    @property
    def paid(self) -> int:
        return self.account.net_paid_cents


_MONEY_CELL_ATTRS: Final = {"td": {"class": "is-money"}, "th": {"class": "is-money"}}


class _EntrantTable(tables.Table):
    select = tables.Column(
        verbose_name=gettext_lazy("Mark"), empty_values=(), orderable=False, exclude_from_export=True
    )
    number = tables.Column(verbose_name=gettext_lazy("No."))
    name = tables.Column(verbose_name=gettext_lazy("Name"), attrs=PERSON_CELL_ATTRS, order_by=ORDER_BY_FAMILY_NAME)
    partner = tables.Column(verbose_name=gettext_lazy("Partner"), empty_values=(), visible=False)
    club = tables.Column(verbose_name=gettext_lazy("Club or city"), accessor="about", attrs=NAME_CELL_ATTRS)
    side = tables.Column(verbose_name=gettext_lazy("Side"))
    site = tables.Column(verbose_name=gettext_lazy("Site"), attrs=NAME_CELL_ATTRS)
    state = tables.Column(verbose_name=gettext_lazy("State"))
    owed = tables.Column(verbose_name=gettext_lazy("Owed"), attrs=_MONEY_CELL_ATTRS)
    paid = tables.Column(verbose_name=gettext_lazy("Paid"), attrs=_MONEY_CELL_ATTRS)
    email = tables.Column(verbose_name=gettext_lazy("Email"), empty_values=(), visible=False)
    phone = tables.Column(verbose_name=gettext_lazy("Phone"), empty_values=(), visible=False)
    partner_email = tables.Column(verbose_name=gettext_lazy("Partner email"), empty_values=(), visible=False)
    partner_phone = tables.Column(verbose_name=gettext_lazy("Partner phone"), empty_values=(), visible=False)
    notes = tables.Column(verbose_name=gettext_lazy("Notes"), visible=False)
    public_name = tables.Column(verbose_name=gettext_lazy("Name to show"), empty_values=(), visible=False)
    shows_name = tables.Column(verbose_name=gettext_lazy("Show the name in public"), empty_values=(), visible=False)

    row_header = "name"

    class Meta:
        order_by = "name"
        empty_text = gettext_lazy("No players on this list.")

    def __init__(self, rows: list[_EntrantRow], *, event: Event, export: bool = False, mark: bool = False) -> None:
        slugs = {"tournament": event.tournament.slug, "event": event.slug, "number": 0}
        self.entrant_url = reverse("tournament:desk_entrant", kwargs=slugs)
        self.currency = event.tournament.currency
        super().__init__(rows)
        in_file = ["email", "phone", "notes", "public_name", "shows_name"]
        in_file += ["partner", "partner_email", "partner_phone"] if event.entry_size == 2 else []
        for name in in_file if export else ():
            self.columns.show(name)
        if not make_side_choices(event):
            self.columns.hide("side")
        if not list_sites(event):
            self.columns.hide("site")
        if not mark or export:
            self.columns.hide("select")

    def render_select(self, record: _EntrantRow) -> SafeString | str:
        if not record.missing:
            return ""
        return format_html(
            '<input type="checkbox" class="form-check-input" form="approve" name="number" value="{}" '
            'aria-label="{} {}">',
            record.number,
            record.number,
            record.name,
        )

    def render_name(self, record: _EntrantRow) -> SafeString:
        return format_html('<a href="{}">{}</a>', self.entrant_url.replace("/0/", f"/{record.number}/"), record.name)

    def value_name(self, record: _EntrantRow) -> str:
        """Return an entrant's real name, not a pseudonym, for an exported list. Only staff export this list."""
        return _get_person_value(record, 0, "name") or record.name

    def value_partner(self, record: _EntrantRow) -> str:
        is_wanted = record.state == Entrant.State.SEEKING
        return _("wanted") if is_wanted else _get_person_value(record, 1, "name")

    def value_club(self, record: _EntrantRow) -> str:
        return record.club

    def value_email(self, record: _EntrantRow) -> str:
        return _get_person_value(record, 0, "email")

    def value_phone(self, record: _EntrantRow) -> str:
        return _get_person_value(record, 0, "phone")

    def value_partner_email(self, record: _EntrantRow) -> str:
        return _get_person_value(record, 1, "email")

    def value_partner_phone(self, record: _EntrantRow) -> str:
        return _get_person_value(record, 1, "phone")

    def value_public_name(self, record: _EntrantRow) -> str:
        names = [person.public_name for person in record.people]
        return PARTNER_SEPARATOR.join(names) if any(names) else ""

    def value_shows_name(self, record: _EntrantRow) -> str:
        answers = [_("No") if person.hides_name else _("Yes") for person in record.people]
        return PARTNER_SEPARATOR.join(dict.fromkeys(answers) if len(set(answers)) == 1 else answers)

    def render_state(self, record: _EntrantRow) -> SafeString:
        if record.missing:
            return format_html(
                '<span class="breaks">{} <span class="second small">{}</span></span>',
                render_badge(record.state),
                _("by %(roles)s") % {"roles": record.missing},
            )
        return render_badge(record.state)

    def value_state(self, record: _EntrantRow) -> str:
        return str(Entrant.State(record.state).label)

    def render_owed(self, value: int) -> str:
        return money(value, self.currency)

    render_paid = render_owed

    def value_owed(self, value: int) -> Decimal:
        return to_decimal_amount(value, self.currency)

    value_paid = value_owed


def _get_person_value(record: _EntrantRow, seat: int, what: str) -> str:
    return str(getattr(record.people[seat], what)) if seat < len(record.people) else ""


@staff_event_view("look")
def entrants(request: ActorRequest, event: Event) -> HttpResponse:
    search, state = request.GET.get("q", "").strip(), request.GET.get("state", "")
    state = state if state in Entrant.State.values else ""
    sites = list_sites(event)
    site = find_site_by_name(sites, request.GET.get("site", ""))
    rows = _load_rows(event, search, state, site)
    missing = " ".join(row.missing for row in rows).strip()
    held = load_user_approval_roles(request, event, at_desk=True) if missing else []
    own = [role for role in held if ROLE_NAMES[role] in missing]
    table = _EntrantTable(rows, event=event, export="_export" in request.GET, mark=bool(own))
    ListRequestConfig(request, 50).configure(table)
    download = export_if_requested(request, table, f"{event.slug}-entrants")
    if download is not None:
        return download
    states = list(event.entrants.values_list("state", flat=True))
    context = {
        "table": table,
        "q": search,
        "state": state,
        "site": site,
        "sites": sites,
        "counts": [(value, label, states.count(value)) for value, label in Entrant.State.choices if value in states],
        "approvals": explain_approvals(event),
        "free": count_free_places(event),
        "waiting": states.count(Entrant.State.WAITING),
        "own_roles": own,
    }
    return render(request, "tournament/registration/console.html", context)


def _load_rows(event: Event, search: str, state: str, site: str) -> list[_EntrantRow]:
    listed = list(list_entrants(event, search=search, state=state, site=site).prefetch_related("members__player"))
    books, standings, sides = load_event_accounts(event), load_entry_summaries(listed), dict(make_side_choices(event))
    rows = []
    for entrant in listed:
        standing = standings.get(entrant.pk)
        open_entry = standing is not None and entrant.state in (Entrant.State.APPLIED, Entrant.State.WAITING)
        members = list(entrant.members.all())
        replaced = {member.replaces_id for member in members}
        rows.append(
            _EntrantRow(
                entrant.number,
                entrant.name,
                tuple(member.player for member in members if member.pk not in replaced),
                entrant.club,
                entrant.state,
                ", ".join(ROLE_NAMES[role] for role in standing.missing_roles)
                if standing is not None and open_entry
                else "",
                entrant.notes,
                books.get_account(entrant.pk),
                sides.get(entrant.side, ""),
                entrant.site,
                entrant.sort_key,
            )
        )
    return rows


def load_user_approval_roles(request: ActorRequest, event: Event, *, at_desk: bool) -> list[str]:
    """Return the roles in which this user can approve entries.

    If `at_desk` is set, include the desk role, which confirms the player's identity.
    """
    held = load_roles(cast(User, request.user), event.tournament)
    own: list[str] = [role for role in APPROVAL_ROLES if role in held]
    return [*own, "desk"] if at_desk and "desk" in request.acts else own


@require_POST
@staff_event_view("look")
def approve_selected_entrants(request: ActorRequest, event: Event) -> HttpResponse:
    role_for_all = request.POST.get("all_as", "")
    if role_for_all and "sure" not in request.POST:
        values = {"event": event.name, "role": role_for_all}
        return render_confirmation(
            request,
            title=_("Approve all entrants of %(event)s as %(role)s?") % values,
            text=_("Every entry that still needs this approval gets it now."),
            label=_("Approve all as %(role)s") % values,
            fields=(*list_submitted_fields(request), {"name": "sure", "value": "1"}),
            back=make_event_url(event, "tournament:desk_entrants"),
        )
    marked = parse_numbers(request.POST.getlist("number"))
    numbers = list(event.entrants.values_list("number", flat=True)) if role_for_all else marked
    count = approve_entrants(event, numbers, role_for_all or request.POST.get("role", ""), by=request.actor)
    messages.success(request, _("Approved: %(n)s.") % {"n": count})
    return _redirect_to_list(event)


@require_POST
@staff_event_view("direct")
def fill_from_waiting_list(request: ActorRequest, event: Event) -> HttpResponse:
    numbers = ", ".join(map(str, move_up_waiting_list(event, by=request.actor)))
    messages.success(request, _("Moved up from the waiting list: %(numbers)s.") % {"numbers": numbers})
    return _redirect_to_list(event)


@staff_event_view("desk")
def new_entrant(request: ActorRequest, event: Event) -> HttpResponse:
    required = list_required_approvals(event)
    has_roles = bool(required) and set(required) <= set(load_user_approval_roles(request, event, at_desk=False))
    is_walk_in = "walk_in" in request.GET
    initial = {"name": request.GET.get("name", "")[:200]}
    form = DeskEntryForm(request.POST or None, event=event, approves=required if has_roles else (), initial=initial)
    form.fields["name"].widget.attrs["autofocus"] = is_walk_in or "another" in request.GET
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            entry = form.make_entry_request(Entrant.Source.DESK)
            if entry.is_reentry and "sure" not in request.POST:
                return _confirm_reentry(request, event, entry)
            service = add_approved_entry if form.cleaned_data.get("approved") else add_entry
            entered = service(event, entry, by=request.actor, key=form.cleaned_data["key"], site=find_site_url(request))
            messages.success(request, _("%(name)s has number %(n)s.") % {"name": entered.name, "n": entered.number})
            if "another" in request.POST:
                return redirect(make_event_url(event, "tournament:new_entrant") + "?another=1")
            return _redirect_walk_in(request, entered) if is_walk_in else _redirect_to_entrant(entered)
    context = {"form": form, "is_walk_in": is_walk_in}
    return render(request, "tournament/registration/new_entrant.html", context, status=422 if form.errors else 200)


def _redirect_walk_in(request: ActorRequest, entrant: Entrant) -> HttpResponse:
    """Redirect to the payment page for a walk-in player, or check them in directly if they owe nothing."""
    if entrant.state not in CHECK_IN_STATES:
        return _redirect_to_entrant(entrant)
    if load_entry_account(entrant).due_cents > 0:
        return redirect(make_event_url(entrant.event, "tournament:desk_sale", number=entrant.number) + "?walk_in=1")
    check_in_entrants(entrant.event, [entrant.number], by=request.actor)
    messages.success(request, _("%(name)s is checked in.") % {"name": entrant.name})
    return redirect(make_event_url(entrant.event, "tournament:desk_checkin"))


def _confirm_reentry(request: ActorRequest, event: Event, entry: EntryRequest) -> HttpResponse:
    values = {"name": " / ".join(person.name for person in entry.people), "event": event.name}
    return render_confirmation(
        request,
        title=_("Enter %(name)s in %(event)s again?") % values,
        text=_("This is a re-entry: a new entry with its own number and its own fee. The earlier entry stays."),
        label=_("Enter %(name)s again") % values,
        fields=(*list_submitted_fields(request), {"name": "sure", "value": "1"}),
        back=make_event_url(event, "tournament:desk_entrants"),
    )


@staff_event_view("look")
def show_entrant(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    loaded = load_entrant_by_number(event, number)
    standing, account = load_entry_summary(loaded), load_entry_account(loaded)
    own = load_user_approval_roles(request, event, at_desk="desk" in standing.asked)
    at_desk = is_allowed(cast(User, request.user), "desk", event.tournament)
    corrections = PlayerCorrection.objects.filter(player__members__entrant=loaded).distinct()
    acts = ("refuse", "withdraw", "part", "reinstate")
    first_role = own[0] if own else ""
    link = make_private_link(request, loaded) if "links" in request.acts else ""
    context = {
        "entrant": loaded,
        "steps": make_entry_steps(loaded),
        "standing": standing,
        "waits": make_waiting_list_context(loaded),
        "people": [
            (one, make_entry_sort_name([Person.from_player(one.player)], [one.player])) for one in load_members(loaded)
        ],
        "everybody": loaded.members.select_related("player").order_by("pk"),
        "facts": loaded.facts.order_by("pk"),
        "corrections": [(row, "; ".join(_describe_changes(row))) for row in corrections],
        "account": account,
        "extras": count_extras_of_entry(loaded, account),
        "copies": load_staff_messages(loaded),
        "roles": [role for role in own if role in standing.missing_roles and loaded.state in ("applied", "waiting")],
        "speaks_as": first_role,
        "at_desk": at_desk,
        "may_refuse": bool(own) if standing.asked or list_required_approvals(event) else at_desk,
        "is_live": loaded.state in ("applied", "waiting", "seeking", "in"),
        "is_out": loaded.state in ("refused", "withdrawn", "removed"),
        "before_draw": event.state in ("draft", "open", "closed"),
        "is_drawn": event.state in ("drawn", "in-play") and loaded.state == "in",
        # The hidden fields that the panels of the page send besides the reason.
        "acts": {act: [{"name": "act", "value": act}, {"name": "role", "value": first_role}] for act in acts},
        "seeks": make_partner_seeker_context(loaded),
        "pools": Entrant.Pool.values if has_two_partner_pools(event) and loaded.asks_partner else [],
        "halves": sorted(loaded.halves.all(), key=lambda half: half.number),
        "side": get_side_name(loaded),
        "sides": make_side_choices(event),
        "sites": list_sites(event),
        **({"link": link, "qr": make_qr_data_uri(link)} if link else {}),
    }
    return render(request, "tournament/registration/entrant.html", context)


def _describe_changes(row: PlayerCorrection) -> Iterator[str]:
    for field, (before, after) in row.changes.items():
        if field == "hides_name":
            yield _("Only the initials are shown") if after else _("The name is shown in public")
        else:
            yield f"{FIELD_LABELS[field]}: {before or '–'} → {after or '–'}"


_ACTS = ("approve", "refuse", "withdraw", "reinstate", "promote", "side", "site", "pool", "part", "sort")


class _ActForm(forms.Form):
    act = forms.ChoiceField(choices=[(act, act) for act in _ACTS])
    pool = forms.CharField(required=False, max_length=1)
    side = forms.CharField(required=False, max_length=10)
    site = forms.CharField(required=False, max_length=100)
    seat = forms.IntegerField(required=False, min_value=1, max_value=9)
    sort_name = forms.CharField(required=False, max_length=200)
    role = forms.CharField(required=False, max_length=20)
    reason = forms.CharField(required=False, max_length=2000)


@require_POST
@staff_event_view("look")
def perform_entry_action(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    """Perform an action on an entry, such as approving, rejecting, or withdrawing it, or giving it a free place."""
    loaded, form = load_entrant_by_number(event, number), _ActForm(request.POST)
    if not form.is_valid():
        raise DomainError(
            "no-such-act", _("The page asked for something the program does not know. Go back and choose again.")
        )
    reason, role, by = form.cleaned_data["reason"], form.cleaned_data["role"], request.actor
    acts: dict[str, tuple[Callable[[], object], str]] = {
        "approve": (lambda: approve_entrant(loaded, role, by=by, reason=reason), _("Approved.")),
        "refuse": (lambda: reject_entrant(loaded, role, by=by, reason=reason), _("Refused.")),
        "withdraw": (lambda: withdraw_entrant(loaded, by=by, reason=reason), _("Withdrawn.")),
        "reinstate": (lambda: reinstate_entrant(loaded, by=by, reason=reason), _("Brought back.")),
        "promote": (lambda: promote_from_waiting_list(loaded, by=by, reason=reason), _("Moved up.")),
        "pool": (
            lambda: change_partner_pool(loaded, form.cleaned_data["pool"], by=by, reason=reason),
            _("Changed pools."),
        ),
        "part": (
            lambda: split_pair(loaded, by=by, reason=reason),
            _("The pair is split. Both players are looking for a partner again."),
        ),
        "site": (lambda: change_site(loaded, form.cleaned_data["site"], by=by, reason=reason), _("Changed sites.")),
        "sort": (
            lambda: change_sort_name(loaded, form.cleaned_data["seat"] or 1, form.cleaned_data["sort_name"], by=by),
            _("Changed the sort name."),
        ),
        "side": (lambda: change_side(loaded, form.cleaned_data["side"], by=by, reason=reason), _("Changed sides.")),
    }
    perform, message = acts[form.cleaned_data["act"]]
    perform()
    messages.success(request, message)
    return _redirect_to_entrant(loaded)


@staff_event_view("desk")
def edit_player_record(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    loaded = load_entrant_by_number(event, number)
    seat = parse_number(request.GET.get("seat")) or 1
    player = next((one.player for one in load_members(loaded) if one.seat == seat), None)
    if player is None:
        raise Http404
    form = PersonForm(request.POST or None, player=player)
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            reason, key = form.cleaned_data["reason"], form.cleaned_data["key"]
            correct_player(event, player, form.new_values, by=request.actor, reason=reason, key=key)
            messages.success(request, _("The correction is recorded."))
            return _redirect_to_entrant(loaded)
    context = {
        "form": form,
        "heading": _("Correct %(name)s") % {"name": player.name},
        "happens": _(
            "The new name is shown everywhere. Score cards and receipts that were signed keep the name they were "
            "signed with."
        ),
        "label": _("Save the correction"),
        "back": make_event_url(event, "tournament:desk_entrant", number=number),
    }
    status = 422 if form.errors else 200
    return render(request, "tournament/setup/settings_form.html", context, status=status)


@staff_event_view("direct")
def replace_player(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    loaded = load_entrant_by_number(event, number)
    warned = event.state == Event.State.IN_PLAY and stage_provider().has_finished_all_matches(loaded)
    form = SubstituteForm(request.POST or None, members=load_members(loaded), warned=warned)
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            cleaned = form.cleaned_data
            substitute_player(loaded, cleaned["seat"], form.make_person(), by=request.actor, reason=cleaned["reason"])
            messages.success(request, _("%(name)s plays under number %(n)s.") % {"name": cleaned["name"], "n": number})
            return _redirect_to_entrant(loaded)
    values = {"name": loaded.name, "event": event.name, "n": number}
    warning = _(
        "Every score card of %(name)s so far is finished. The results stay with number %(n)s. The "
        "substitute plays the remaining games and gets the place and the prize. If no games remain, "
        "change nothing here."
    )
    context = {
        "form": form,
        "heading": _("Replace %(name)s in %(event)s?") % values,
        "happens": _("The substitute plays as number %(n)s. The old private link and signing code stop working.")
        % values,
        "label": _("Replace %(name)s") % values,
        "back": make_event_url(event, "tournament:desk_entrant", number=number),
        "warning": warning % values if warned else "",
    }
    return render(request, "tournament/setup/settings_form.html", context)


@staff_tournament_view("direct")
def list_duplicate_players(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    """List records that may be the same person, and merges that can be undone."""
    if request.method == "POST":
        both = parse_numbers(request.POST.get("pair", "").split())
        kept = get_object_or_404(Player, pk__in=both, pk=parse_number(request.POST.get("kept")) or 0)
        gone = get_object_or_404(Player, pk__in=[pk for pk in both if pk != kept.pk][:1])
        merge_players(tournament, kept, gone, by=request.actor, reason=request.POST.get("reason", ""))
        messages.success(
            request, _("Merged. All entries, score cards and history now belong to %(name)s.") % {"name": kept}
        )
        for event_name in find_events_entered_twice(tournament, kept):
            messages.warning(
                request,
                _("This player is entered twice in %(event)s. Withdraw one of the entries.") % {"event": event_name},
            )
        return redirect("tournament:desk_twins", tournament=tournament.slug)
    context = {"twins": find_duplicate_players(tournament)[:100], "merges": load_reversible_merges(tournament)[:50]}
    return render(request, "tournament/registration/twins.html", context)


@require_POST
@staff_tournament_view("direct")
def undo_player_merge(request: ActorRequest, tournament: Tournament, pk: int) -> HttpResponse:
    merge = get_object_or_404(load_reversible_merges(tournament), pk=pk)
    undo_merge(tournament, merge, by=request.actor, reason=request.POST.get("reason", ""))
    messages.success(request, _("The merge is undone. They are two players again."))
    return redirect("tournament:desk_twins", tournament=tournament.slug)


def _redirect_to_list(event: Event) -> HttpResponse:
    return redirect("tournament:desk_entrants", tournament=event.tournament.slug, event=event.slug)


def _redirect_to_entrant(loaded: Entrant) -> HttpResponse:
    tournament, event = loaded.event.tournament.slug, loaded.event.slug
    return redirect("tournament:desk_entrant", tournament=tournament, event=event, number=loaded.number)
