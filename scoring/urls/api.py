"""The URLs under /api/, for programs."""

from django.urls import URLPattern, path

from scoring.cards import api

urlpatterns: list[URLPattern] = [
    path("api/cards/<str:token>/", api.send_card, name="api_card"),
    path("api/cards/<str:token>/lines", api.receive_line, name="api_lines"),
    path("api/cards/<str:token>/draws", api.receive_draw, name="api_draws"),
    path("api/cards/<str:token>/signatures", api.receive_signature, name="api_signatures"),
    path("api/cards/<str:token>/up-cards", api.receive_up_card, name="api_up_cards"),
    path("api/cards/<str:token>/checks", api.receive_check, name="api_checks"),
    path("api/cards/<str:token>/kept", api.receive_offline_hand, name="api_kept"),
    path("api/cards/<str:token>/kept/read", api.preview_offline_hand, name="api_kept_read"),
]
