"""The page that scores two hands laid on the table: its form, the recorded hand, and the verdict on both hands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from django import forms
from django.http import HttpRequest
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.card_state.forms import normalize_typed_card
from scoring.card_state.selectors.cards import load_card_state_by_token
from scoring.card_state.selectors.state import CardState, capitalize_first_letter
from scoring.disputes.forms import set_field_choices, split_cards
from scoring.rules.hand.arrangement import AcePosition, is_meld
from scoring.rules.hand.cards import DECK, PlayingCard
from scoring.rules.hand.hands import FINISHING_OUTCOMES, HandOutcome, KnockRule, KnockVerdict
from scoring.rules.sheet.sheets import ScoreSheet, make_empty_sheet, make_variant_rules
from scoring.rules.sheet.showdown import JudgedHands, ShowdownHands, judge_hands
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import FieldKind, Variant
from scoring.rulesheets.selectors import load_current_rule_sheet, make_default_rule_sheet
from tournament.errors import InvalidInput, NotFound
from tournament.lazy_text import lazy_text
from tournament.models import Event
from tournament.spreadsheets.names import parse_number

_MAX_TEXT_LENGTH: Final = 200
"""The maximum length of a typed hand. Even a whole deck is shorter."""
_MELD_SEPARATOR: Final = "/"
"""Separates melds (sets or runs) in a typed hand."""
_UNNAMED_SIDES: Final = (lazy_text("Knocker"), lazy_text("Opponent"), lazy_text("Sits out"))


def make_judged_hands_context(request: HttpRequest, event: Event) -> dict[str, Any]:
    """Return the template context for the page that scores two hands. The query string contains the hands."""
    number = parse_number(request.GET.get("line", ""))
    place = _load_hand_to_judge(event, request.GET.get("card", ""), number)
    context: dict[str, Any] = {"place": place, "state": place.state, "judged": None, "title": place.variant.title}
    rule = place.knock_rule
    if rule is None:
        return context
    data = request.GET if "hand" in request.GET else None
    form = _HandsForm(
        data, variant=place.variant, rule=rule, asks_who=place.must_name_first_side, initial=place.recorded_values
    )
    context |= {"form": form, "facts": _describe_rules(rule, place.variant)}
    context["is_one_of_several"] = any(field.kind is FieldKind.GROUP for field in place.variant.line_fields())
    if form.is_valid():
        context |= _make_verdict_context(place, form)
    return context


def _make_verdict_context(place: _HandToJudge, form: _HandsForm) -> dict[str, Any]:
    hands = form.make_hands()
    try:
        verdict = judge_hands(place.sheet, hands)
    except InvalidInput as refused:
        for problem in refused.problems:
            form.add_error(problem.path if problem.path in form.fields else None, problem.message)
        return {}
    card = f"card={place.state.card.token}&line={place.number}&" if place.state else ""
    return {"judged": _describe_verdict(hands, verdict, place.variant), "address": card + form.make_query_string()}


def _load_hand_to_judge(event: Event, token: str, number: int | None) -> _HandToJudge:
    """Return the hand with this number on the card with this token.

    Without a number, return the card's next hand, or the last hand of a complete card. Without a token, return a hand
    that belongs to no card.

    Raises:
        NotFound: The event has no such card, or the card has no such hand.
    """
    if not token:
        rules = load_current_rule_sheet(event) or make_default_rule_sheet(event)
        variant = VARIANTS[rules.variant]
        names = variant.side_names if variant.sides_are_teams else _UNNAMED_SIDES[: variant.fewest_sides]
        return _HandToJudge(make_empty_sheet(make_variant_rules(rules.variant, rules.options), names))
    state = (
        load_card_state_by_token(token) if token.isprintable() else None
    )  # a database refuses unprintable characters
    if state is None or state.card.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
    played = len(state.lines)
    wanted = number or (played if state.is_complete else played + 1)
    if not 1 <= wanted <= played + 1:
        raise NotFound("no-such-hand", _("There is no such hand on this score card. Look at the score card again."))
    before = replace(state.named_sheet, lines=state.named_sheet.lines[: wanted - 1])
    return _HandToJudge(before, state, wanted)


@dataclass(frozen=True, slots=True)
class _HandToJudge:
    """The hand being judged, as it is recorded on a card. Without a card, only the event's rules are known."""

    sheet: ScoreSheet
    """The score sheet with the hands before this one."""
    state: CardState | None = None
    number: int = 1
    """The hand's number on the card, counted from 1."""

    @property
    def variant(self) -> Variant[Any, Any]:
        return self.sheet.variant

    @property
    def knock_rule(self) -> KnockRule | None:
        """The rule for knocking (ending a hand early), or None if the game is not played with sets and runs."""
        return self.variant.make_knock_rule(None)

    @property
    def must_name_first_side(self) -> bool:
        """Whether the form asks who laid down the first hand."""
        return self.state is not None or self.variant.sides_are_teams

    @property
    def corrects(self) -> bool:
        return self.state is not None and self.number <= len(self.state.lines)

    @property
    def recorded_values(self) -> dict[str, str]:
        """The recorded hand as initial values for the form."""
        if self.state is None or not self.corrects:
            return {}
        line = self.state.lines[self.number - 1].line or {}
        initial = {"up": line.get("up", "")}
        if line.get("by") in self.state.letters and line.get("outcome") in FINISHING_OUTCOMES:
            initial |= {"by": str(self.state.letters.index(line["by"])), "said": line["outcome"]}
        return initial


