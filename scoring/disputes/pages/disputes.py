"""The steps that the pages of players and of the desk share: open a dispute from a form, and show its evidence."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState
from scoring.disputes.forms.disputes import DisputeForm
from scoring.disputes.selectors.disputes import DisputeState, recorded_up_card
from scoring.disputes.services.disputes import Finding, RulingWanted, open_dispute
from scoring.disputes.services.evidence import SubmittedEvidence, add_evidence
from scoring.models import Dispute, Evidence
from scoring.rules.hand.cards import DECK
from scoring.rules.irregularities import Irregularity
from scoring.rules.rulings.recommend import kinds_of
from tournament.core.permissions import Actor
from tournament.errors import DomainError, NotFound


def require_kind(state: CardState, name: str) -> Irregularity | None:
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
