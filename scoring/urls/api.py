"""The addresses below /api/ for programs."""

from django.urls import URLPattern, path

from scoring.cards import api

urlpatterns: list[URLPattern] = [
    path("api/cards/<str:token>/", api.card, name="api_card"),
    path("api/cards/<str:token>/lines", api.lines, name="api_lines"),
    path("api/cards/<str:token>/draws", api.draws, name="api_draws"),
    path("api/cards/<str:token>/signatures", api.signatures, name="api_signatures"),
    path("api/cards/<str:token>/up-cards", api.up_cards, name="api_up_cards"),
    path("api/cards/<str:token>/checks", api.checks, name="api_checks"),
    path("api/cards/<str:token>/kept", api.send, name="api_kept"),
    path("api/cards/<str:token>/kept/read", api.read, name="api_kept_read"),
]
