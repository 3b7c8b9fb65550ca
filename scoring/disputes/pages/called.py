"""Open a dispute from the form of a call, filled in by a player or at the desk."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState
from scoring.disputes.forms.dispute import DisputeForm
from scoring.disputes.selectors.of_card import up_on_record
from scoring.disputes.services.disputes import Finding, RulingWanted, open_dispute
from scoring.disputes.services.evidence import SubmittedEvidence, add_evidence
from scoring.models import Dispute
from scoring.rules.hand.cards import DECK
from scoring.rules.irregularities import Irregularity
from scoring.rules.rulings.recommend import kinds_of
from tournament.core.permissions import Actor
from tournament.errors import DomainError, NotFound


def kind_named(state: CardState, name: str) -> Irregularity | None:
    """Return the kind of irregularity with this name, or None for an empty name, which means another matter.

    Raises:
        NotFound: `no-kind`, because the rules of this card have no such kind.
    """
    if not name:
        return None
    kind = kinds_of(state.sheet.rule_sheet.rules).get(name)
    if kind is None:
        raise NotFound("no-kind", _("These rules have no such irregularity. Choose one from the list."))
    return kind


def opening_of(form: DisputeForm, *, reason: str = "") -> RulingWanted:
    """Return the dispute that a valid form opens.

    The up card on record counts as a fact. If the caller names another one, that becomes a claim.
    """
    said, claims, facts = form.cleaned_data, form.claims, form.facts()
    recorded = up_on_record(form.state, said.get("hand"))
    if recorded and facts.get("up", recorded) != recorded:
        told = _("The up card was %s.") % DECK[facts["up"]].name if facts["up"] in DECK else facts["up"]
        claims[form.own] = f"{told} {claims.get(form.own, '')}".strip()
        del facts["up"]
    kind = form.irregularity
    found = Finding(
        kind=kind.name if kind else "", hand=said.get("hand"), board=said.get("board"), facts=facts, claims=claims
    )
    return RulingWanted(found=found, card=form.state.card, about=said["about"], reason=reason)


def open_called(request: HttpRequest, form: DisputeForm, by: Actor, *, reason: str = "") -> Dispute:
    """Open the dispute and store its evidence.

    If the evidence is refused, the call still counts and a message asks for the evidence again.

    Raises:
        DomainError: The call itself is refused.
    """
    card = form.state.card
    dispute = open_dispute(card.match.event, opening_of(form, reason=reason), by=by, key=form.cleaned_data["key"])
    shown: SubmittedEvidence = form.shown
    if shown.photo is not None or shown.hands:
        try:
            add_evidence(dispute, shown, by=by, key=form.cleaned_data["key"])
        except DomainError as error:
            messages.warning(request, _("The director is called, but your details were not saved: %s") % error.message)
    return dispute


def show_refusal(form: DisputeForm, error: DomainError) -> None:
    """Show each problem of a fact at its field, and everything else above the form."""
    problems: Any = error.data.get("problems") or ()
    told = False
    for problem in problems:
        name = problem.path.removeprefix("facts.").replace(".", "_")
        if name in form.fields:
            form.add_error(name, problem.message)
            told = True
    if not told:
        form.add_error(None, error.message)
