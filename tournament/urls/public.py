from django.urls import URLPattern, path

from tournament.core import public as core
from tournament.messages import public as messages
from tournament.money import public as money
from tournament.registration import public as registration_public
from tournament.setup import public as setup_public
from tournament.setup import public as trust

urlpatterns: list[URLPattern] = [
    path("", setup_public.home, name="home"),
    path("robots.txt", core.robots, name="robots"),
    path("sign-in/<str:token>/", setup_public.sign_in, name="sign_in"),
    path("version/<slug:tournament>/<slug:event>/", core.version, name="version"),
    path("trust/", trust.trust, name="trust"),
    path("trust/hall.crt", trust.hall_certificate, name="trust_certificate"),
    path("trust/hall.mobileconfig", trust.profile, name="trust_profile"),
    path("paid-by-card/", money.card_webhook, name="card_webhook"),
    path("t/<slug:tournament>/", setup_public.tournament_page, name="tournament"),
    path("t/<slug:tournament>/<slug:event>/", setup_public.event_page, name="event"),
    path("t/<slug:tournament>/<slug:event>/prizes/", money.public_prizes, name="prizes"),
    path("t/<slug:tournament>/player/<int:pk>/", registration_public.player, name="player"),
    path("t/<slug:tournament>/<slug:event>/wall/message/", messages.wall_message, name="wall_message"),
    path("t/<slug:tournament>/<slug:event>/entrants/", registration_public.entrants, name="entrants"),
    path("t/<slug:tournament>/<slug:event>/register/", registration_public.register, name="register"),
    path("t/<slug:tournament>/<slug:event>/mine/", registration_public.mine, name="mine"),
    path("t/<slug:tournament>/<slug:event>/register/link/", registration_public.link_again, name="link_again"),
    path("t/<slug:tournament>/<slug:event>/registered/<str:token>/", registration_public.registered, name="registered"),
]
