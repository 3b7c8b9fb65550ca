from django.urls import URLPattern, path

from tournament.views import public_live, public_pages, public_prizes, sign_in

urlpatterns: list[URLPattern] = [
    path("", public_pages.home, name="home"),
    path("sign-in/<str:token>/", sign_in.sign_in, name="sign_in"),
    path("version/<slug:tournament>/<slug:event>/", public_live.version, name="version"),
    path("t/<slug:tournament>/", public_pages.tournament_page, name="tournament"),
    path("t/<slug:tournament>/<slug:event>/", public_pages.event_page, name="event"),
    path("t/<slug:tournament>/<slug:event>/prizes/", public_prizes.prizes, name="prizes"),
]
