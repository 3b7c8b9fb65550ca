"""Code shared by the dispute pages: opening a dispute from a form, showing its evidence, and making the ruling."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import describe_line
from scoring.cards.forms import LineForm
from scoring.cards.selectors.checks import load_card_checks
from scoring.disputes.forms import DisputeForm, IrregularityFactsForm, RulingForm
from scoring.disputes.selectors.disputes import DisputeState
from scoring.disputes.selectors.rulings import DisputeRecord, find_recorded_facts, load_committee, load_dispute_record
from scoring.disputes.services.appeals import AppealDecision, preview_appeal_decision
from scoring.disputes.services.disputes import (
    DisputeFindings,
    NewDispute,
    SubmittedEvidence,
    add_evidence,
    open_dispute,
)
from scoring.disputes.services.rulings import ProposedRuling, RulingPreview, preview_ruling
from scoring.models import Dispute, Evidence
from scoring.rules.hand.cards import DECK
from scoring.rules.irregularities import Irregularity
from scoring.rules.irregularities.case import FactKind
from scoring.rules.rulings.recommend import (
    CHOICE_FACT_NAME,
    RulingAdvice,
    find_reportable_irregularities,
    list_fact_questions,
    recommend_ruling,
)
from tournament.core.permissions import Actor
from tournament.errors import DomainError, NotFound
from tournament.models import Event
from tournament.spreadsheets.names import parse_number


def require_irregularity(state: CardState, name: str) -> Irregularity | None:
    """Return the kind of irregularity with this name, or None if the name is empty.

    The name is empty if the user chose “Something else” instead of a kind.

    Raises:
        NotFound: `no-kind` if the card's rules have no such kind.
    """
    if not name:
        return None
    kind = find_reportable_irregularities(state.sheet.rule_sheet.rules).get(name)
    if kind is None:
        raise NotFound("no-kind", _("These rules have no such irregularity. Choose one from the list."))
    return kind


def open_dispute_from_form(request: HttpRequest, form: DisputeForm, by: Actor, *, reason: str = "") -> Dispute:
    """Open a dispute and save its evidence.

    If the evidence is rejected, the dispute is still opened, and the user sees a message.

    Raises:
        DomainError: The dispute itself was rejected.
    """
    event, key = form.state.card.match.event, form.cleaned_data["key"]
    dispute = open_dispute(event, _make_dispute_request(form, reason=reason), by=by, key=key)
    evidence: SubmittedEvidence = form.evidence
    if evidence.photo is not None or evidence.hands:
        try:
            add_evidence(dispute, evidence, by=by, key=key)
        except DomainError as error:
            messages.warning(request, _("The director is called, but your details were not saved: %s") % error.message)
    return dispute


def _make_dispute_request(form: DisputeForm, *, reason: str = "") -> NewDispute:
    """Return the dispute request for a valid form.

    If the caller's up card (the card turned up after the deal) differs from the recorded one, it is stored as the
    caller's claim.
    """
    answers, claims, facts = form.cleaned_data, form.claims, form.read_facts()
    recorded = _load_recorded_up_card(form.state, answers.get("hand"))
    if recorded and facts.get("up", recorded) != recorded:
        claim = _("The up card was %s.") % DECK[facts["up"]].name if facts["up"] in DECK else facts["up"]
        claims[form.own] = f"{claim} {claims.get(form.own, '')}".strip()
        del facts["up"]
    kind = form.irregularity
    finding = DisputeFindings(
        kind=kind.name if kind else "", hand=answers.get("hand"), board=answers.get("board"), facts=facts, claims=claims
    )
    return NewDispute(findings=finding, card=form.state.card, about=answers["about"], reason=reason)


def _load_recorded_up_card(state: CardState, hand: int | None) -> str:
    """Return a hand's recorded up card, or an empty string if it was not recorded."""
    if hand is None:
        return ""
    turned = load_card_checks(state).find_recorded_up_card(hand)
    if turned is not None:
        return turned.up
    line = state.lines[hand - 1].line if 1 <= hand <= len(state.lines) else None
    return str((line or {}).get("up") or "")


def add_fact_errors_to_form(form: DisputeForm, error: DomainError) -> None:
    """Show a rejected dispute's errors on its form, next to the facts that caused them.

    Errors that match no field are shown at the top of the form.
    """
    problems: Any = error.data.get("problems") or ()
    by_field = [(problem.path.removeprefix("facts.").replace(".", "_"), problem.message) for problem in problems]
    at_fields = [(name, message) for name, message in by_field if name in form.fields]
    for name, message in at_fields or [(None, error.message)]:
        form.add_error(name, message)


def make_evidence_context(state: DisputeState, photo_url: Callable[[int], str]) -> list[dict[str, Any]]:
    """Return each piece of evidence with the URL of its photo, and the URL of the page that scores its hands.

    `photo_url` takes the primary key of a piece of evidence, and returns its photo's URL.
    """
    return [
        {
            "piece": piece,
            "photo": photo_url(piece.pk) if piece.photo else "",
            "hands": [(side.name, piece.hands[side.letter]) for side in state.sides if piece.hands.get(side.letter)],
            "judged": _make_judge_hands_url(state, piece),
        }
        for piece in state.evidence
    ]


