"""Call the director, open or withdraw a dispute, and add facts and evidence to it."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Final

from django.core.files.base import ContentFile
from django.utils.translation import gettext as _

from pairing.models import Match
from scoring.card_state.permissions import is_player_on_card, require_player_or_desk
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.disputes.selectors.disputes import DisputeState, load_dispute
from scoring.disputes.services.photos import reencode_photo
from scoring.models import Card, DirectorCall, DirectorCallAnswered, Dispute, DisputeDropped, DisputeFacts, Evidence
from scoring.posting.selectors.card_status import load_correction_period
from scoring.rules.hand.cards import DECK
from scoring.rules.rulings.recommend import recommend_ruling
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Entrant, Event
from tournament.templatetags.gin import local_time

MAX_CALL_TEXT_LENGTH: Final = 300
"""The maximum number of characters in a call's text."""


def call_director(match: Match, *, by: Actor, about: str = "", key: str = "") -> DirectorCall:
    """Call the director to a match. If the match already has an open call, return that call."""
    if by.entrant is None or by.entrant.event_id != match.event_id:
        raise NotAllowed(
            "not-a-player", _("Only a player of this match can call the director here. Go to the desk instead.")
        )
    with writing(
        match.event, verb="director.called", by=by, key=make_idempotency_key(key, match.pk, by.name, about)
    ) as write:
        if write.repeated:
            return DirectorCall.objects.get(pk=write.outcome["call"])
        waiting = match.director_calls.filter(answered__isnull=True).first()
        if waiting is not None:
            write.about(match, call=waiting.pk)
            return waiting
        call = match.director_calls.create(
            entrant=by.entrant, about=about.strip()[:MAX_CALL_TEXT_LENGTH], **write.fact_fields()
        )
        write.about(match, call=call.pk)
        return call


def answer_director_call(call: DirectorCall, *, by: Actor, reason: str = "") -> DirectorCallAnswered:
    require_permission(by, "desk", call.match.event.tournament)
    with writing(call.match.event, verb="director.answered", by=by, reason=reason) as write:
        if DirectorCallAnswered.objects.filter(call=call).exists():
            raise Conflict("answered-already", _("This call was answered already. Nothing was changed."))
        answered = DirectorCallAnswered.objects.create(call=call, **write.fact_fields())
        write.about(call.match, call=call.pk)
        return answered


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeFindings:
    """The known facts of a dispute. `claims` contains what each side says, keyed by the side's letter."""

    kind: str = ""
    hand: int | None = None
    board: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    claims: Mapping[str, Any] = field(default_factory=dict)

    def make_column_values(self) -> dict[str, Any]:
        facts, claims = dict(self.facts), dict(self.claims)
        return {"kind": self.kind, "hand": self.hand, "board": self.board, "facts": facts, "claims": claims}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDispute:
    """A request to open a dispute about a score card, a match, or entries."""

    findings: DisputeFindings = DisputeFindings()
    card: Card | None = None
    match: Match | None = None
    entries: tuple[int, ...] = ()
    """Entry numbers in the order of the sides' letters. Empty for a dispute about a card."""
    about: str = ""
    reason: str = ""
    """The reason for opening the dispute after the card's deadline for rulings, which only staff can do."""


def open_dispute(event: Event, opening: NewDispute, *, by: Actor, key: str = "") -> Dispute:
    """Open a dispute.

    Raises:
        NotAllowed: The actor is neither one of the card's players nor desk staff.
        DomainError: `unknown-kind`, `bad-facts`, `nobody`, `reason-needed`.
        Conflict: `not-in-play`, `too-late`, or `called-already`. The data of `called-already` contains the primary key
            of the open `dispute`.
    """
    _require_caller(event, opening, by)
    key = make_idempotency_key(key, by.name, opening)
    with writing(event, verb="dispute.opened", by=by, key=key, reason=opening.reason.strip()) as write:
        if write.repeated:
            return Dispute.objects.get(pk=write.outcome["dispute"])
        _require_dispute_allowed(write, opening, by)
        dispute = Dispute.objects.create(
            event=event,
            card=opening.card,
            match=opening.card.match if opening.card else opening.match,
            about=opening.about.strip(),
            entries=list(opening.entries),
            entrant=by.entrant,
            **opening.findings.make_column_values(),
            **write.fact_fields(),
        )
        require_valid_facts(load_dispute(event, dispute.pk))
        write.log_row_digest("disputes", dispute)
        write.about(dispute, dispute=dispute.pk, kind=dispute.kind, match=dispute.match.ident if dispute.match else "")
        return dispute


