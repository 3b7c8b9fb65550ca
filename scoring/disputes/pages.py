"""The steps that doors for disputes share: open one from a form, show its evidence, rule on it, and judge two hands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import load_card
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import describe_line
from scoring.cards.forms import LineForm
from scoring.disputes.forms.disputes import DisputeForm, FactsForm, RulingForm
from scoring.disputes.forms.hands import ShownHandsForm
from scoring.disputes.selectors.disputes import DisputeState, recorded_up_card
from scoring.disputes.selectors.rulings import DisputeRecord, facts_on_record, load_committee, load_dispute_record
from scoring.disputes.services.appeals import AppealDecision, preview_appeal_decision
from scoring.disputes.services.disputes import Finding, RulingWanted, SubmittedEvidence, add_evidence, open_dispute
from scoring.disputes.services.rulings import Deciding, RulingPreview, preview_ruling
from scoring.disputes.tables.hands import rule_facts, show_judged_hands
from scoring.models import Dispute, Evidence
from scoring.rules.hand.cards import DECK
from scoring.rules.hand.hands import FINISHES, KnockRule
from scoring.rules.irregularities import Irregularity
from scoring.rules.irregularities.case import FactKind
from scoring.rules.rulings.recommend import CHOSEN, Advice, kinds_by_name, list_asked_facts, recommend
from scoring.rules.sheet.sheets import Sheet, open_sheet, rule_sheet
from scoring.rules.sheet.showdown import judge_hands
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import FieldKind, Variant
from scoring.rulesheets.selectors import build_default_sheet, current_sheet
from tournament.core.permissions import Actor
from tournament.errors import BadCase, DomainError, NotFound
from tournament.lazy_text import lazy_text
from tournament.models import Event
from tournament.spreadsheets.names import parse_number


def require_kind(state: CardState, name: str) -> Irregularity | None:
    """Return the kind of irregularity with this name, or None for an empty name, which means another matter.

    Raises:
        NotFound: `no-kind`, because the rules of this card have no such kind.
    """
    if not name:
        return None
    kind = kinds_by_name(state.sheet.rule_sheet.rules).get(name)
    if kind is None:
        raise NotFound("no-kind", _("These rules have no such irregularity. Choose one from the list."))
    return kind


def open_from_form(request: HttpRequest, form: DisputeForm, by: Actor, *, reason: str = "") -> Dispute:
    """Open the dispute and store its evidence.

    If the evidence is refused, the call still counts and a message asks for the evidence again.

    Raises:
        DomainError: The call itself is refused.
    """
    event, key = form.state.card.match.event, form.cleaned_data["key"]
    dispute = open_dispute(event, _request_from_form(form, reason=reason), by=by, key=key)
    evidence: SubmittedEvidence = form.evidence
    if evidence.photo is not None or evidence.hands:
        try:
            add_evidence(dispute, evidence, by=by, key=key)
        except DomainError as error:
            messages.warning(request, _("The director is called, but your details were not saved: %s") % error.message)
    return dispute


def _request_from_form(form: DisputeForm, *, reason: str = "") -> RulingWanted:
    """Return the dispute that a valid form opens.

    The up card on record counts as a fact. If the caller names another one, that becomes a claim.
    """
    answers, claims, facts = form.cleaned_data, form.claims, form.facts()
    recorded = recorded_up_card(form.state, answers.get("hand"))
    if recorded and facts.get("up", recorded) != recorded:
        claim = _("The up card was %s.") % DECK[facts["up"]].name if facts["up"] in DECK else facts["up"]
        claims[form.own] = f"{claim} {claims.get(form.own, '')}".strip()
        del facts["up"]
    kind = form.irregularity
    finding = Finding(
        kind=kind.name if kind else "", hand=answers.get("hand"), board=answers.get("board"), facts=facts, claims=claims
    )
    return RulingWanted(found=finding, card=form.state.card, about=answers["about"], reason=reason)


def add_refusal_to_form(form: DisputeForm, error: DomainError) -> None:
    """Show each problem of a fact at its field, and everything else above the form."""
    problems: Any = error.data.get("problems") or ()
    is_shown = False
    for problem in problems:
        name = problem.path.removeprefix("facts.").replace(".", "_")
        if name in form.fields:
            form.add_error(name, problem.message)
            is_shown = True
    if not is_shown:
        form.add_error(None, error.message)


def evidence_context(state: DisputeState, photo_url: Callable[[int], str]) -> list[dict[str, Any]]:
    """Return each piece of evidence with its photo, its hands, and the page that judges the hands.

    `photo_url` returns the address of a photo by the evidence's primary key.
    """
    return [
        {
            "piece": piece,
            "photo": photo_url(piece.pk) if piece.photo else "",
            "hands": [(side.name, piece.hands[side.letter]) for side in state.sides if piece.hands.get(side.letter)],
            "judged": _hands_url(state, piece),
        }
        for piece in state.evidence
    ]


def _hands_url(state: DisputeState, piece: Evidence) -> str:
    """Return the address that judges these hands, or nothing for other evidence.

    The first hand is that of the player who knocked, or of the first side with a hand.
    """
    if piece.kind != Evidence.Kind.HANDS or state.dispute.card is None:
        return ""
    letters = [side.letter for side in state.sides]
    held = [letter for letter in letters if piece.hands.get(letter)]
    by = next((letter for letter in held if letter == state.facts.get("by")), held[0])
    against = next((letter for letter in held if letter != by), next((each for each in letters if each != by), by))
    event = state.dispute.event
    asked = {
        "card": state.dispute.card.token,
        "line": state.hand or "",
        "up": state.facts.get("up", ""),
        "by": letters.index(by),
        "against": letters.index(against) if len(letters) > 2 else "",
        "hand": " ".join(piece.hands[by]),
        "other": " ".join(piece.hands.get(against, ())) if against != by else "",
    }
    query = {name: value for name, value in asked.items() if value != ""}
    address = reverse("scoring:hands", kwargs={"tournament": event.tournament.slug, "event": event.slug})
    return f"{address}?{urlencode(query)}"


# --- Rulings ---------------------------------------------------------------------------------------------------------
# The page of a dispute before its ruling: its forms, the rules' advice, and the preview.


def to_ruling(event: Event, dispute: int) -> HttpResponse:
    return redirect("scoring:desk_ruling", tournament=event.tournament.slug, event=event.slug, dispute=dispute)


class RulingPage:
    """A dispute before the director, with the submitted `data` or with what is on record."""

    def __init__(self, state: DisputeState, data: Mapping[str, Any] | None, *, kind: str = "") -> None:
        self.state, self.data = state, data
        self.record: DisputeRecord = load_dispute_record(state)
        name = (data.get("kind", "") if data is not None else kind) or state.kind
        self.kind: Irregularity | None = kinds_by_name(state.rule_sheet.rules).get(name)

    @cached_property
    def known(self) -> dict[str, Any]:
        return facts_on_record(self.state, self.record, self.kind)

    @cached_property
    def facts_form(self) -> FactsForm | None:
        if self.kind is None:
            return None
        sides = [(side.letter, side.name) for side in self.state.sides]
        return FactsForm(self.data, asked=list_asked_facts(self.kind), sides=sides, known=self.known)

    @cached_property
    def form(self) -> RulingForm:
        card = self.record.card
        hands = card.hand_numbers if card is not None else ()
        initial = {
            "kind": self.kind.name if self.kind else "",
            "which_hand": self.state.hand if self.state.hand in hands else "",
            "which_board": self.state.board or "",
            CHOSEN: self.known.get(CHOSEN, ""),
        }
        committee = load_committee(self.state.dispute.event) if self.state.waits_for_committee else None
        return RulingForm(
            self.data,
            state=self.state,
            kind=self.kind,
            card=card,
            members=committee.members if committee else (),
            initial=initial,
        )

    @cached_property
    def line_form(self) -> LineForm | None:
        card = self.record.card
        if card is None or "sheet" not in self.form.fields:
            return None
        line = self.record.line.line if self.record.line is not None else None
        initial = LineForm.initial_for(card, line) if line else LineForm.initial_for_next(card)
        return LineForm(self.data, state=card, prefix="line", initial=initial)

    @property
    def chosen(self) -> str:
        return str(self.data.get(CHOSEN, "") if self.data is not None else self.known.get(CHOSEN, ""))

    @cached_property
    def facts(self) -> dict[str, Any]:
        if self.facts_form is None:
            return {}
        if self.data is None:
            return self.known
        facts = self.facts_form.facts() if self.facts_form.is_valid() else {}
        facts |= self._line_of_hand()
        return {**facts, CHOSEN: self.chosen} if self.chosen else facts

    def _line_of_hand(self) -> dict[str, Any]:
        """Return the chosen hand of the card for a fact that is a line of the sheet."""
        number = parse_number(str(self.data.get("which_hand", "")) if self.data is not None else "")
        line = self.record.line_at(number) if number is not None else None
        facts = self.kind.facts if self.kind is not None and line is not None else ()
        return {fact.name: line for fact in facts if fact.kind is FactKind.LINE}

    @cached_property
    def advice(self) -> Advice | None:
        """The rules' advice on these facts. A choice that the rules no longer offer is dropped."""
        if self.kind is None:
            return None
        question = self.state.question(self.facts, self.kind.name)
        advice = recommend(question) if question else None
        if advice is not None and advice.problems and all(p.path == f"facts.{CHOSEN}" for p in advice.problems):
            self.facts.pop(CHOSEN, None)
            return self.advice_without_choice
        return advice

    @property
    def advice_text(self) -> str:
        """The text of the advice without the choices that are offered below it."""
        text = self.advice.text if self.advice is not None else ""
        for choice in self.advice.choices if self.advice is not None else ():
            text = text.replace(choice.text, "")
        return " ".join(text.split())

    @property
    def rule_prefix(self) -> str:
        """The rule of the advice, such as “Fort Worth A 10”, or nothing if the text already begins with its book."""
        rule = self.advice.rule if self.advice is not None else ""
        book = rule.partition(" ")[0].lower()
        return "" if rule and self.advice_text.lower().startswith(book) else rule

    @cached_property
    def advice_without_choice(self) -> Advice | None:
        """The rules' advice before a choice is made, with all choices."""
        if self.kind is None:
            return None
        without = {name: value for name, value in self.facts.items() if name != CHOSEN}
        question = self.state.question(without, self.kind.name)
        return recommend(question) if question else None

    @property
    def finding(self) -> Finding:
        answers = self.form.cleaned_data if self.data is not None and self.form.is_valid() else {}
        return Finding(
            kind=self.kind.name if self.kind else "",
            hand=self._chosen_hand(answers) if answers else self.state.hand,
            board=answers.get("which_board") if answers else self.state.board,
            facts=self.facts,
            claims=self.state.claims,
        )

    def _chosen_hand(self, answers: Mapping[str, Any]) -> int | None:
        """Return the chosen hand, the hand in play if none is chosen, or None if the form asks for no hand.

        The hand in play is the next one of the card.
        """
        card, chosen = self.record.card, answers.get("which_hand")
        if "which_hand" not in self.form.fields or chosen:
            return chosen
        return len(card.lines) + 1 if card is not None and card.score.takes_hands else None

    @property
    def is_valid(self) -> bool:
        if self.data is None:
            return True
        line = self.line_form if self.data.get("sheet") == "line" else None
        forms = [form for form in (self.form, self.facts_form, line) if form is not None]
        invalid = [form for form in forms if not form.is_valid()]  # every form collects its errors
        return not invalid

    @property
    def deciding(self) -> Deciding:
        if self.data is None:
            return Deciding(found=self.finding)
        if self.data.get("sheet") == "line" and self.line_form is not None:
            self.line_form.is_valid()
        self.form.is_valid()
        return Deciding(
            found=self.finding,
            own=self.form.director_decision(self.line_form),
            reason=self.form.cleaned_data.get("reason", "").strip(),
        )

    @property
    def is_decided(self) -> bool:
        """Whether a ruling can be previewed, because the rules or the director have decided."""
        if self.advice is None or not self.is_valid or self.advice.problems:
            return False
        return bool(self.data and self.data.get("own")) or not self.advice.is_open

    def judgement(self, upheld: bool) -> AppealDecision:
        answers = self.form.cleaned_data if self.form.is_valid() else {}
        return AppealDecision(
            members=tuple(answers.get("members", ())),
            reason=answers.get("reason", "").strip(),
            changed=None if upheld else self.deciding,
        )

    def preview(self, actor: Actor) -> tuple[RulingPreview | None, DomainError | None]:
        """Return the preview of a ruling, or the error that refuses it.

        The preview needs neither the committee members nor their reason.
        """
        if not self.is_decided:
            return None, None
        try:
            if self.state.waits_for_committee and self.state.appeal is not None:
                decision = self.judgement(upheld=False)
                decision = replace(decision, members=decision.members or ("–",), reason=decision.reason or "–")
                return preview_appeal_decision(self.state.appeal, decision, by=actor), None
            return preview_ruling(self.state.dispute, self.deciding, by=actor), None
        except DomainError as refused:
            return None, refused

    def changes(self, preview: RulingPreview) -> list[dict[str, Any]]:
        """Return each hand of the card that the ruling changes, with its words before and after."""
        card = self.record.card

        def words(line: dict[str, Any] | None) -> str:
            return describe_line(card, line) if card is not None and line else ""

        return [{"hand": hand, "before": words(old), "after": words(new)} for hand, old, new in preview.hands]


