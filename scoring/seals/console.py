"""The director's page for the certificate that signs PDFs, and the download of the sealed log."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.seals.pdf.signing import can_sign_documents
from scoring.seals.selectors.keys import load_certificate
from scoring.seals.selectors.log import write_log_file
from scoring.seals.selectors.p12_files import DocumentCertificate, UnreadableCertificate
from scoring.seals.services.sealing import remove_certificate, set_certificate
from tournament.core.pages.access import ActorRequest, staff_tournament_view
from tournament.core.pages.responses import domain_errors_as_form_errors
from tournament.intake import CERTIFICATE_FILE_LIMITS, accepts_files
from tournament.models import Tournament


class _CertificateForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Certificate with its private key"),
        help_text=gettext_lazy("A PKCS#12 file (.p12 or .pfx) from the issuer of your certificate."),
        widget=forms.FileInput(attrs={"accept": ".p12,.pfx,application/x-pkcs12"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password of the file"),
        required=False,
        strip=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )

    def clean_file(self) -> bytes:
        file = self.cleaned_data["file"]
        if file.size > CERTIFICATE_FILE_LIMITS.most_bytes:
            raise forms.ValidationError(
                gettext_lazy("This file is too large for a certificate. Choose the .p12 or .pfx file.")
            )
        return bytes(file.read())


@accepts_files(CERTIFICATE_FILE_LIMITS)
@staff_tournament_view("direct")
def edit_certificate(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    """Show the certificate that signs the tournament's PDFs. A submitted form sets or removes the certificate."""
    if request.method == "POST" and "remove" in request.POST:
        remove_certificate(tournament, by=request.actor)
        messages.success(request, _("The certificate is removed. PDFs are no longer digitally signed."))
        return redirect("scoring:desk_certificate", tournament=tournament.slug)
    form = _CertificateForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        cleaned = form.cleaned_data
        with domain_errors_as_form_errors(form):
            new = set_certificate(tournament, cleaned["file"], cleaned["password"], by=request.actor)
            messages.success(request, _("PDFs of score cards are now digitally signed by %s.") % new.subject)
            return redirect("scoring:desk_certificate", tournament=tournament.slug)
    current: DocumentCertificate | None = None
    is_unreadable = False
    try:
        current = load_certificate(tournament)
    except UnreadableCertificate:
        is_unreadable = True
    context = {
        "form": form,
        "certificate": current,
        "is_valid": current is not None and current.is_valid(timezone.now()),
        "is_unreadable": is_unreadable,
        "is_installed": can_sign_documents(),
        "remove_fields": [{"name": "remove", "value": "1"}],
    }
    return render(request, "scoring/seals/certificate.html", context, status=422 if form.errors else 200)


@staff_tournament_view("desk")
def download_log_file(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    """Download the tournament's sealed log.

    A copy stored elsewhere can prove later changes to the log on this server.
    """
    return HttpResponse(
        write_log_file(tournament),
        content_type="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="log-{tournament.slug}.jsonl"'},
    )
