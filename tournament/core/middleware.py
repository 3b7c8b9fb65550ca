"""Refusals become pages here, once: a sentence, what to do, the way back."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from tournament.errors import DomainError


class DomainErrorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, DomainError):
            return None
        if "application/json" in request.headers.get("Accept", ""):
            answer = {"ok": False, "errors": [{"code": error.code, "path": "", "message": error.message}]}
            return JsonResponse(answer, status=error.http_status)
        if getattr(request, "htmx", False):
            messages.error(request, error.message)
        context = {"error": error, "back": request.headers.get("Referer", "/")}
        return render(request, "errors/refused.html", context, status=error.http_status)
