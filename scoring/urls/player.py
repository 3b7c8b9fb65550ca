from collections.abc import Callable
from typing import Any

from django.urls import URLPattern, path

from scoring.views import player_cards, player_disputes, player_keeping, player_match, public_table_card, public_web_app

ACTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "cut": ("cut/", player_cards.cut),
    "draw": ("draw/", player_cards.table_draw),
    "hand": ("hand/", player_cards.hand),
    "last": ("last/", player_cards.last),
    "preview": ("preview/", player_cards.preview),
    "sign": ("sign/", player_cards.sign),
    "call": ("call/", player_cards.call),
    "what": ("call/what/", player_disputes.what),
    "dispute": ("rulings/<int:dispute>/", player_disputes.dispute),
    "photo": ("rulings/<int:dispute>/photo/<int:evidence>/", player_disputes.photo),
    "announce": ("announce/", player_disputes.announce),
    "up": ("up-card/", player_keeping.up),
    "confirm": ("confirm/", player_keeping.confirm),
    "other": ("other-figures/", player_keeping.other),
    "take": ("take/", player_keeping.take),
    "deck": ("new-deck/", player_keeping.deck),
}
"""What a player does at a card: the same by their private link and at the table's own card."""

urlpatterns: list[URLPattern] = [
    path("my/<str:token>/match/", player_match.my_match, name="my_match"),
    path("my/<str:token>/app.webmanifest", public_web_app.my_web_app, name="my_web_app"),
    path("my/<str:token>/card/<str:card>/", player_cards.card, name="my_card"),
    *[path(f"my/<str:token>/card/<str:card>/{at}", view, name=f"my_{act}") for act, (at, view) in ACTS.items()],
    path("c/<str:card>/", public_table_card.table_card, name="table_card"),
    *[path(f"c/<str:card>/{at}", view, name=f"table_{act}") for act, (at, view) in ACTS.items()],
]
