"""The page of a dispute before its ruling: its forms, the rules' advice, and the preview."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect

from scoring.card_state.tables import line_in_words
from scoring.cards.forms.lines import LineForm
from scoring.disputes.forms.disputes import FactsForm
from scoring.disputes.forms.rulings import RulingForm
from scoring.disputes.selectors.disputes import DisputeState
from scoring.disputes.selectors.rulings import DisputeRecord, facts_on_record, load_committee, load_dispute_record
from scoring.disputes.services.appeals import AppealDecision, preview_appeal_decision
from scoring.disputes.services.disputes import Finding
from scoring.disputes.services.rulings import Deciding, RulingPreview, preview_ruling
from scoring.rules.irregularities import Irregularity
from scoring.rules.irregularities.matter import FactKind
from scoring.rules.rulings.recommend import CHOSEN, Advice, asked_facts, kinds_of, recommend
from tournament.core.permissions import Actor
from tournament.errors import DomainError
from tournament.models import Event
from tournament.spreadsheets.names import typed_number


def to_ruling(event: Event, dispute: int) -> HttpResponse:
    return redirect("scoring:desk_ruling", tournament=event.tournament.slug, event=event.slug, dispute=dispute)


class RulingPage:
    """A dispute before the director, with the submitted `data` or with what is on record."""

    def __init__(self, state: DisputeState, data: Mapping[str, Any] | None, *, kind: str = "") -> None:
        self.state, self.data = state, data
        self.record: DisputeRecord = load_dispute_record(state)
        name = (data.get("kind", "") if data is not None else kind) or state.kind
        self.kind: Irregularity | None = kinds_of(state.rule_sheet.rules).get(name)

    @cached_property
    def known(self) -> dict[str, Any]:
        return facts_on_record(self.state, self.record, self.kind)

    @cached_property
    def facts_form(self) -> FactsForm | None:
        if self.kind is None:
            return None
        sides = [(side.letter, side.name) for side in self.state.sides]
        return FactsForm(self.data, asked=asked_facts(self.kind), sides=sides, known=self.known)

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
        number = typed_number(str(self.data.get("which_hand", "")) if self.data is not None else "")
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
            return line_in_words(card, line) if card is not None and line else ""

        return [{"hand": hand, "before": words(old), "after": words(new)} for hand, old, new in preview.hands]
