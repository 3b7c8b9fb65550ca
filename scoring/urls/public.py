"""The public addresses: rules, rulings, cards, and the pages that verify papers."""

from django.urls import URLPattern, path

from scoring.cards import public as cards
from scoring.disputes import public as disputes
from scoring.posting import public as posting
from scoring.rulesheets import public as rulesheets
from scoring.scorekeeping import public as scorekeeping
from scoring.verification import public as verification

urlpatterns: list[URLPattern] = [
    path("handover/", cards.handover, name="handover"),
    path("offline/", cards.offline, name="offline"),
    path("sw.js", cards.service_worker, name="service_worker"),
    path("app.webmanifest", cards.web_app, name="web_app"),
    path("rules/", rulesheets.rule_sets, name="rule_sets"),
    path("rules/<slug:rules>/", rulesheets.rule_set, name="rule_set"),
    path("t/<slug:tournament>/rulings/", disputes.rulings, name="public_rulings"),
    path("t/<slug:tournament>/rulings/<int:number>/", disputes.ruling, name="public_ruling"),
    path("t/<slug:tournament>/<slug:event>/rules/", rulesheets.rules, name="rules"),
    path("t/<slug:tournament>/<slug:event>/settlement/", posting.settlement, name="settlement"),
    path("t/<slug:tournament>/<slug:event>/rounds/", scorekeeping.rounds, name="rounds"),
    path("t/<slug:tournament>/<slug:event>/rounds/wall/", scorekeeping.wall, name="rounds_wall"),
    path("t/<slug:tournament>/<slug:event>/hand/", disputes.hands, name="hands"),
    path("t/<slug:tournament>/table/<int:table>/", cards.table_now, name="table_now"),
    path("t/<slug:tournament>/<slug:event>/match/<slug:ident>/cards/", cards.match_cards, name="match_cards"),
    path("t/<slug:tournament>/<slug:event>/card/<str:token>/", cards.card, name="card"),
    path("t/<slug:tournament>/<slug:event>/card/<str:token>/pdf/", verification.card_pdf, name="card_pdf"),
    path(
        "t/<slug:tournament>/<slug:event>/card/<str:token>/version/<int:number>/",
        verification.card_version,
        name="card_version",
    ),
    path("verify/", verification.verify, name="verify_any"),
    path("verify/<str:digest>/", verification.verify, name="verify"),
]
