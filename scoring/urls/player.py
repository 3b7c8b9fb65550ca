from collections.abc import Callable
from typing import Any

from django.urls import URLPattern, path

from scoring.cards.player import card as cards_card
from scoring.cards.player import match as cards_match
from scoring.disputes import player as disputes
from scoring.offline import public as offline_public

ACTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "cut": ("cut/", cards_card.cut),
    "draw": ("draw/", cards_card.table_draw),
    "hand": ("hand/", cards_card.hand),
    "last": ("last/", cards_card.last),
    "preview": ("preview/", cards_card.preview),
    "sign": ("sign/", cards_card.sign),
    "call": ("call/", cards_card.call),
    "what": ("call/what/", disputes.what),
    "dispute": ("rulings/<int:dispute>/", disputes.dispute),
    "photo": ("rulings/<int:dispute>/photo/<int:evidence>/", disputes.photo),
    "announce": ("announce/", disputes.announce),
    "up": ("up-card/", cards_card.up),
    "confirm": ("confirm/", cards_card.confirm),
    "other": ("other-figures/", cards_card.other),
    "take": ("take/", cards_card.take),
    "deck": ("new-deck/", cards_card.deck),
}
"""The acts of a player at a card, with the same addresses below a private link and below the table's own card."""

urlpatterns: list[URLPattern] = [
    path("my/<str:token>/match/", cards_match.my_match, name="my_match"),
    path("my/<str:token>/app.webmanifest", offline_public.my_web_app, name="my_web_app"),
    path("my/<str:token>/card/<str:card>/", cards_card.card, name="my_card"),
    *[path(f"my/<str:token>/card/<str:card>/{at}", view, name=f"my_{act}") for act, (at, view) in ACTS.items()],
    path("c/<str:card>/", cards_card.table_card, name="table_card"),
    *[path(f"c/<str:card>/{at}", view, name=f"table_{act}") for act, (at, view) in ACTS.items()],
]
