from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from scoring.rules.hand.cards import RANKS, SUIT_NAMES, SUIT_SYMBOLS, SUITS


class UpCardForm(forms.Form):
    """The up card of the next hand, by two taps; `turned_at` is the phone's clock when it was turned."""

    key = forms.CharField(widget=forms.HiddenInput, max_length=100)
    hand = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    turned_at = forms.CharField(widget=forms.HiddenInput, required=False, max_length=40)
    rank = forms.ChoiceField(
        label=_("Up card: rank"),
        choices=[(rank, "10" if rank == "T" else rank) for rank in RANKS],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose the rank of the card.")},
    )
    suit = forms.ChoiceField(
        label=_("Up card: suit"),
        choices=[(suit, f"{SUIT_SYMBOLS[suit]}\ufe0e {SUIT_NAMES[suit]}") for suit in reversed(SUITS)],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose the suit of the card.")},
    )

    def __init__(self, *args: Any, hand: int = 1, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["key"].initial = uuid.uuid4().hex
        self.fields["hand"].initial = hand

    def clean_turned_at(self) -> Any:
        try:
            moment = parse_datetime(self.cleaned_data["turned_at"])
        except ValueError:
            return None
        return moment if moment is not None and moment.tzinfo is not None else None

    @property
    def card(self) -> str:
        return f"{self.cleaned_data['rank']}{self.cleaned_data['suit']}"


class SeenForm(forms.Form):
    """A hand as it stood on the page."""

    key = forms.CharField(max_length=100, required=False)
    hand = forms.IntegerField(min_value=1)
    line = forms.IntegerField(min_value=1)


class SettleForm(SeenForm):
    reason = forms.CharField(max_length=500, required=False)
