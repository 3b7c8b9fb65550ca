from django.urls import URLPattern, path

from tournament.views import (
    public_entrants,
    public_live,
    public_pages,
    public_prizes,
    public_registration,
    public_trust,
    sign_in,
)

urlpatterns: list[URLPattern] = [
    path("", public_pages.home, name="home"),
    path("sign-in/<str:token>/", sign_in.sign_in, name="sign_in"),
    path("version/<slug:tournament>/<slug:event>/", public_live.version, name="version"),
    path("trust/", public_trust.trust, name="trust"),
    path("trust/hall.crt", public_trust.certificate, name="trust_certificate"),
    path("trust/hall.mobileconfig", public_trust.profile, name="trust_profile"),
    path("t/<slug:tournament>/", public_pages.tournament_page, name="tournament"),
    path("t/<slug:tournament>/<slug:event>/", public_pages.event_page, name="event"),
    path("t/<slug:tournament>/<slug:event>/prizes/", public_prizes.prizes, name="prizes"),
    path("t/<slug:tournament>/player/<int:pk>/", public_entrants.player, name="player"),
    path("t/<slug:tournament>/<slug:event>/entrants/", public_entrants.entrants, name="entrants"),
    path("t/<slug:tournament>/<slug:event>/register/", public_registration.register, name="register"),
    path("t/<slug:tournament>/<slug:event>/register/link/", public_registration.link_again, name="link_again"),
    path("t/<slug:tournament>/<slug:event>/registered/<str:token>/", public_registration.registered, name="registered"),
]