def record_dispute_facts(dispute: Dispute, found: DisputeFindings, *, by: Actor, key: str = "") -> DisputeFacts:
    """Record the facts that staff established, replacing all earlier facts.

    Raises:
        DomainError: `unknown-kind`, `bad-facts`.
        Conflict: `dropped` if the dispute was withdrawn.
    """
    require_permission(by, "desk", dispute.event.tournament)
    with writing(dispute.event, verb="dispute.facts", by=by, key=make_idempotency_key(key, dispute.pk, found)) as write:
        if write.repeated:
            return DisputeFacts.objects.get(pk=write.outcome["facts"])
        return write_dispute_facts(write, dispute, found)


def write_dispute_facts(write: WriteTransaction, dispute: Dispute, finding: DisputeFindings) -> DisputeFacts:
    state = load_dispute(dispute.event, dispute.pk)
    if state.dropped is not None:
        raise Conflict("dropped", _("This call was withdrawn. Make a new one."))
    facts = DisputeFacts.objects.create(dispute=dispute, **finding.make_column_values(), **write.fact_fields())
    require_valid_facts(load_dispute(dispute.event, dispute.pk))
    write.log_row_digest("findings", facts)
    write.about(dispute, dispute=dispute.pk, facts=facts.pk, kind=facts.kind)
    return facts


def drop_dispute(dispute: Dispute, *, by: Actor, reason: str, key: str = "") -> DisputeDropped:
    """Close a dispute without a ruling. Only staff and the player who called the director can do this.

    Raises:
        Conflict: `ruled-already`, `dropped`.
    """
    if by.entrant is None or by.entrant.pk != dispute.entrant_id:
        require_permission(by, "desk", dispute.event.tournament)
    with writing(
        dispute.event, verb="dispute.dropped", by=by, reason=reason, key=make_idempotency_key(key, dispute.pk)
    ) as write:
        if write.repeated:
            return DisputeDropped.objects.get(pk=write.outcome["dropped"])
        if dispute.rulings.exists():
            raise Conflict(
                "ruled-already",
                _("There is a ruling already, so the call cannot be withdrawn. Appeal the ruling instead."),
            )
        if DisputeDropped.objects.filter(dispute=dispute).exists():
            raise Conflict("dropped", _("This call was withdrawn already. Nothing was changed."))
        dropped = DisputeDropped.objects.create(dispute=dispute, **write.fact_fields())
        write.about(dispute, dispute=dispute.pk, dropped=dropped.pk)
        return dropped


def require_valid_facts(state: DisputeState) -> None:
    """Check that the facts make sense for the kind of irregularity.

    Raises:
        DomainError: `unknown-kind`, `bad-facts`.
    """
    if not state.kind:
        return
    question = state.make_case()
    if question is None:
        raise DomainError("unknown-kind", _("These rules have no such irregularity. Choose one from the list."))
    problems = recommend_ruling(question).problems
    if problems:
        raise DomainError("bad-facts", " ".join(problem.message for problem in problems), problems=problems)


def _require_caller(event: Event, opening: NewDispute, by: Actor) -> None:
    if by.entrant is None:
        require_permission(by, "desk", event.tournament)
        return
    if opening.card is None:
        raise NotAllowed("not-your-card", _("Call from your own score card, or go to the desk."))
    require_player_or_desk(by, opening.card)


def _require_dispute_allowed(write: WriteTransaction, opening: NewDispute, by: Actor) -> None:
    if write.the_event.state != Event.State.IN_PLAY:
        raise Conflict("not-in-play", _("Call the director only while the event is in play. Now go to the desk."))
    if opening.card is None:
        if not opening.entries:
            raise DomainError("nobody", _("Choose who it is about."))
        return
    _require_before_deadline(write, opening.card, by)
    if by.entrant is not None:
        _require_no_open_dispute(opening.card, opening.findings, by.entrant)


def _require_before_deadline(write: WriteTransaction, card: Card, by: Actor) -> None:
    clock = load_correction_period(load_card_state_by_pk(card.pk))
    if clock is None or write.acted_at < clock.rulings_until:
        return
    over = _("The time for rulings on this card ended at %(rulings_until)s.") % {
        "rulings_until": local_time(clock.rulings_until, write.tournament)
    }
    if by.entrant is not None:
        raise Conflict(
            "too-late", _("%(over)s Go to the desk. It can still open the dispute, with a reason.") % {"over": over}
        )
    if not write.reason:
        raise DomainError("reason-needed", _("%(over)s Write why the call is so late.") % {"over": over})


def _require_no_open_dispute(card: Card, finding: DisputeFindings, caller: Entrant) -> None:
    """Raise Conflict if the caller already has an open dispute about this card.

    Also raise Conflict if another player has already opened a dispute about the same irregularity and hand.
    """
    for waiting in Dispute.objects.filter(card=card, rulings=None, dropped=None).select_related("entrant"):
        if waiting.entrant_id == caller.pk:
            message = _("You have already called. The director is on the way.")
            raise Conflict("called-already", message, dispute=waiting.pk)
        if waiting.entrant is not None and (waiting.kind, waiting.hand) == (finding.kind, finding.hand):
            message = _("%(name)s already called about this. Add your side here.") % {"name": waiting.entrant.name}
            raise Conflict("called-already", message, dispute=waiting.pk)


