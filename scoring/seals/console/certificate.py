from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.seals.forms import CertificateForm
from scoring.seals.pdf.document_signature import can_sign_documents
from scoring.seals.selectors.certificates import load_certificate
from scoring.seals.selectors.p12_files import DocumentCertificate, UnreadableCertificate
from scoring.seals.services.certificates import remove_certificate, set_certificate
from tournament.core.pages.access import ActorRequest, console_tournament
from tournament.core.pages.responses import refusals_on
from tournament.intake import CERTIFICATES, takes_files
from tournament.models import Tournament


@takes_files(CERTIFICATES)
@console_tournament("direct")
def certificate(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    """Show the certificate that signs this tournament's PDFs as documents, and let a director set or remove it."""
    if request.method == "POST" and "remove" in request.POST:
        remove_certificate(tournament, by=request.actor)
        messages.success(request, _("The certificate is removed. PDFs are no longer digitally signed."))
        return redirect("scoring:desk_certificate", tournament=tournament.slug)
    form = CertificateForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        cleaned = form.cleaned_data
        with refusals_on(form):
            made = set_certificate(tournament, cleaned["file"], cleaned["password"], by=request.actor)
            messages.success(request, _("PDFs of score cards are now digitally signed by %s.") % made.subject)
            return redirect("scoring:desk_certificate", tournament=tournament.slug)
    found: DocumentCertificate | None = None
    is_unreadable = False
    try:
        found = load_certificate(tournament)
    except UnreadableCertificate:
        is_unreadable = True
    context = {
        "form": form,
        "certificate": found,
        "is_valid": found is not None and found.is_valid(timezone.now()),
        "is_unreadable": is_unreadable,
        "is_installed": can_sign_documents(),
        "remove_fields": [{"name": "remove", "value": "1"}],
    }
    return render(request, "scoring/seals/certificate.html", context, status=422 if form.errors else 200)
