"""The map of the site: each app brings its own part."""

from django.urls import include, path

from scoring.rulings import public as rulings

urlpatterns = [
    path("t/<slug:tournament>/rulings/", rulings.rulings),  # before any event's page, for it looks like one
    path("accounts/", include("allauth.urls")),
    path("", include("tournament.urls")),
    path("", include("pairing.urls")),
    path("", include("scoring.urls")),
]
