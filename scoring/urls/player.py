"""The URLs for players, under their private link and under a score card's own address."""

from collections.abc import Callable
from typing import Any

from django.urls import URLPattern, path

from scoring.cards import public as offline
from scoring.cards.player import card, match
from scoring.disputes import player as disputes

ACTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "cut": ("cut/", card.choose_scorekeeper),
    "draw": ("draw/", card.enter_table_draw),
    "hand": ("hand/", card.enter_hand),
    "last": ("last/", card.correct_last_hand),
    "preview": ("preview/", card.preview_hand),
    "sign": ("sign/", card.sign_card),
    "call": ("call/", card.call_director_here),
    "what": ("call/what/", disputes.describe_call),
    "dispute": ("rulings/<int:dispute>/", disputes.dispute),
    "photo": ("rulings/<int:dispute>/photo/<int:evidence>/", disputes.photo),
    "announce": ("announce/", disputes.announce),
    "up": ("up-card/", card.enter_up_card),
    "confirm": ("confirm/", card.confirm_seen_hand),
    "other": ("other-figures/", card.enter_other_figures),
    "take": ("take/", card.accept_figures),
    "deck": ("new-deck/", card.take_new_deck),
}
"""A player's actions on a score card, with the same URLs under a private link and under the card's address."""

urlpatterns: list[URLPattern] = [
    path("my/<str:token>/match/", match.show_own_match, name="my_match"),
    path("my/<str:token>/app.webmanifest", offline.serve_own_manifest, name="my_web_app"),
    path("my/<str:token>/card/<str:card>/", card.show_own_card, name="my_card"),
    *[path(f"my/<str:token>/card/<str:card>/{at}", view, name=f"my_{act}") for act, (at, view) in ACTS.items()],
    path("c/<str:card>/", card.show_table_card, name="table_card"),
    *[path(f"c/<str:card>/{at}", view, name=f"table_{act}") for act, (at, view) in ACTS.items()],
]
