"""The public list of entrants, and the list of the desk with its files."""

from dataclasses import dataclass
from decimal import Decimal
from html import escape

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournament.core.tables.lists import BY_FAMILY_NAME, NAME, PERSON, decimal_amount
from tournament.models import Entrant, Event, Player
from tournament.purse.fees import Account
from tournament.registration.selectors.entries import PublicEntrantRow, side_choices, sites_of
from tournament.spreadsheets.names import BETWEEN_PAIRS
from tournament.templatetags.gin import badge, money


class PublicEntrantTable(tables.Table):
    """The public list of entrants, without email addresses and phone numbers."""

    number = tables.Column(verbose_name=_("No."))
    name = tables.Column(verbose_name=_("Name"), order_by=BY_FAMILY_NAME)
    club = tables.Column(verbose_name=_("Club or city"), attrs=NAME)
    site = tables.Column(verbose_name=_("Site"), attrs=NAME)
    state = tables.Column(verbose_name=_("State"))

    search_field = "q"
    search_label = _("Search names and clubs")
    row_header = "name"

    class Meta:
        model = Entrant
        fields = ("number", "name", "club", "site", "state")
        # The rows come sorted by family name. Sorting them again would cost as much as writing them.
        empty_text = _("No players on this list.")

    def __init__(self, *args: object, event: Event, **options: object) -> None:
        address = reverse("tournament:player", kwargs={"tournament": event.tournament.slug, "pk": 0})
        self.before, self.after = address.rsplit("0", 1)
        self.state_cells = {state: badge(state) for state in Entrant.State.values}
        super().__init__(*args, exclude=() if sites_of(event) else ("site",), **options)

    def render_number(self, value: int) -> str:
        return str(value)

    def value_number(self, value: int) -> int:
        return value

    def render_name(self, record: PublicEntrantRow) -> SafeString | str:
        if record.first_player is None:
            return record.name
        return SafeString(f'<a href="{self.before}{record.first_player:d}{self.after}">{escape(record.name)}</a>')

    def value_name(self, record: PublicEntrantRow) -> str:
        return record.name

    def render_state(self, record: PublicEntrantRow) -> SafeString:
        return self.state_cells[record.state]

    def value_state(self, record: PublicEntrantRow) -> str:
        return str(Entrant.State(record.state).label)


@dataclass(frozen=True, slots=True)
class EntrantRow:
    """An entry in the staff's list. `name` is its public name, and `people` are its current players."""

    number: int
    name: str
    people: tuple[Player, ...]
    club: str
    state: str
    missing: str
    notes: str
    account: Account
    side: str = ""
    site: str = ""
    sort_key: str = ""

    @property
    def about(self) -> str:
        """Return the club, preceded by the real names if the public sees other names."""
        is_alias = any(str(person) != person.name for person in self.people)
        real = " / ".join(person.name for person in self.people) if is_alias else ""
        return " · ".join(filter(None, (real, self.club)))

    @property
    def owed(self) -> int:
        return self.account.asked_cents

    @property
    def paid(self) -> int:
        return self.account.kept_cents


