"""/handover/#…: what a phone without a network shows as QR, opened by another one. The page reads its own address."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def handover(request: HttpRequest) -> HttpResponse:
    return render(request, "scoring/offline/handover.html")
