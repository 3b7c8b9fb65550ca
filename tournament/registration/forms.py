"""Forms for entries, people on record, and substitutes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.core.forms import IdempotentForm
from tournament.core.selectors.copies import sends_email
from tournament.models import Entrant, Event, Member, Player
from tournament.registration.selectors.entries import (
    has_partner_draw,
    has_two_partner_pools,
    join_roles,
    list_sites,
    make_side_choices,
)
from tournament.registration.services.entries import EntryRequest
from tournament.registration.services.people import Person
from tournament.spreadsheets import find_unprintable_letters, format_letter_codes, name_key, normalize_text
from tournament.templatetags.gin import money


def _make_name_field(label: Any, autocomplete: str = "name") -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": autocomplete, "autocapitalize": "words"}),
    )


def _make_sort_name_field(label: Any) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "words"}),
        help_text=_("Family name first: van Beethoven, Ludwig. Leave empty to use the program's proposal."),
    )


class _PrintableNamesForm(forms.Form):
    """A form with a check box to confirm names with letters that cannot be printed.

    The check box is shown only if a name contains such letters.
    """

    as_typed = forms.BooleanField(label=_("Use the name as it is"), required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not any(map(find_unprintable_letters, self.list_printed_names())):
            del self.fields["as_typed"]

    def list_printed_names(self) -> list[str]:
        typed = {
            name: normalize_text(str(self.data.get(self.add_prefix(name), "")))
            for name in ("name", "public_name", "partner")
        }
        return [typed["public_name"] or typed["name"], typed["partner"]]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "as_typed" in self.fields and not cleaned.get("as_typed"):
            letters = "".join(map(find_unprintable_letters, self.list_printed_names()))
            text = _(
                "These letters cannot be printed: %(letters)s. They appear on paper as %(codes)s. Write the name "
                "in other letters, or check this box."
            )
            self.add_error("as_typed", text % {"letters": letters, "codes": format_letter_codes(letters)})
        return cleaned


def _require_letters_in_name(name: str) -> str:
    if not name_key(name):
        raise forms.ValidationError(_("Write the name in letters."))
    return name


# --- Entries ---------------------------------------------------------------------------------------------------------

WITH_PARTNER, SEEKING_PARTNER = "together", "ask"
PARTNER_FIELDS = ("partner", "partner_sort_name", "partner_email", "partner_consent")
SORT_NAME_FIELDS = ("sort_name", "partner_sort_name")
FIRST_FORM_FIELDS = (
    *("way", "pool", "name", "as_typed", "sort_name", "email", "phone"),
    *("partner", "partner_sort_name", "partner_email"),
)
"""The first fields of the form. All others follow in the order in which they are declared."""


class EntryForm(_PrintableNamesForm, IdempotentForm):
    """The entry form, both for the public page and for the desk.

    A pairs event may let two players enter together, or one player enter alone and have a partner drawn. The field
    `way` contains this choice.
    """

    asks_sort_names = False
    """Whether sort names can be entered. If not, the program derives them, and the desk can change them later."""

    takes_reentries = False
    """Whether the form accepts re-entries. The public form does not, because it closes before anybody is eliminated."""

    is_public = True
    """Whether this is the public form, in which players must give an email and, if asked, choose pool A or B.

    The email is only required if this site can send mail.
    """

    way = forms.ChoiceField(
        label=_("How do you enter?"),
        required=False,
        choices=[(WITH_PARTNER, _("With my partner")), (SEEKING_PARTNER, _("Alone: draw a partner for me"))],
        initial=WITH_PARTNER,
        widget=forms.RadioSelect,
    )
    pool = forms.ChoiceField(
        label=_("You are"),
        required=False,
        choices=[("A", _("an A player")), ("B", _("a B player"))],
        widget=forms.RadioSelect,
        help_text=_("An A player plays with a B player. Not sure? Ask the director, who can change it."),
    )
    name = _make_name_field(_("Your name"))
    sort_name = _make_sort_name_field(_("Sort by"))
    partner = _make_name_field(_("Your partner's name"), "off")
    partner_sort_name = _make_sort_name_field(_("Sort the partner by"))
    partner_email = forms.EmailField(
        label=_("Your partner's email"),
        required=False,
        widget=forms.EmailInput(attrs={"autocomplete": "off", "inputmode": "email"}),
        help_text=_("The private link is sent to both of you."),
    )
    side = forms.ChoiceField(label=_("Your side"), widget=forms.RadioSelect)
    site = forms.ChoiceField(label=_("Where do you play?"), widget=forms.RadioSelect)
    email = forms.EmailField(
        label=_("Email"), widget=forms.EmailInput(attrs={"autocomplete": "email", "inputmode": "email"})
    )
    phone = forms.CharField(
        label=_("Phone"),
        max_length=60,
        required=False,
        widget=forms.TextInput(attrs={"type": "tel", "autocomplete": "tel", "inputmode": "tel"}),
    )
    club = forms.CharField(label=_("Club or city"), max_length=200, required=False)
    public_name = forms.CharField(
        label=_("Name to show in public"),
        max_length=200,
        required=False,
        help_text=_("Shown on lists, bracket and score cards. Leave empty to use your name."),
    )
    notes = forms.CharField(
        label=_("Notes for the staff"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Only the staff can read this."),
    )
    again = forms.BooleanField(label=_("This is a re-entry"), required=False)
    consent = forms.BooleanField(
        label=_("My name, club and results may be shown in public"),
        required=False,
        help_text=_("Without this only your initials are shown. Only the staff see your email and phone."),
    )

    partner_consent = forms.BooleanField(label=_("My partner agrees to this, too"), required=False)

    def __init__(self, *args: Any, event: Event, **options: Any) -> None:
        super().__init__(*args, **options)
        self.order_fields(FIRST_FORM_FIELDS)
        for name in ("consent", "partner_consent"):
            self.fields[name].initial = event.tournament.publishes_names
        self.fields["partner"].required = False
        choices = {"side": make_side_choices(event), "site": [(site, site) for site in list_sites(event)]}
        for name, offered in choices.items():
            self.fields[name].choices = offered  # type: ignore[attr-defined]
        if not self.asks_sort_names:
            for name in SORT_NAME_FIELDS:
                del self.fields[name]
        if event.reentry_fee_cents is not None:
            fee = money(event.reentry_fee_cents, event.tournament.currency)
            self.fields["again"].help_text = _("The fee of a re-entry is %(fee)s.") % {"fee": fee}
        needed = {
            "way": has_partner_draw(event),
            "pool": has_two_partner_pools(event),
            "again": self.takes_reentries and event.reentry,
            **choices,
        }
        for name in [
            *(PARTNER_FIELDS if event.entry_size == 1 else ()),
            *(name for name, is_needed in needed.items() if not is_needed),
        ]:
            self.fields.pop(name, None)
        if self.is_public and not sends_email(event.tournament):
            self._hide_email_fields()

    def _hide_email_fields(self) -> None:
        """Hide the email fields, because this site cannot send mail."""
        for name in ("email", "partner_email"):
            if name in self.fields:
                self.fields[name].required = False
                self.fields[name].widget = forms.HiddenInput()
        self.fields["consent"].help_text = _("Only the staff of this tournament see your phone number.")

    def clean_name(self) -> str:
        return _require_letters_in_name(self.cleaned_data["name"])

    @property
    def asks_for_partner(self) -> bool:
        """Return whether the player wants a partner to be drawn for them."""
        return "way" in self.fields and self.cleaned_data.get("way") == SEEKING_PARTNER

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "partner" not in self.fields:
            return cleaned
        if not self.asks_for_partner and not cleaned.get("partner"):
            self.add_error("partner", _("Write your partner's name."))
        elif not self.asks_for_partner and not name_key(cleaned["partner"]):
            self.add_error("partner", _("Write the name in letters."))
        elif self.asks_for_partner and self.is_public and "pool" in self.fields and not cleaned.get("pool"):
            self.add_error("pool", _("Choose whether you are an A or a B player."))
        return cleaned

    def list_field_groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the visible fields in groups with CSS classes. A class hides its group for some values of `way`."""
        groups: list[tuple[str, list[forms.BoundField]]] = []
        for field in self.visible_fields():
            css = "for-asking" if field.name == "pool" else "for-two" if field.name in PARTNER_FIELDS else ""
            if not groups or groups[-1][0] != css:
                groups.append((css, []))
            groups[-1][1].append(field)
        return groups

    def make_entry_request(self, source: str = Entrant.Source.FORM) -> EntryRequest:
        cleaned = self.cleaned_data
        name, public_name, consents = cleaned["name"], cleaned["public_name"], bool(cleaned.get("consent"))
        sort_name, partner_sort_name = (cleaned.get(field, "") for field in SORT_NAME_FIELDS)
        contact = (cleaned["email"], cleaned["phone"], cleaned["club"])
        people = [Person(name, *contact, public_name, consents, sort_name=sort_name, hides_name=not consents)]
        if "partner" in self.fields and not self.asks_for_partner:
            agreed = bool(cleaned["partner_consent"])
            partner = Person(cleaned["partner"], cleaned["partner_email"], consents=agreed, hides_name=not agreed)
            people.append(replace(partner, sort_name=partner_sort_name))
        return EntryRequest(
            tuple(people),
            notes=cleaned["notes"],
            source=str(source),
            is_reentry=bool(cleaned.get("again")),
            side=cleaned.get("side", ""),
            site=cleaned.get("site", ""),
            asks_for_partner=self.asks_for_partner,
            pool=cleaned.get("pool", "") if self.asks_for_partner else "",
        )


