from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.forms.money import KeyedForm
from tournament.lists import name_key
from tournament.models import Entrant, Event, Member
from tournament.selectors.sides import side_choices
from tournament.services.entrants import Entry
from tournament.services.players import Person


def _name(label: Any, autocomplete: str = "name") -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": autocomplete, "autocapitalize": "words"}),
    )


class EntryForm(KeyedForm):
    """What an entrant tells about himself; the same for the public page and the desk."""

    name = _name(_("Your name"))
    partner = _name(_("Your partner's name"), "off")
    side = forms.ChoiceField(label=_("You play with the"), widget=forms.RadioSelect)
    email = forms.EmailField(
        label=_("E-mail"), widget=forms.EmailInput(attrs={"autocomplete": "email", "inputmode": "email"})
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
        help_text=_("On lists, bracket and score cards. Empty: your name."),
    )
    notes = forms.CharField(
        label=_("Notes for the staff"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Only the staff read this."),
    )
    again = forms.BooleanField(label=_("This is a re-entry"), required=False)
    consent = forms.BooleanField(
        label=_("My name, club and results may be shown in public"),
        help_text=_("E-mail and phone are for the staff of this tournament only."),
    )

    def __init__(self, *args: Any, event: Event, **options: Any) -> None:
        super().__init__(*args, **options)
        if event.entry_size == 1:
            del self.fields["partner"]
        if not event.reentry:
            del self.fields["again"]
        sides = side_choices(event)
        if sides:
            self.fields["side"].choices = sides  # type: ignore[attr-defined]
        else:
            del self.fields["side"]

    def clean_name(self) -> str:
        return _real_name(self.cleaned_data["name"])

    def clean_partner(self) -> str:
        return _real_name(self.cleaned_data["partner"])

    def entry(self, source: str = Entrant.Source.FORM) -> Entry:
        said = self.cleaned_data
        consents = bool(said.get("consent"))
        first = Person(said["name"], said["email"], said["phone"], said["club"], said["public_name"], consents)
        partner = (Person(said["partner"], consents=consents),) if "partner" in said else ()
        return Entry(
            (first, *partner),
            notes=said["notes"],
            source=str(source),
            again=bool(said.get("again")),
            side=said.get("side", ""),
        )


class DeskEntryForm(EntryForm):
    """At the desk the e-mail may be missing, and consent is asked for by word of mouth."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["name"].label = _("Name")
        self.fields["email"].required = False
        self.fields["consent"].required = False
        self.fields["consent"].label = _("The name may be shown in public")
        self.fields["public_name"].help_text = _("Empty: the name.")
        if "side" in self.fields:
            self.fields["side"].label = _("Plays with the")


class LinkAgainForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail you entered with"), widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )


class SubstituteForm(forms.Form):
    seat = forms.Field()
    name = _name(_("Name of the substitute"), "off")
    email = forms.EmailField(label=_("E-mail"), required=False)
    phone = forms.CharField(label=_("Phone"), max_length=60, required=False)
    club = forms.CharField(label=_("Club or city"), max_length=200, required=False)
    reason = forms.CharField(label=_("Reason"))

    def __init__(self, *args: Any, members: list[Member], **options: Any) -> None:
        super().__init__(*args, **options)
        seats = [(member.seat, str(member.player)) for member in members]
        self.fields["seat"] = forms.TypedChoiceField(label=_("Instead of"), coerce=int, choices=seats)

    def clean_name(self) -> str:
        return _real_name(self.cleaned_data["name"])

    def person(self) -> Person:
        said = self.cleaned_data
        return Person(said["name"], said["email"], said["phone"], said["club"])


class ActForm(forms.Form):
    """One act on an entry, with its reason where one is needed."""

    act = forms.ChoiceField(choices=[(a, a) for a in ("approve", "refuse", "withdraw", "reinstate", "promote", "side")])
    side = forms.CharField(required=False, max_length=10)
    role = forms.CharField(required=False, max_length=20)
    reason = forms.CharField(required=False, max_length=2000)


def _real_name(name: str) -> str:
    if not name_key(name):
        raise forms.ValidationError(_("Write the name in letters."))
    return name
