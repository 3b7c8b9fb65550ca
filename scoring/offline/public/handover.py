"""The page at /handover/#…, opened by the QR code on a phone without a network. Its script reads the address."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def handover(request: HttpRequest) -> HttpResponse:
    return render(request, "scoring/offline/handover.html")
