"""The addresses below /api/ for programs."""

from django.urls import URLPattern, path

from scoring.cards import api

urlpatterns: list[URLPattern] = [
    path("api/cards/<str:token>/", api.read_card, name="api_card"),
    path("api/cards/<str:token>/lines", api.write_line, name="api_lines"),
    path("api/cards/<str:token>/draws", api.record_table_draw, name="api_draws"),
    path("api/cards/<str:token>/signatures", api.sign_card, name="api_signatures"),
    path("api/cards/<str:token>/up-cards", api.record_turned_card, name="api_up_cards"),
    path("api/cards/<str:token>/checks", api.check_hand, name="api_checks"),
    path("api/cards/<str:token>/kept", api.deliver_hand, name="api_kept"),
    path("api/cards/<str:token>/kept/read", api.preview_delivery, name="api_kept_read"),
]