# --- Hands -----------------------------------------------------------------------------------------------------------
# The page that judges two hands: a hand of a card, or two hands by the rule sheet of an event alone.

_UNNAMED_SIDES = (lazy_text("Knocker"), lazy_text("Opponent"), lazy_text("Sits out"))


@dataclass(frozen=True, slots=True)
class _HandContext:
    """A hand to judge. `sheet` has the hands before it, and `number` counts from 1.

    `state` is None if there is no card, and then the sides have no names.
    """

    sheet: Sheet
    state: CardState | None = None
    number: int = 1

    @property
    def variant(self) -> Variant[Any, Any]:
        return self.sheet.variant

    @property
    def rule(self) -> KnockRule | None:
        """The knock rule, or None if the variant's hands are not sets and runs."""
        return self.variant.knock_rule(None)

    @property
    def asks_who(self) -> bool:
        """Whether the sides have names, so that the form asks which side is which."""
        return self.state is not None or self.variant.sides_are_teams

    @property
    def corrects(self) -> bool:
        return self.state is not None and self.number <= len(self.state.lines)

    @property
    def recorded(self) -> dict[str, str]:
        """The recorded hand as initial values of the form: `up`, `by` (the number of the side) and `said`."""
        if self.state is None or not self.corrects:
            return {}
        line = self.state.lines[self.number - 1].line or {}
        found = {"up": line.get("up", "")}
        if line.get("by") in self.state.letters and line.get("outcome") in FINISHES:
            found |= {"by": str(self.state.letters.index(line["by"])), "said": line["outcome"]}
        return found


