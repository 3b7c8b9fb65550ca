from typing import Any, Final

from django import forms
from django.utils.dateparse import parse_datetime
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from scoring.cards.services.keepers import Seen, Turned
from scoring.rules.hand.cards import RANKS, SUIT_NAMES, SUIT_SYMBOLS, SUITS
from tournament.core.forms import KeyedForm

RANK_KEYS: Final = [(rank, "10" if rank == "T" else rank) for rank in RANKS]
SUIT_KEYS: Final = [
    (suit, format_lazy("{}\ufe0e {}", SUIT_SYMBOLS[suit], SUIT_NAMES[suit])) for suit in reversed(SUITS)
]
"""The keys for choosing a card by two taps."""


class UpCardForm(KeyedForm):
    """The up card of the next hand, chosen by two taps. `turned_at` is the time on the phone when it was turned."""

    hand = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    turned_at = forms.CharField(widget=forms.HiddenInput, required=False, max_length=40)
    rank = forms.ChoiceField(
        label=_("Up card: rank"), choices=RANK_KEYS, widget=forms.RadioSelect,
        error_messages={"required": _("Choose the rank of the up card.")},
    )  # fmt: skip
    suit = forms.ChoiceField(
        label=_("Up card: suit"), choices=SUIT_KEYS, widget=forms.RadioSelect,
        error_messages={"required": _("Choose the suit of the up card.")},
    )  # fmt: skip

    def __init__(self, *args: Any, hand: int = 1, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["hand"].initial = hand

    def clean_turned_at(self) -> Any:
        try:
            moment = parse_datetime(self.cleaned_data["turned_at"])
        except ValueError:
            return None
        return moment if moment is not None and moment.tzinfo is not None else None

    @property
    def turned(self) -> Turned:
        said = self.cleaned_data
        return Turned(said["hand"], f"{said['rank']}{said['suit']}", said["turned_at"], said["key"])


class SeenForm(forms.Form):
    """A hand as the page showed it."""

    key = forms.CharField(max_length=100, required=False)
    hand = forms.IntegerField(min_value=1)
    line = forms.IntegerField(min_value=1)

    @property
    def seen(self) -> Seen:
        return Seen(self.cleaned_data["hand"], self.cleaned_data["line"], self.cleaned_data["key"])


class SettleForm(SeenForm):
    reason = forms.CharField(max_length=500, required=False)
