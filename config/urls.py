"""The map of the site: each app brings its own part."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("", include("tournament.urls")),
    path("", include("pairing.urls")),
    path("", include("scoring.urls")),
]
