"""The root URLconf, which includes the URLs of each app."""

from django.urls import include, path

from config.pages.error_pages import handler400, handler403, handler404, handler429, handler500
from scoring.disputes import public as rulings

__all__ = ["handler400", "handler403", "handler404", "handler429", "handler500", "urlpatterns"]

urlpatterns = [
    path(
        "t/<slug:tournament>/rulings/", rulings.show_ruling_register
    ),  # before the pages of events, because it would match as one
    path("accounts/", include("allauth.urls")),
    path("", include("tournament.urls")),
    path("", include("pairing.urls")),
    path("", include("scoring.urls")),
]
