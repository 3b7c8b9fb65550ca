"""Forms for signing a card: by a player, by a player at the table's card, and on paper at the desk."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.models import SIDES
from tournament.core.forms import KeyedForm, StrokesField
from tournament.models import Entrant


class SignForm(KeyedForm):
    """A player's signature: strokes from the pad, or the signing code. `digest` is the card as it was shown."""

    digest = forms.CharField(widget=forms.HiddenInput, max_length=64)
    strokes = StrokesField()
    code = forms.CharField(required=False, max_length=20)
    side = forms.ChoiceField(required=False, choices=[("", ""), *((side, side) for side in SIDES)])


class IdentifyPlayerForm(forms.Form):
    """Identify the player at the table's card by the signing code."""

    who = forms.ChoiceField(label=_("You are"), widget=forms.RadioSelect)
    code = forms.CharField(label=_("Your signing code"), max_length=20, help_text=_("It is on your private page."))

    def __init__(self, *args: Any, players: Iterable[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(str(who.pk), f"{who.name} ({who.number})") for who in players]
        self.fields["who"] = forms.ChoiceField(label=_("You are"), choices=choices, widget=forms.RadioSelect)


class PaperSignatureForm(KeyedForm):
    """A signature on paper that the desk records: who signed, and who saw it."""

    digest = forms.CharField(widget=forms.HiddenInput, max_length=64)
    entrant = forms.ChoiceField(label=_("Signed on paper by"))
    witness = forms.CharField(label=_("Seen by"), max_length=200)

    def __init__(self, *args: Any, missing: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"] = forms.ChoiceField(label=_("Signed on paper by"), choices=missing)