# --- The form --------------------------------------------------------------------------------------------------------


class _HandsForm(forms.Form):
    """A form for two hands to score. It is submitted with GET, so that the URL contains the hands.

    The cards can be typed in any order, such as `7h qs 10d`, or grouped into melds, such as `7h 7d 7c / qs`.
    """

    up = forms.CharField(
        label=gettext_lazy("Up card"),
        required=False,
        max_length=20,
        help_text=gettext_lazy("Rank and suit, such as 8h or 10s."),
    )
    by = forms.ChoiceField(label=gettext_lazy("Laid down by"), required=False)
    against = forms.ChoiceField(label=gettext_lazy("Opponent"), required=False)
    said = forms.ChoiceField(label=gettext_lazy("Announced"), required=False)
    hand = forms.CharField(label=gettext_lazy("Cards laid down"), max_length=_MAX_TEXT_LENGTH)
    other = forms.CharField(label=gettext_lazy("Opponent's cards"), required=False, max_length=_MAX_TEXT_LENGTH)

    def __init__(
        self, data: Any = None, *, variant: Variant[Any, Any], rule: KnockRule, asks_who: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(data, **kwargs)
        self.sides, self.ace = variant.sides, rule.ace
        self.melds: tuple[tuple[PlayingCard, ...], ...] = ()
        size = rule.hand_size
        sides = [(str(place), name) for place, name in enumerate(self.sides)]
        finishes = [each for each in variant.finishes if each is not HandOutcome.BIG_GIN or rule.allows_big_gin]
        announcements = [("", _("what the cards are worth"))]
        announcements += [(str(finish), variant.finishes[finish]) for finish in finishes]
        set_field_choices(self, "by", sides)
        set_field_choices(self, "against", sides)
        set_field_choices(self, "said", announcements)
        self.fields["hand"].help_text = _(
            "%(size)s cards, or %(more)s before the discard, such as 7h qs 10d. With melds: 7h 7d 7c / 2s 3s 4s / qs."
        ) % {"size": size, "more": size + 1}
        self.fields["other"].help_text = _("%(size)s cards. Leave empty to check only the first hand.") % {"size": size}
        for name in ("up", "hand", "other"):
            self.fields[name].widget.attrs |= {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
        if not asks_who:
            del self.fields["by"]
        if not asks_who or len(self.sides) == 2:
            del self.fields["against"]

    def clean_up(self) -> PlayingCard | None:
        cards = self._read_cards("up")
        if len(cards) > 1:
            raise forms.ValidationError(_("Only one card is turned up, but there are %s here.") % len(cards))
        return cards[0] if cards else None

    def clean_hand(self) -> tuple[PlayingCard, ...]:
        """Return all cards in the hand."""
        cards = self._read_cards("hand")
        sizes = [len(split_cards(part)) for part in self.cleaned_data["hand"].split(_MELD_SEPARATOR)]
        starts = [sum(sizes[:place]) for place in range(len(sizes))]
        parts = [cards[start : start + size] for start, size in zip(starts, sizes, strict=True) if size]
        if len(parts) > 1:
            self.melds = tuple(parts if is_meld(parts[-1], self.ace) else parts[:-1])
        return cards

    def clean_other(self) -> tuple[PlayingCard, ...]:
        return self._read_cards("other")

    def _read_cards(self, name: str) -> tuple[PlayingCard, ...]:
        written = [normalize_typed_card(text) for text in split_cards(self.cleaned_data[name])]
        wrong = [text for text in written if text not in DECK]
        if wrong:
            listed = ", ".join(wrong)
            raise forms.ValidationError(_("Not a card: %s. Write rank and suit, such as 7h or 10d.") % listed)
        return tuple(DECK[text] for text in written)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "against" in self.fields and cleaned.get("by", "") == cleaned.get("against", "") != "":
            self.add_error("against", _("Choose the player they played against."))
        return cleaned

    def make_query_string(self) -> str:
        """Return a normalized query string for these hands."""
        cleaned = self.cleaned_data
        loose = [card for card in cleaned["hand"] if not any(card in meld for meld in self.melds)]
        laid = [*self.melds, *([loose] if loose else [])]
        cards = {"hand": f" {_MELD_SEPARATOR} ".join(" ".join(map(str, part)) for part in laid)}
        cards["other"] = " ".join(map(str, cleaned["other"]))
        choices = {name: cleaned.get(name, "") for name in ("by", "against", "said")}
        parameters = {"up": str(cleaned["up"] or ""), **choices, **cards}
        return urlencode({name: value for name, value in parameters.items() if value})

    def make_hands(self) -> ShowdownHands:
        cleaned = self.cleaned_data
        by = int(cleaned.get("by") or 0)
        against = int(cleaned.get("against") or (1 if by == 0 else 0))
        return ShowdownHands(
            by=self.sides[by],
            against=self.sides[against],
            hand=cleaned["hand"],
            melds=self.melds,
            opponent_hand=cleaned["other"],
            up=cleaned["up"],
            announced=HandOutcome(cleaned["said"]) if cleaned["said"] else None,
        )


# --- The verdict in words --------------------------------------------------------------------------------------------


def _describe_verdict(hands: ShowdownHands, verdict: JudgedHands, variant: Variant[Any, Any]) -> dict[str, Any]:
    """Return the verdict as context for `scoring/disputes/hands/judged.html`."""
    word = variant.finishes[verdict.outcome]
    judged = verdict.judged_line
    # The sheet decides whether the announcement is legal. If it refuses the line, the count of the hand decides.
    is_refused = any(each.path == "said" for each in verdict.problems)
    legal = True if judged is not None else False if is_refused else verdict.knock_verdict.is_legal
    points = _describe_points(judged.line_tally.points) if judged else ""
    unrecorded = _("It cannot be recorded this way") if verdict.opponent_with_layoffs else f"{hands.by}: {word}"
    return {
        "head": points or unrecorded,
        "verdict": points,
        "explanation": judged.line_tally.explanation if judged else "",
        "legal_word": _describe_legality(legal, word),
        "badge": {True: ("legal", "good"), None: ("open", "wait"), False: ("not-legal", "bad")}[legal],
        "why_legal": _explain_legality(hands, verdict, word),
        "refused": [problem.message for problem in verdict.problems],
        "totals": list(judged.tally.totals.items()) if judged and judged.sheet.lines[1:] else [],
        "first": _describe_first_hand(hands, verdict),
        "other": _describe_other_hand(hands, verdict),
        "discards": [
            {
                "card": str(each.card),
                "deadwood": each.deadwood,
                "word": _name_knock_verdict(each.knock_verdict, variant),
                "legal": each.knock_verdict.is_legal is True,
            }
            for each in verdict.knock.discards
        ],
        "up": str(hands.up or ""),
    }


def _describe_legality(legal: bool | None, announcement: str) -> str:
    """Return the announcement with its legality, such as “Knock, legal”. `legal` is None if it cannot be determined."""
    if legal is None:
        return _("Cannot be decided")
    return capitalize_first_letter(
        (_("%(word)s, legal") if legal else _("%(word)s, not legal")) % {"word": announcement}
    )


def _explain_legality(hands: ShowdownHands, verdict: JudgedHands, word: str) -> str:
    standing, points, limit = verdict.knock_verdict, verdict.laid_arrangement.deadwood, verdict.rule.limit
    if standing.is_legal and verdict.outcome is HandOutcome.KNOCK and points == 0:
        return _("Every card is matched, but “%s” was announced.") % word
    if standing is KnockVerdict.BIG_GIN and verdict.outcome is HandOutcome.GIN:
        return _("Nothing is unmatched after a discard.")
    up = {"points": points, "limit": limit, "card": hands.up.symbol if hands.up else ""}
    limited = _("%(points)s unmatched; at most %(limit)s is allowed.") % up
    if hands.up:
        limited = _("%(points)s unmatched; at most %(limit)s is allowed under the up card %(card)s.") % up
    return {
        KnockVerdict.BIG_GIN: _("Every card is matched, without a discard."),
        KnockVerdict.GIN: _("Nothing is unmatched."),
        KnockVerdict.KNOCK: limited,
        KnockVerdict.TOO_HIGH: limited,
        KnockVerdict.ACE_REQUIRES_GIN: _("%(points)s unmatched; the up card is an ace, so the hand is played for gin.")
        % up,
        KnockVerdict.NO_UP_CARD: _("%(points)s unmatched; the up card that limits the knock is missing.") % up,
    }[standing]


def _describe_points(points: Mapping[str, int]) -> str:
    scored = [(side, number) for side, number in points.items() if number]
    if not scored:
        return _("Nobody scores")
    return ", ".join(_("%(points)s to %(side)s") % {"side": side, "points": number} for side, number in scored)


def _describe_first_hand(hands: ShowdownHands, verdict: JudgedHands) -> dict[str, Any]:
    """Return the first hand as context for `hand.html`, with the cards that the opponent laid off on each meld."""
    laid, layoffs = (
        verdict.laid_arrangement,
        verdict.opponent_with_layoffs.layoffs if verdict.opponent_with_layoffs else (),
    )
    laid_down = {card for meld in laid.melds for card in meld} | set(laid.loose)
    best = verdict.knock.best.deadwood
    return {
        "name": hands.by,
        "melds": [
            {"cards": _list_card_codes(meld), "laid_off": _list_card_codes(layoffs[place]) if layoffs else []}
            for place, meld in enumerate(laid.melds)
        ],
        "loose": _list_card_codes(laid.loose),
        "deadwood": laid.deadwood,
        "laid_off": [],
        "alone": None,
        "thrown": next((str(card) for card in hands.hand if card not in laid_down), ""),
        "remark": _("At its best, this hand has %s unmatched.") % best if best < laid.deadwood else "",
    }


def _describe_other_hand(hands: ShowdownHands, verdict: JudgedHands) -> dict[str, Any] | None:
    other = verdict.opponent_with_layoffs
    if other is None:
        return None
    return {
        "name": hands.against,
        "melds": [{"cards": _list_card_codes(meld), "laid_off": []} for meld in other.melds],
        "loose": _list_card_codes(other.loose),
        "deadwood": other.deadwood,
        "laid_off": [code for cards in other.layoffs for code in _list_card_codes(cards)],
        "alone": verdict.opponent_without_layoffs.deadwood if verdict.opponent_without_layoffs else None,
        "thrown": "",
        "remark": _describe_wrong_number_of_cards(len(hands.opponent_hand), verdict.rule.hand_size),
    }


def _describe_wrong_number_of_cards(held: int, dealt: int) -> str:
    if held < dealt:
        return ngettext("%s card missing.", "%s cards missing.", dealt - held) % (dealt - held)
    if held > dealt:
        many = ngettext("%s card too many:", "%s cards too many:", held - dealt) % (held - dealt)
        return many + " " + _("all of them are arranged here. The director says which one is extra.")
    return ""


def _name_knock_verdict(standing: KnockVerdict, variant: Variant[Any, Any]) -> str:
    return {
        KnockVerdict.BIG_GIN: variant.finishes[HandOutcome.BIG_GIN],
        KnockVerdict.GIN: variant.finishes[HandOutcome.GIN],
        KnockVerdict.KNOCK: variant.finishes[HandOutcome.KNOCK],
        KnockVerdict.TOO_HIGH: _("too high"),
        KnockVerdict.ACE_REQUIRES_GIN: _("no gin"),
        KnockVerdict.NO_UP_CARD: _("no up card"),
    }[standing]


def _list_card_codes(cards: Iterable[PlayingCard]) -> list[str]:
    return [str(card) for card in cards]


def _describe_rules(rule: KnockRule, variant: Variant[Any, Any]) -> list[str]:
    """Return sentences about hand size, aces, and big gin under these rules, to show at the top of the page."""
    low = _("An ace is low in a run: A-2-3.")
    both = _("An ace is low or high in a run: A-2-3 or Q-K-A, but not K-A-2.")
    big = variant.finishes[HandOutcome.BIG_GIN]
    drawn = _("%s is played here: every card matched, without a discard.") % capitalize_first_letter(big)
    return [
        _("%s cards are dealt to each.") % rule.hand_size,
        both if rule.ace is AcePosition.BOTH else low,
        drawn if rule.allows_big_gin else _("%s is not played.") % capitalize_first_letter(big),
    ]
