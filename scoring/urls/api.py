from django.urls import URLPattern, path

from scoring.cards import api
from scoring.cards import api as cards_api
from scoring.offline import api as offline

urlpatterns: list[URLPattern] = [
    path("api/cards/<str:token>/", api.card, name="api_card"),
    path("api/cards/<str:token>/lines", api.lines, name="api_lines"),
    path("api/cards/<str:token>/draws", api.draws, name="api_draws"),
    path("api/cards/<str:token>/signatures", api.signatures, name="api_signatures"),
    path("api/cards/<str:token>/up-cards", cards_api.up_cards, name="api_up_cards"),
    path("api/cards/<str:token>/checks", cards_api.checks, name="api_checks"),
    path("api/cards/<str:token>/kept", offline.send, name="api_kept"),
    path("api/cards/<str:token>/kept/read", offline.read, name="api_kept_read"),
]
