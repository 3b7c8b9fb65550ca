from django.urls import URLPattern, path

from scoring.api import cards, keeping, kept

urlpatterns: list[URLPattern] = [
    path("api/cards/<str:token>/", cards.card, name="api_card"),
    path("api/cards/<str:token>/lines", cards.lines, name="api_lines"),
    path("api/cards/<str:token>/draws", cards.draws, name="api_draws"),
    path("api/cards/<str:token>/signatures", cards.signatures, name="api_signatures"),
    path("api/cards/<str:token>/up-cards", keeping.up_cards, name="api_up_cards"),
    path("api/cards/<str:token>/checks", keeping.checks, name="api_checks"),
    path("api/cards/<str:token>/kept", kept.send, name="api_kept"),
    path("api/cards/<str:token>/kept/read", kept.read, name="api_kept_read"),
]
