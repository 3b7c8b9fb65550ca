"""Two hands as a director types them, such as `7h qs 10d` in any order, with the up card and the announcement."""

import re
from typing import Any, Final

from django import forms
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import read_typed_card
from scoring.rules.hand.arrangement import is_meld
from scoring.rules.hand.cards import DECK, PlayingCard
from scoring.rules.hand.hands import KnockRule, Outcome
from scoring.rules.sheet.showdown import ShowdownHands
from scoring.rules.variants.variant import Variant
from tournament.errors import BadCase

LONGEST: Final = 200
"""Longer than a whole deck with spaces between the cards."""
APART: Final = "/"
"""The separator between melds, as they were laid down."""


class ShownHandsForm(forms.Form):
    """Two hands to judge, sent by GET so that the address has them. `variant` has the sides of the sheet."""

    up = forms.CharField(
        label=_("Up card"), required=False, max_length=20, help_text=_("Rank and suit, such as 8h or 10s.")
    )
    by = forms.ChoiceField(label=_("Laid down by"), required=False)
    against = forms.ChoiceField(label=_("Opponent"), required=False)
    said = forms.ChoiceField(label=_("Announced"), required=False)
    hand = forms.CharField(label=_("Cards laid down"), max_length=LONGEST)
    other = forms.CharField(label=_("Opponent's cards"), required=False, max_length=LONGEST)

    def __init__(
        self, data: Any = None, *, variant: Variant[Any, Any], rule: KnockRule, asks_who: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(data, **kwargs)
        self.sides, self.ace = variant.sides, rule.ace
        self.melds: tuple[tuple[PlayingCard, ...], ...] = ()
        size = rule.hand_size
        named = [(str(place), name) for place, name in enumerate(self.sides)]
        played = [each for each in variant.finishes if each is not Outcome.BIG_GIN or rule.big_gin]
        said = [(str(each), variant.finishes[each]) for each in played]
        choices = {"by": named, "against": named, "said": [("", gettext("what the cards are worth")), *said]}
        for name, listed in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = listed
        self.fields["hand"].help_text = gettext(
            "%(size)s cards, or %(more)s before the discard, such as 7h qs 10d. With melds: 7h 7d 7c / 2s 3s 4s / qs."
        ) % {"size": size, "more": size + 1}
        self.fields["other"].help_text = gettext("%(size)s cards. Leave empty to check only the first hand.") % {
            "size": size
        }
        for name in ("up", "hand", "other"):
            self.fields[name].widget.attrs |= {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
        if not asks_who:
            del self.fields["by"]
        if not asks_who or len(self.sides) == 2:
            del self.fields["against"]

    def clean_up(self) -> PlayingCard | None:
        cards = self._cards("up")
        if len(cards) > 1:
            raise forms.ValidationError(gettext("Only one card is turned up, but there are %s here.") % len(cards))
        return cards[0] if cards else None

    def clean_hand(self) -> tuple[PlayingCard, ...]:
        """Return all cards of the hand. If melds are separated by `/`, the last part can be loose cards."""
        cards = self._cards("hand")
        sizes = [len(split_cards(part)) for part in self.cleaned_data["hand"].split(APART)]
        starts = [sum(sizes[:place]) for place in range(len(sizes))]
        parts = [cards[start : start + size] for start, size in zip(starts, sizes, strict=True) if size]
        if len(parts) > 1:
            self.melds = tuple(parts if is_meld(parts[-1], self.ace) else parts[:-1])
        return cards

    def clean_other(self) -> tuple[PlayingCard, ...]:
        return self._cards("other")

    def _cards(self, name: str) -> tuple[PlayingCard, ...]:
        """Return the typed cards. The error names everything that is not a card."""
        written = [read_typed_card(text) for text in split_cards(self.cleaned_data[name])]
        wrong = [text for text in written if text not in DECK]
        if wrong:
            listed = ", ".join(wrong)
            raise forms.ValidationError(gettext("Not a card: %s. Write rank and suit, such as 7h or 10d.") % listed)
        return tuple(DECK[text] for text in written)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "against" in self.fields and cleaned.get("by", "") == cleaned.get("against", "") != "":
            self.add_error("against", gettext("Choose the player they played against."))
        return cleaned

    def show(self, error: BadCase) -> None:
        """Show the problems with the cards, each at the field of its hand."""
        for problem in error.problems:
            self.add_error(problem.path if problem.path in self.fields else None, problem.message)

    def address(self) -> str:
        """Return the query string for these hands. It does not depend on how they were typed."""
        cleaned = self.cleaned_data
        loose = [card for card in cleaned["hand"] if not any(card in meld for meld in self.melds)]
        laid = [*self.melds, *([loose] if loose else [])]
        cards = {"hand": f" {APART} ".join(" ".join(map(str, part)) for part in laid)}
        cards["other"] = " ".join(map(str, cleaned["other"]))
        kept = {"up": str(cleaned["up"] or ""), **{name: cleaned.get(name, "") for name in ("by", "against", "said")}}
        return urlencode({name: value for name, value in (kept | cards).items() if value})

    def shown(self) -> ShowdownHands:
        cleaned = self.cleaned_data
        by = int(cleaned.get("by") or 0)
        against = int(cleaned.get("against") or (1 if by == 0 else 0))
        return ShowdownHands(
            by=self.sides[by],
            against=self.sides[against],
            hand=cleaned["hand"],
            melds=self.melds,
            other=cleaned["other"],
            up=cleaned["up"],
            announced=Outcome(cleaned["said"]) if cleaned["said"] else None,
        )


def split_cards(text: str) -> list[str]:
    """Return the cards of a line as people type them, with spaces, commas or nothing between them.

    >>> split_cards("7h, Q♠ 10D"), split_cards("7hqs10d"), split_cards("7 h")
    (['7h', 'Q♠', '10D'], ['7h', 'qs', '10d'], ['7h'])
    """
    plain = re.sub(r"[\ufe0e\ufe0f]", "", text)
    found = re.findall(r"(?:10|[2-9atjqk])\s*[cdhs♣♦♥♠]|[^\s,;/]+", plain, flags=re.IGNORECASE)
    return [re.sub(r"\s", "", each) for each in found]
