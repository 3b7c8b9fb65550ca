from django.urls import URLPattern, path

from tournament.core import public as core
from tournament.messages import public as messages
from tournament.money import public as money
from tournament.registration.public import entrants as registration_entrants
from tournament.registration.public import entry as registration_entry
from tournament.registration.public import links as registration_links
from tournament.setup.public import pages as setup_pages
from tournament.setup.public import sign_in as setup_sign_in
from tournament.trust import public as trust

urlpatterns: list[URLPattern] = [
    path("", setup_pages.home, name="home"),
    path("robots.txt", core.robots, name="robots"),
    path("sign-in/<str:token>/", setup_sign_in.sign_in, name="sign_in"),
    path("version/<slug:tournament>/<slug:event>/", core.version, name="version"),
    path("trust/", trust.trust, name="trust"),
    path("trust/hall.crt", trust.certificate, name="trust_certificate"),
    path("trust/hall.mobileconfig", trust.profile, name="trust_profile"),
    path("paid-by-card/", money.card_webhook, name="card_webhook"),
    path("t/<slug:tournament>/", setup_pages.tournament_page, name="tournament"),
    path("t/<slug:tournament>/<slug:event>/", setup_pages.event_page, name="event"),
    path("t/<slug:tournament>/<slug:event>/prizes/", money.prizes, name="prizes"),
    path("t/<slug:tournament>/player/<int:pk>/", registration_entrants.player, name="player"),
    path("t/<slug:tournament>/<slug:event>/wall/message/", messages.wall_message, name="wall_message"),
    path("t/<slug:tournament>/<slug:event>/entrants/", registration_entrants.entrants, name="entrants"),
    path("t/<slug:tournament>/<slug:event>/register/", registration_entry.register, name="register"),
    path("t/<slug:tournament>/<slug:event>/mine/", registration_links.mine, name="mine"),
    path("t/<slug:tournament>/<slug:event>/register/link/", registration_links.link_again, name="link_again"),
    path("t/<slug:tournament>/<slug:event>/registered/<str:token>/", registration_entry.registered, name="registered"),
]