DESK_PARTNER_CHOICES = [
    (WITH_PARTNER, _("Two players together")),
    (SEEKING_PARTNER, _("One player, looking for a partner")),
]


class DeskEntryForm(EntryForm):
    """The desk's entry form, in which the email is optional and the player gives consent in person."""

    is_public = False
    asks_sort_names = True
    takes_reentries = True
    approved = forms.BooleanField(required=False, initial=True)

    def __init__(self, *args: Any, approves: Sequence[str] = (), **options: Any) -> None:
        """Create the form. If `approves` is not empty, the form offers to approve the entry at once.

        `approves` contains all required approval roles if the user has all of them, and is otherwise empty.
        """
        super().__init__(*args, **options)
        self.fields["approved"].label = _("Approve the entry at once, as %(roles)s") % {"roles": join_roles(approves)}
        if not approves:
            del self.fields["approved"]
        self.fields["name"].label = _("Name")
        self.fields["email"].required = False
        self.fields["consent"].label = _("Show the name in public")
        self.fields["consent"].help_text = _("Without this only the initials are shown.")
        self.fields["public_name"].help_text = _("Leave empty to use the name.")
        labels = {
            "side": _("Side"),
            "site": _("Site"),
            "way": _("Who enters"),
            "pool": _("Pool"),
            "partner": _("Partner's name as called"),
            "partner_email": _("Partner's email"),
            "partner_consent": _("Show the partner's name, too"),
        }
        if "site" in self.fields:
            self.fields["site"].required = False
        for name, label in labels.items():
            if name in self.fields:
                self.fields[name].label = label
        for name, choices in (("way", DESK_PARTNER_CHOICES), ("pool", [("A", "A"), ("B", "B")])):
            if name in self.fields:
                self.fields[name].choices = choices  # type: ignore[attr-defined]


