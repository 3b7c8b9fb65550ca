"""The addresses of players: below their private link, and below the card of a table."""

from collections.abc import Callable
from typing import Any

from django.urls import URLPattern, path

from scoring.cards import public as offline
from scoring.cards.player import card, match
from scoring.disputes import player as disputes

ACTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "cut": ("cut/", card.cut),
    "draw": ("draw/", card.table_draw),
    "hand": ("hand/", card.hand),
    "last": ("last/", card.last),
    "preview": ("preview/", card.preview),
    "sign": ("sign/", card.sign),
    "call": ("call/", card.call),
    "what": ("call/what/", disputes.describe_call),
    "dispute": ("rulings/<int:dispute>/", disputes.dispute),
    "photo": ("rulings/<int:dispute>/photo/<int:evidence>/", disputes.photo),
    "announce": ("announce/", disputes.announce),
    "up": ("up-card/", card.up),
    "confirm": ("confirm/", card.confirm),
    "other": ("other-figures/", card.other),
    "take": ("take/", card.take),
    "deck": ("new-deck/", card.deck),
}
"""The acts of a player at a card, with the same addresses below a private link and below the table's own card."""

urlpatterns: list[URLPattern] = [
    path("my/<str:token>/match/", match.my_match, name="my_match"),
    path("my/<str:token>/app.webmanifest", offline.my_web_app, name="my_web_app"),
    path("my/<str:token>/card/<str:card>/", card.card, name="my_card"),
    *[path(f"my/<str:token>/card/<str:card>/{at}", view, name=f"my_{act}") for act, (at, view) in ACTS.items()],
    path("c/<str:card>/", card.table_card, name="table_card"),
    *[path(f"c/<str:card>/{at}", view, name=f"table_{act}") for act, (at, view) in ACTS.items()],
]
