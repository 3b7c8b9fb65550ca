"""Public pages that verify a printed document by its code or digest, or by uploading the PDF."""

from typing import Any, Final

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django_ratelimit.core import is_ratelimited
from django_ratelimit.decorators import ratelimit

from pairing.models import get_match_topic
from scoring.card_state.selectors.cards import find_card, load_card_state
from scoring.card_state.tables import (
    describe_substitutions,
    is_posted_by_officials,
    list_running_totals,
    list_signatures,
    make_sheet_context,
)
from scoring.cards.pages import set_request_event
from scoring.models import Card
from scoring.posting.selectors.card_status import load_card_status
from scoring.posting.tables import describe_card_status
from scoring.prints.pdf.card_prints import PrintRequest
from scoring.prints.pdf.signed_cards import CardToPrint, write_signed_cards
from scoring.rules.evidence.sealing import is_log_file
from scoring.seals.selectors.keys import get_installation_public_key, load_earlier_keys, load_trusted_public_keys
from scoring.seals.selectors.log import check_uploaded_log, find_log_row_by_seal_code, read_seal_code
from scoring.seals.selectors.versions import load_card_version, load_card_versions, make_version_state
from scoring.verification.pdf.file_checks import (
    FileVerdict,
    RulingInFile,
    SealedCardInFile,
    UnsealedCardInFile,
    check_pdf,
)
from scoring.verification.selectors.proofs import (
    Authenticity,
    CardProof,
    find_card_proof,
    find_card_proof_or_unknown,
    find_ruling_proof,
    normalize_typed_digest,
)
from scoring.verification.tables import (
    AUTHENTICITY_BADGES,
    describe_authenticity_counts,
    describe_stamp,
    explain_missing_seal,
    format_page_numbers,
    list_changes_between_versions,
    list_changes_since_version,
    list_corrections_since_version,
)
from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version, follow_topics
from tournament.core.pages.responses import domain_errors_as_form_errors, find_site_url
from tournament.core.pdf.lists import make_pdf_file_name
from tournament.core.selectors.left_out import LEFT_OUT_VERB
from tournament.core.selectors.log import DAY_CLOSED_VERB, FINISH_VERBS, PAYOUT_VERBS
from tournament.errors import DomainError, NotFound
from tournament.intake import UNSEALED_PRINT_FILE_LIMITS, accepts_files
from tournament.models import AuditEntry, Event

TOO_MANY_CHECKS_MESSAGE: Final = gettext_lazy("Too many checks at once. Wait a minute, then try again.")


