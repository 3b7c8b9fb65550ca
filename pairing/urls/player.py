"""URLs of entrants, behind their private links."""

from django.urls import URLPattern, path

from pairing.event_pages import player as event_pages

urlpatterns: list[URLPattern] = [path("my/<str:token>/path/", event_pages.my_path, name="my_path")]
