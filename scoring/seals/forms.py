from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.intake import CERTIFICATES


class CertificateForm(forms.Form):
    file = forms.FileField(
        label=_("Certificate with its private key"),
        help_text=_("A PKCS#12 file (.p12 or .pfx) from the issuer of your certificate."),
        widget=forms.FileInput(attrs={"accept": ".p12,.pfx,application/x-pkcs12"}),
    )
    password = forms.CharField(
        label=_("Password of the file"),
        required=False,
        strip=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )

    def clean_file(self) -> bytes:
        file = self.cleaned_data["file"]
        if file.size > CERTIFICATES.most_bytes:
            raise forms.ValidationError(_("This file is too large for a certificate. Choose the .p12 or .pfx file."))
        return bytes(file.read())