def _make_judge_hands_url(state: DisputeState, piece: Evidence) -> str:
    """Return the URL of the page that scores these hands, or an empty string if the evidence has no hands."""
    if piece.kind != Evidence.Kind.HANDS or state.dispute.card is None:
        return ""
    letters = [side.letter for side in state.sides]
    with_hand = [letter for letter in letters if piece.hands.get(letter)]
    # The side that knocked comes first, if its hand is here.
    by = state.facts["by"] if state.facts.get("by") in with_hand else with_hand[0]
    against = next((letter for letter in [*with_hand, *letters] if letter != by), by)
    event = state.dispute.event
    parameters = {
        "card": state.dispute.card.token,
        "line": state.hand or "",
        "up": state.facts.get("up", ""),
        "by": letters.index(by),
        "against": letters.index(against) if len(letters) > 2 else "",
        "hand": " ".join(piece.hands[by]),
        "other": " ".join(piece.hands.get(against, ())) if against != by else "",
    }
    query = {name: value for name, value in parameters.items() if value != ""}
    url = reverse("scoring:hands", kwargs={"tournament": event.tournament.slug, "event": event.slug})
    return f"{url}?{urlencode(query)}"


def make_photo_response(state: DisputeState, evidence: int) -> HttpResponse:
    """Return the photo that was added as evidence, with headers that prevent caching."""
    piece = next((each for each in state.evidence if each.pk == evidence and each.photo), None)
    if piece is None:
        raise NotFound("no-photo", _("There is no such photo. Look at the dispute again."))
    headers = {"Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff"}
    try:
        with piece.photo.open("rb") as file:
            return HttpResponse(file.read(), content_type="image/jpeg", headers=headers)
    except FileNotFoundError:
        raise NotFound(
            "no-photo", _("This photo is not on this server. Ask the person who runs the program.")
        ) from None


# --- The page that makes a ruling ------------------------------------------------------------------------------------


def redirect_to_ruling(event: Event, dispute: int) -> HttpResponse:
    return redirect("scoring:desk_ruling", tournament=event.tournament.slug, event=event.slug, dispute=dispute)