class VerifyForm(forms.Form):
    """A form for a printed digest, a printed seal code, or a PDF."""

    digest = forms.CharField(
        label=gettext_lazy("The digest or the seal code on the paper"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("At the bottom of the paper. The first 12 characters of a digest are enough."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}),
    )
    file = forms.FileField(
        label=gettext_lazy("Or the PDF of the score card or ruling slip, or the sealed log file"),
        required=False,
        help_text=gettext_lazy("As you downloaded or received it. We check the file and do not keep it."),
        widget=forms.FileInput(attrs={"accept": "application/pdf,.pdf,.jsonl"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file = cleaned.get("file")
        if file is not None and file.size > UNSEALED_PRINT_FILE_LIMITS.most_bytes:
            larger = gettext_lazy("This file is too large. Choose the PDF of the score card or slip.")
            self.add_error("file", larger)
        if not self.errors and not cleaned.get("digest") and file is None:
            self.add_error(None, gettext_lazy("Enter the digest, or choose the PDF."))
        return cleaned


@accepts_files(UNSEALED_PRINT_FILE_LIMITS)
@never_cache
@ratelimit(key="ip", rate="120/m", method="POST", block=False)
def verify_printout(request: HttpRequest, digest: str = "") -> HttpResponse:
    """Show the page that verifies printouts.

    A submitted digest or seal code redirects to its own URL. A submitted PDF is checked immediately.
    """
    form = VerifyForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"form": form, "public": get_installation_public_key()}
    status = 200
    if request.method == "POST" and getattr(request, "limited", False):
        form.add_error(None, TOO_MANY_CHECKS_MESSAGE)
    elif request.method == "POST" and form.is_valid():
        if form.cleaned_data["file"] is None:
            try:
                typed = form.cleaned_data["digest"]
                code = read_seal_code(typed)
                return redirect("scoring:verify", digest=code[1] if code else normalize_typed_digest(typed))
            except DomainError as error:
                form.add_error("digest", error.message)
        else:
            with domain_errors_as_form_errors(form):
                context.update(_make_file_context(form.cleaned_data["file"].read()))
    elif digest:
        try:
            context.update(_make_digest_context(request, digest))
        except DomainError as error:
            context["refused"], status = error.message, 404
            form.initial = {"digest": digest}
    if context.get("standing") == Authenticity.GENUINE and (until := load_earlier_keys().get(context.get("key", ""))):
        context["earlier_until"] = until
    status = 422 if form.is_bound and form.errors else status
    return render(request, "scoring/verification/verify.html", context, status=status)


@public_event_view
def show_card_version(request: HttpRequest, event: Event, token: str, number: int) -> HttpResponse:
    """Show a card as it was when this version was signed."""
    card = _find_card(event, token)
    follow_topics(request, event, get_match_topic(card.match_id))
    return cached_by_version(_show_card_version)(request, event, card=card, number=number)


def _show_card_version(request: HttpRequest, event: Event, card: Card, number: int) -> HttpResponse:
    state = load_card_state(card)
    set_request_event(request, state.card)
    version = load_card_version(state, number)
    then, versions = make_version_state(state, version), load_card_versions(state.card)
    before = next((one for one in versions if one.number == number - 1), None)
    context = {
        "summary": describe_card_status(load_card_status(state)),
        "state": then,
        "now": state,
        "card": state.card,
        "version": version,
        "versions": versions,
        "is_last": version.digest == state.digest,
        "is_whole": then.digest == version.digest,
        "before": before,
        "changes": list_changes_between_versions(then, before, version) if before else [],
        "sheet": make_sheet_context(then),
        "running": list_running_totals(then),
        "came": describe_substitutions(then),
        "signatures": list_signatures(then),
    }
    return render(request, "scoring/verification/card_version.html", context)


@public_event_view
def serve_card_pdf(request: HttpRequest, event: Event, token: str) -> HttpResponse:
    """Return the PDF of the current card, or of an earlier version with `?version=1`."""
    state = load_card_state(_find_card(event, token))
    versions = load_card_versions(state.card)
    asked = request.GET.get("version", "")
    fitting = (one for one in versions if str(one.number) == asked or (one.digest == state.digest and not asked))
    version = next(fitting, None)
    if asked and version is None:
        raise NotFound("no-version", _("There is no signed version like this. Look at the versions of the score card."))
    shown = make_version_state(state, version) if version is not None else state
    later = version is not None and version.digest != state.digest
    order = PrintRequest(
        event, site=find_site_url(request), paper="a4" if request.GET.get("paper") == "a4" else "letter"
    )
    status = load_card_status(state)
    content = write_signed_cards(order, [CardToPrint(shown, version, later, status)], lambda done, total: None)
    number = f"version-{version.number}" if version is not None else ""
    card = f"card-{state.card.match.ident}-game-{state.card.game}"
    name = make_pdf_file_name(event.tournament, event.slug, card, number, at=timezone.now())
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="application/pdf", headers=headers)


def _find_card(event: Event, token: str) -> Card:
    card = find_card(token)
    if card.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no score card at this address. Look at the list of score cards."))
    return card


def _make_digest_context(request: HttpRequest, digest: str) -> dict[str, Any]:
    """Return the template context for a card's or ruling's digest, or for the seal code of a log."""
    if (code := read_seal_code(digest)) is not None:
        if is_ratelimited(request, group="seal-code", key="ip", rate="30/m", method="GET", increment=True):
            raise DomainError("too-many", str(TOO_MANY_CHECKS_MESSAGE))
        found = find_log_row_by_seal_code(*code)
        if found is None:
            return {"standing": Authenticity.UNKNOWN.value, "code": code[1], "sealed_log": None, "faults": []}
        entry, faults = found
        return {
            "standing": (Authenticity.ALTERED if faults else Authenticity.GENUINE).value,
            "code": code[1],
            "sealed_log": entry,
            "words": _describe_sealing_action(entry),
            "faults": [fault.message for fault in faults],
        }
    proof = find_card_proof(digest)
    ruled = find_ruling_proof(digest) if proof.authenticity is Authenticity.UNKNOWN else None
    if ruled is not None and ruled.authenticity is not Authenticity.UNKNOWN:
        return {
            "standing": ruled.authenticity.value,
            "ruled": ruled,
            "faults": [fault.message for fault in ruled.faults],
        }
    if proof.state is None:
        return {"standing": proof.authenticity.value}
    set_request_event(request, proof.state.card)
    return {"standing": proof.authenticity.value, "card": _make_card_context(proof), "key": proof.key}


def _describe_sealing_action(entry: AuditEntry) -> str:
    """Return a description, without players' names, of the logged action after which the log was sealed."""
    name = entry.event.name if entry.event is not None else ""
    if entry.verb in FINISH_VERBS:
        return _("The finish of %(event)s") % {"event": name}
    if entry.verb in PAYOUT_VERBS:
        return _("A payout of %(event)s") % {"event": name}
    if entry.verb == DAY_CLOSED_VERB:
        return _("The close of %(day)s") % {"day": entry.about}
    if entry.verb == LEFT_OUT_VERB:
        return _("An act in another event, which is not on this computer")
    return _("An act that prints no code")


def _make_card_context(proof: CardProof) -> dict[str, Any]:
    state, version = proof.state, proof.version
    assert state is not None
    whole = proof.authenticity is not Authenticity.ALTERED
    shown = make_version_state(state, version) if version is not None and whole else state
    is_replaced = version is not None and whole and proof.later_version is not None
    return {
        "proof": proof,
        "summary": describe_card_status(proof.status) if proof.status is not None else None,
        "state": shown if whole else None,
        "title": shown.score.line_with_names if whole else state.title,
        "card": state.card,
        "event": state.card.match.event,
        "version": version,
        "seal": getattr(version, "seal", None),
        "came": describe_substitutions(shown) if whole else [],
        "signatures": list_signatures(shown) if whole else [],
        "by_officials": whole and is_posted_by_officials(shown),
        "changes": list_changes_since_version(state, version) if version is not None and is_replaced else [],
        "acts": list_corrections_since_version(state, version) if version is not None and is_replaced else [],
    }


def _make_file_context(content: bytes) -> dict[str, Any]:
    if is_log_file(content):
        log = check_uploaded_log(content)
        standing = Authenticity.ALTERED if log.faults else Authenticity.GENUINE
        return {"standing": standing.value, "log": log, "faults": [fault.message for fault in log.faults]}
    verdict = check_pdf(content, load_trusted_public_keys(), find_card_proof_or_unknown)
    each = [f"{one.title}: {fault.message}" for one in verdict.parts for fault in one.faults]
    faults = [*(fault.message for fault in verdict.faults), *each]
    worst_first = sorted(verdict.parts, key=lambda one: list(Authenticity).index(one.authenticity), reverse=True)
    parts = [_make_part_context(verdict, one) for one in worst_first]
    context = {"standing": verdict.authenticity.value, "file": verdict, "faults": faults, "key": verdict.key}
    return {**context, "counted": describe_authenticity_counts(verdict), "parts": parts}


def _make_part_context(
    verdict: FileVerdict, piece: SealedCardInFile | RulingInFile | UnsealedCardInFile
) -> dict[str, Any]:
    """Return the template context for a card or ruling found in a PDF.

    If the PDF was changed, no card or ruling is shown as genuine.
    """
    word, tone = AUTHENTICITY_BADGES[piece.authenticity]
    is_marked = len(verdict.parts) > 1 and not (verdict.faults and piece.authenticity is Authenticity.GENUINE)
    part: dict[str, Any] = {"one": piece, "mark": word if is_marked else "", "tone": tone}
    if isinstance(piece, RulingInFile):
        return {**part, "ruled": piece.proof if piece.proof and piece.proof.ruling else None}
    part["stamp"] = describe_stamp(piece.stamp) if piece.stamp is not None else None
    if isinstance(piece, UnsealedCardInFile):
        return {**part, "unsigned": explain_missing_seal(piece), "pages": format_page_numbers(piece)}
    return {**part, "card": _make_card_context(piece.proof) if piece.proof and piece.proof.state else None}
