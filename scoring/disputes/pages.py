"""Open a dispute from the form of a call, filled in by a player or at the desk."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState
from scoring.disputes.forms import DisputeForm
from scoring.disputes.selectors import DisputeState, up_on_record
from scoring.disputes.services.disputes import Finding, RulingWanted, open_dispute
from scoring.disputes.services.evidence import SubmittedEvidence, add_evidence
from scoring.models import Dispute, Evidence
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


def _opening_of(form: DisputeForm, *, reason: str = "") -> RulingWanted:
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
    dispute = open_dispute(card.match.event, _opening_of(form, reason=reason), by=by, key=form.cleaned_data["key"])
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


# --- Evidence --------------------------------------------------------------------------------------------------------
# The evidence of a dispute as pages show it, with links to its photos and to the page that judges hands.


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A piece of evidence: the address of its photo, the cards by player, and the page that judges them."""

    piece: Evidence
    photo: str
    hands: tuple[tuple[str, list[str]], ...]
    judged: str


def shown_evidence(state: DisputeState, photo_at: Callable[[int], str]) -> list[ShownPiece]:
    """Return the evidence of a dispute. `photo_at` returns the address of a photo by the evidence's primary key."""
    return [
        ShownPiece(
            piece=piece,
            photo=photo_at(piece.pk) if piece.photo else "",
            hands=tuple((side.name, piece.hands[side.letter]) for side in state.sides if piece.hands.get(side.letter)),
            judged=_hands_address(state, piece),
        )
        for piece in state.evidence
    ]


def _hands_address(state: DisputeState, piece: Evidence) -> str:
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
    kept = {name: value for name, value in asked.items() if value != ""}
    address = reverse("scoring:hands", kwargs={"tournament": event.tournament.slug, "event": event.slug})
    return f"{address}?{urlencode(kept)}"