# --- Evidence --------------------------------------------------------------------------------------------------------

_MAX_PIECES: Final = 20
"""The maximum number of pieces of evidence in a dispute."""
_MAX_CARDS: Final = 14
"""The maximum number of cards in a hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedEvidence:
    """The evidence submitted with one form.

    The photo, the hands and the statement (`words`) become separate pieces of evidence. `hands` contains the cards of
    each side, keyed by the side's letter.
    """

    photo: IO[bytes] | None = None
    hands: Mapping[str, Sequence[str]] = field(default_factory=dict)
    words: str = ""


def add_evidence(dispute: Dispute, submitted: SubmittedEvidence, *, by: Actor, key: str = "") -> list[Evidence]:
    """Add evidence to a dispute.

    Raises:
        NotAllowed: The actor is neither one of the card's players nor desk staff.
        DomainError: `nothing`, `no-photo`, `photo-too-large`, `bad-hands`.
        Conflict: `ruled-already`, `dropped`, `too-many`.
    """
    if by.entrant is None:
        require_permission(by, "desk", dispute.event.tournament)
    elif dispute.card is None or not is_player_on_card(by, dispute.card):
        raise NotAllowed("not-a-party", _("This dispute is about another table. Your own is on your private page."))
    picture = reencode_photo(submitted.photo) if submitted.photo is not None else b""
    pieces = _make_evidence_values(submitted, picture)
    if not pieces:
        raise DomainError("nothing", _("Take a photo, pick the cards, or write what you saw."))
    digest = hashlib.sha256(picture).hexdigest() if picture else ""
    key = make_idempotency_key(key, dispute.pk, by.name, digest, submitted.words, sorted(submitted.hands.items()))
    with writing(dispute.event, verb="evidence.added", by=by, key=key) as write:
        if write.repeated:
            return list(Evidence.objects.filter(pk__in=write.outcome["evidence"]))
        _require_evidence_allowed(load_dispute(dispute.event, dispute.pk), len(pieces))
        evidence = [Evidence(dispute=dispute, entrant=by.entrant, **piece, **write.fact_fields()) for piece in pieces]
        for row in evidence:
            if row.kind == Evidence.Kind.PHOTO:
                row.digest = digest
                row.photo.save(f"{digest}.jpg", ContentFile(picture), save=False)
            row.save()
        write.about(dispute, dispute=dispute.pk, evidence=[row.pk for row in evidence], digest=digest)
        return evidence


def _make_evidence_values(submitted: SubmittedEvidence, picture: bytes) -> list[dict[str, Any]]:
    pieces: list[dict[str, Any]] = []
    if picture:
        pieces.append({"kind": Evidence.Kind.PHOTO})
    hands = {side: list(cards) for side, cards in submitted.hands.items() if cards}
    if hands:
        _require_valid_hands(hands)
        pieces.append({"kind": Evidence.Kind.HANDS, "hands": hands})
    if submitted.words.strip():
        pieces.append({"kind": Evidence.Kind.WORDS, "words": submitted.words.strip()})
    return pieces


def _require_valid_hands(hands: Mapping[str, list[str]]) -> None:
    all_cards = [card for cards in hands.values() for card in cards]
    unknown = [card for card in all_cards if card not in DECK]
    if unknown:
        raise DomainError(
            "bad-hands",
            _("Not a card: %(unknown)s. Write rank and suit, such as 7H or 10D.") % {"unknown": ", ".join(unknown)},
        )
    twice = sorted({card for card in all_cards if all_cards.count(card) > 1})
    if twice:
        raise DomainError(
            "bad-hands",
            _("%(twice)s is here twice, and a deck has only one. Correct the cards.") % {"twice": ", ".join(twice)},
        )
    if any(len(cards) > _MAX_CARDS for cards in hands.values()):
        raise DomainError(
            "bad-hands", _("A hand has at most %(most_cards)s cards. Correct the cards.") % {"most_cards": _MAX_CARDS}
        )


def _require_evidence_allowed(state: DisputeState, more: int) -> None:
    if state.dropped is not None:
        raise Conflict("dropped", _("This call was withdrawn. Call the director again if there is something new."))
    if state.rulings and not state.waits_for_committee:
        raise Conflict("ruled-already", _("There is a ruling already. Add anything new to an appeal."))
    if len(state.evidence) + more > _MAX_PIECES:
        raise Conflict(
            "too-many",
            _("There are %(evidence)s pieces of evidence already. Show the rest to the director.")
            % {"evidence": len(state.evidence)},
        )
