"""The addresses below /api/ for programs."""

from django.urls import URLPattern, path

from scoring.cards.api import cards, offline

urlpatterns: list[URLPattern] = [
    path("api/cards/<str:token>/", cards.card, name="api_card"),
    path("api/cards/<str:token>/lines", cards.lines, name="api_lines"),
    path("api/cards/<str:token>/draws", cards.draws, name="api_draws"),
    path("api/cards/<str:token>/signatures", cards.signatures, name="api_signatures"),
    path("api/cards/<str:token>/up-cards", cards.up_cards, name="api_up_cards"),
    path("api/cards/<str:token>/checks", cards.checks, name="api_checks"),
    path("api/cards/<str:token>/kept", offline.send, name="api_kept"),
    path("api/cards/<str:token>/kept/read", offline.read, name="api_kept_read"),
]