# --- People on record ------------------------------------------------------------------------------------------------


class PersonForm(_PrintableNamesForm, IdempotentForm):
    name = _make_name_field(_("Name"), "off")
    public_name = forms.CharField(
        label=_("Name to show in public"), max_length=200, required=False, help_text=_("Leave empty to use the name.")
    )
    shows_name = forms.BooleanField(
        label=_("Show the name in public"), required=False, help_text=_("Without this only the initials are shown.")
    )
    email = forms.EmailField(label=_("Email"), required=False)
    phone = forms.CharField(label=_("Phone"), max_length=60, required=False)
    club = forms.CharField(label=_("Club or city"), max_length=200, required=False)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=1_000,
        required=False,
        help_text=_("Needed if the name that is shown changes. It stays on record."),
    )

    def __init__(self, *args: Any, player: Player, **options: Any) -> None:
        initial = {name: getattr(player, name) for name in ("name", "public_name", "email", "phone", "club")}
        super().__init__(*args, initial={**initial, "shows_name": not player.hides_name}, **options)

    def clean_name(self) -> str:
        return _require_letters_in_name(self.cleaned_data["name"])

    @property
    def new_values(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        own = {name: cleaned[name] for name in ("name", "public_name", "email", "phone", "club")}
        return {**own, "hides_name": not cleaned["shows_name"]}


# --- Substitutes -----------------------------------------------------------------------------------------------------


class SubstituteForm(_PrintableNamesForm):
    seat = forms.Field()
    name = _make_name_field(_("Name of the substitute, as called"), "off")
    sort_name = _make_sort_name_field(_("Sort by"))
    email = forms.EmailField(label=_("Email"), required=False)
    phone = forms.CharField(label=_("Phone"), max_length=60, required=False)
    club = forms.CharField(label=_("Club or city"), max_length=200, required=False)
    consent = forms.BooleanField(label=_("Show the name in public"), required=False)
    reason = forms.CharField(label=_("Reason"))
    sure = forms.BooleanField(
        label=_("I understand that the place and the prize go to the substitute."),
        error_messages={"required": _("Read the warning above, then check this box.")},
    )

    def __init__(self, *args: Any, members: list[Member], warned: bool, **options: Any) -> None:
        """Create the form. If `warned` is true, the user must confirm the page's warning.

        The page shows the warning if all of the entry's score cards so far are finished, because there may then be no
        games left for the substitute.
        """
        super().__init__(*args, **options)
        if not warned:
            del self.fields["sure"]
        self.fields["consent"].initial = all(one.entrant.event.tournament.publishes_names for one in members)
        seats = [(member.seat, str(member.player)) for member in members]
        self.fields["seat"] = forms.TypedChoiceField(label=_("Instead of"), coerce=int, choices=seats)

    def clean_name(self) -> str:
        return _require_letters_in_name(self.cleaned_data["name"])

    def make_person(self) -> Person:
        cleaned = self.cleaned_data
        contact, consents = (cleaned["email"], cleaned["phone"], cleaned["club"]), bool(cleaned["consent"])
        person = Person(cleaned["name"], *contact, consents=consents, hides_name=not consents)
        return replace(person, sort_name=cleaned["sort_name"])