class EntrantTable(tables.Table):
    select = tables.Column(verbose_name=_("Mark"), empty_values=(), orderable=False, exclude_from_export=True)
    number = tables.Column(verbose_name=_("No."))
    name = tables.Column(verbose_name=_("Name"), attrs=PERSON, order_by=BY_FAMILY_NAME)
    partner = tables.Column(verbose_name=_("Partner"), empty_values=(), visible=False)
    club = tables.Column(verbose_name=_("Club or city"), accessor="about", attrs=NAME)
    side = tables.Column(verbose_name=_("Side"))
    site = tables.Column(verbose_name=_("Site"), attrs=NAME)
    state = tables.Column(verbose_name=_("State"))
    owed = tables.Column(verbose_name=_("Owed"), attrs={"td": {"class": "is-money"}, "th": {"class": "is-money"}})
    paid = tables.Column(verbose_name=_("Paid"), attrs={"td": {"class": "is-money"}, "th": {"class": "is-money"}})
    email = tables.Column(verbose_name=_("Email"), empty_values=(), visible=False)
    phone = tables.Column(verbose_name=_("Phone"), empty_values=(), visible=False)
    partner_email = tables.Column(verbose_name=_("Partner email"), empty_values=(), visible=False)
    partner_phone = tables.Column(verbose_name=_("Partner phone"), empty_values=(), visible=False)
    notes = tables.Column(verbose_name=_("Notes"), visible=False)
    public_name = tables.Column(verbose_name=_("Name to show"), empty_values=(), visible=False)
    shows_name = tables.Column(verbose_name=_("Show the name in public"), empty_values=(), visible=False)

    row_header = "name"

    class Meta:
        order_by = "name"
        empty_text = _("No players on this list.")

    def __init__(self, rows: list[EntrantRow], *, event: Event, export: bool = False, mark: bool = False) -> None:
        slugs = {"tournament": event.tournament.slug, "event": event.slug, "number": 0}
        self.entrant_url = reverse("tournament:desk_entrant", kwargs=slugs)
        self.currency = event.tournament.currency
        super().__init__(rows)
        in_file = ["email", "phone", "notes", "public_name", "shows_name"]
        in_file += ["partner", "partner_email", "partner_phone"] if event.entry_size == 2 else []
        for name in in_file if export else ():
            self.columns.show(name)
        if not side_choices(event):
            self.columns.hide("side")
        if not sites_of(event):
            self.columns.hide("site")
        if not mark or export:
            self.columns.hide("select")

    def render_select(self, record: EntrantRow) -> SafeString | str:
        if not record.missing:
            return ""
        return format_html(
            '<input type="checkbox" class="form-check-input" form="approve" name="number" value="{}" '
            'aria-label="{} {}">',
            record.number,
            record.number,
            record.name,
        )

    def render_name(self, record: EntrantRow) -> SafeString:
        return format_html('<a href="{}">{}</a>', self.entrant_url.replace("/0/", f"/{record.number}/"), record.name)

    def value_name(self, record: EntrantRow) -> str:
        """Return the full name. The desk's files are for staff and can be imported again."""
        return _of_person(record, 0, "name") or record.name

    def value_partner(self, record: EntrantRow) -> str:
        is_wanted = record.state == Entrant.State.SEEKING
        return gettext("wanted") if is_wanted else _of_person(record, 1, "name")

    def value_club(self, record: EntrantRow) -> str:
        return record.club

    def value_email(self, record: EntrantRow) -> str:
        return _of_person(record, 0, "email")

    def value_phone(self, record: EntrantRow) -> str:
        return _of_person(record, 0, "phone")

    def value_partner_email(self, record: EntrantRow) -> str:
        return _of_person(record, 1, "email")

    def value_partner_phone(self, record: EntrantRow) -> str:
        return _of_person(record, 1, "phone")

    def value_public_name(self, record: EntrantRow) -> str:
        names = [person.public_name for person in record.people]
        return BETWEEN_PAIRS.join(names) if any(names) else ""

    def value_shows_name(self, record: EntrantRow) -> str:
        answers = [gettext("No") if person.hides_name else gettext("Yes") for person in record.people]
        return BETWEEN_PAIRS.join(dict.fromkeys(answers) if len(set(answers)) == 1 else answers)

    def render_state(self, record: EntrantRow) -> SafeString:
        if record.missing:
            return format_html(
                '<span class="breaks">{} <span class="second small">{}</span></span>',
                badge(record.state),
                _("by %(roles)s") % {"roles": record.missing},
            )
        return badge(record.state)

    def value_state(self, record: EntrantRow) -> str:
        return str(Entrant.State(record.state).label)

    def render_owed(self, value: int) -> str:
        return money(value, self.currency)

    render_paid = render_owed

    def value_owed(self, value: int) -> Decimal:
        return decimal_amount(value, self.currency)

    value_paid = value_owed


def _of_person(record: EntrantRow, seat: int, what: str) -> str:
    return str(getattr(record.people[seat], what)) if seat < len(record.people) else ""