def load_judged_page(request: HttpRequest, event: Event) -> dict[str, Any]:
    """Return the page's context: `place`, `form`, and `judged` if both hands are readable.

    The address carries all input.
    """
    number = parse_number(request.GET.get("line", ""))
    place = _load_hand_context(event, request.GET.get("card", ""), number)
    context: dict[str, Any] = {"place": place, "state": place.state, "judged": None, "title": place.variant.title}
    rule = place.rule
    if rule is None:
        return context
    data = request.GET if "hand" in request.GET else None
    form = ShownHandsForm(data, variant=place.variant, rule=rule, asks_who=place.asks_who, initial=place.recorded)
    context |= {"form": form, "facts": rule_facts(rule, place.variant)}
    context["is_one_of_several"] = any(field.kind is FieldKind.GROUP for field in place.variant.line_fields())
    if form.is_valid():
        context |= _judge(place, form)
    return context


def _judge(place: _HandContext, form: ShownHandsForm) -> dict[str, Any]:
    shown = form.shown()
    try:
        found = judge_hands(place.sheet, shown)
    except BadCase as refused:
        form.show(refused)
        return {}
    card = f"card={place.state.card.token}&line={place.number}&" if place.state else ""
    return {"judged": show_judged_hands(shown, found, place.variant), "address": card + form.address()}


def _load_hand_context(event: Event, token: str, number: int | None) -> _HandContext:
    """Return hand `number` of the card, or the next one without a number. Without a token, use the event's rules.

    Raises:
        NotFound: there is no such card in this event, or no such hand on it.
    """
    if not token:
        rules = current_sheet(event) or build_default_sheet(event)
        variant = VARIANTS[rules.variant]
        names = variant.side_names if variant.sides_are_teams else _UNNAMED_SIDES[: variant.fewest_sides]
        return _HandContext(open_sheet(rule_sheet(rules.variant, rules.options), names))
    state = load_card(token) if token.isprintable() else None  # a database refuses unprintable characters
    if state is None or state.card.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
    played = len(state.lines)
    wanted = number or (played if state.is_complete else played + 1)
    if not 1 <= wanted <= played + 1:
        raise NotFound("no-such-hand", _("There is no such hand on this score card. Look at the score card again."))
    before = replace(state.named_sheet, lines=state.named_sheet.lines[: wanted - 1])
    return _HandContext(before, state, wanted)
