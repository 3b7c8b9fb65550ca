"""The map of the site: each app brings its own part."""

from django.urls import include, path

from config.pages.error_pages import handler400, handler403, handler404, handler429, handler500
from scoring.rulings import public as rulings

__all__ = ["handler400", "handler403", "handler404", "handler429", "handler500", "urlpatterns"]

urlpatterns = [
    path("t/<slug:tournament>/rulings/", rulings.rulings),  # before any event's page, for it looks like one
    path("accounts/", include("allauth.urls")),
    path("", include("tournament.urls")),
    path("", include("pairing.urls")),
    path("", include("scoring.urls")),
]