class RulingPage:
    """The forms, the rules' advice, and the preview for the page on which a director makes a ruling.

    The forms show the submitted `data`, or the recorded facts if `data` is None.
    """

    def __init__(self, state: DisputeState, data: Mapping[str, Any] | None, *, kind: str = "") -> None:
        self.state, self.data = state, data
        self.record: DisputeRecord = load_dispute_record(state)
        name = (data.get("kind", "") if data is not None else kind) or state.kind
        self.kind: Irregularity | None = find_reportable_irregularities(state.rule_sheet.rules).get(name)

    @cached_property
    def known_facts(self) -> dict[str, Any]:
        return find_recorded_facts(self.state, self.record, self.kind)

    @cached_property
    def facts_form(self) -> IrregularityFactsForm | None:
        if self.kind is None:
            return None
        sides = [(side.letter, side.name) for side in self.state.sides]
        return IrregularityFactsForm(
            self.data, asked=list_fact_questions(self.kind), sides=sides, known=self.known_facts
        )

    @cached_property
    def form(self) -> RulingForm:
        card = self.record.card
        hands = card.hand_numbers if card is not None else ()
        initial = {
            "kind": self.kind.name if self.kind else "",
            "which_hand": self.state.hand if self.state.hand in hands else "",
            "which_board": self.state.board_number or "",
            CHOICE_FACT_NAME: self.known_facts.get(CHOICE_FACT_NAME, ""),
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
        initial = LineForm.make_initial(card, line) if line else LineForm.make_initial_for_next(card)
        return LineForm(self.data, state=card, prefix="line", initial=initial)

    @property
    def chosen_code(self) -> str:
        return str(
            self.data.get(CHOICE_FACT_NAME, "") if self.data is not None else self.known_facts.get(CHOICE_FACT_NAME, "")
        )

    @cached_property
    def facts(self) -> dict[str, Any]:
        if self.facts_form is None:
            return {}
        if self.data is None:
            return self.known_facts
        facts = self.facts_form.read_facts() if self.facts_form.is_valid() else {}
        facts |= self._make_line_facts()
        return {**facts, CHOICE_FACT_NAME: self.chosen_code} if self.chosen_code else facts

    def _make_line_facts(self) -> dict[str, Any]:
        """Return the facts that ask for a line of the score sheet, answered with the line of the chosen hand.

        The result maps each fact's name to that line. It is empty if no hand is chosen, or if the kind of irregularity
        has no such fact.
        """
        number = parse_number(str(self.data.get("which_hand", "")) if self.data is not None else "")
        line = self.record.find_line(number) if number is not None else None
        facts = self.kind.facts if self.kind is not None and line is not None else ()
        return {fact.name: line for fact in facts if fact.kind is FactKind.LINE}

    @cached_property
    def advice(self) -> RulingAdvice | None:
        """The rules' advice for these facts. A choice that is no longer possible is ignored."""
        advice = self._recommend_ruling(self.facts)
        if (
            advice is not None
            and advice.problems
            and all(p.path == f"facts.{CHOICE_FACT_NAME}" for p in advice.problems)
        ):
            self.facts.pop(CHOICE_FACT_NAME, None)
            return self.advice_with_all_choices
        return advice

    @property
    def advice_text(self) -> str:
        """The advice as text without its choices, which the page lists separately."""
        text = self.advice.text if self.advice is not None else ""
        for choice in self.advice.choices if self.advice is not None else ():
            text = text.replace(choice.text, "")
        return " ".join(text.split())

    @property
    def rule_prefix(self) -> str:
        """The rule behind the advice, such as “Fort Worth A 10”.

        It is empty if the advice text already begins with the name of the rule book.
        """
        rule = self.advice.rule if self.advice is not None else ""
        book = rule.partition(" ")[0].lower()
        return "" if rule and self.advice_text.lower().startswith(book) else rule

    @cached_property
    def advice_with_all_choices(self) -> RulingAdvice | None:
        """The rules' advice as if no choice had been made, so that it lists all choices."""
        return self._recommend_ruling({name: value for name, value in self.facts.items() if name != CHOICE_FACT_NAME})

    def _recommend_ruling(self, facts: dict[str, Any]) -> RulingAdvice | None:
        question = self.state.make_case(facts, self.kind.name) if self.kind is not None else None
        return recommend_ruling(question) if question else None

    @property
    def findings(self) -> DisputeFindings:
        answers = self.form.cleaned_data if self.data is not None and self.form.is_valid() else {}
        return DisputeFindings(
            kind=self.kind.name if self.kind else "",
            hand=self._find_chosen_hand(answers) if answers else self.state.hand,
            board=answers.get("which_board") if answers else self.state.board_number,
            facts=self.facts,
            claims=self.state.claims,
        )

    def _find_chosen_hand(self, answers: Mapping[str, Any]) -> int | None:
        """Return the chosen hand's number.

        If no hand is chosen, return the number of the hand being played, or None if the card is complete.
        """
        card, chosen = self.record.card, answers.get("which_hand")
        if "which_hand" not in self.form.fields or chosen:
            return chosen
        return len(card.lines) + 1 if card is not None and card.score.accepts_hands else None

    @property
    def is_valid(self) -> bool:
        if self.data is None:
            return True
        line = self.line_form if self.data.get("sheet") == "line" else None
        forms = [form for form in (self.form, self.facts_form, line) if form is not None]
        invalid = [form for form in forms if not form.is_valid()]  # every form collects its errors
        return not invalid

    @property
    def proposed_ruling(self) -> ProposedRuling:
        if self.data is None:
            return ProposedRuling(findings=self.findings)
        if self.data.get("sheet") == "line" and self.line_form is not None:
            self.line_form.is_valid()
        self.form.is_valid()
        return ProposedRuling(
            findings=self.findings,
            director_decision=self.form.make_director_decision(self.line_form),
            reason=self.form.cleaned_data.get("reason", "").strip(),
        )

    @property
    def is_decided(self) -> bool:
        """Whether the rules or the director have decided, so that the ruling can be previewed."""
        if self.advice is None or not self.is_valid or self.advice.problems:
            return False
        return bool(self.data and self.data.get("own")) or not self.advice.is_open

    def make_appeal_decision(self, *, upheld: bool) -> AppealDecision:
        answers = self.form.cleaned_data if self.form.is_valid() else {}
        return AppealDecision(
            members=tuple(answers.get("members", ())),
            reason=answers.get("reason", "").strip(),
            new_ruling=None if upheld else self.proposed_ruling,
        )

    def preview(self, actor: Actor) -> tuple[RulingPreview | None, DomainError | None]:
        """Return a tuple: the ruling's preview, and the error that prevents the ruling.

        One of them is always None. Both are None if nothing is decided yet.
        """
        if not self.is_decided:
            return None, None
        try:
            if self.state.waits_for_committee and self.state.appeal is not None:
                decision = self.make_appeal_decision(upheld=False)
                # A preview needs neither the members nor their reason.
                decision = replace(decision, members=decision.members or ("–",), reason=decision.reason or "–")
                return preview_appeal_decision(self.state.appeal, decision, by=actor), None
            return preview_ruling(self.state.dispute, self.proposed_ruling, by=actor), None
        except DomainError as refused:
            return None, refused

    def describe_changes(self, preview: RulingPreview) -> list[dict[str, Any]]:
        """Return a before-and-after description for each hand that the ruling changes."""
        card = self.record.card

        def describe(line: dict[str, Any] | None) -> str:
            return describe_line(card, line) if card is not None and line else ""

        return [{"hand": hand, "before": describe(old), "after": describe(new)} for hand, old, new in preview.hands]
