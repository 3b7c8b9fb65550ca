from django.urls import URLPattern, path

from tournament.views import player_entry

urlpatterns: list[URLPattern] = [
    path("my/<str:token>/", player_entry.my, name="my"),
    path("my/<str:token>/withdraw/", player_entry.withdraw_mine, name="withdraw_mine"),
]
