"""The public URLs: rules, rulings, score cards, and the pages that verify prints."""

from django.urls import URLPattern, path

from scoring.cards import public as cards
from scoring.disputes import public as disputes
from scoring.posting import public as posting
from scoring.rulesheets import public as rulesheets
from scoring.scorekeeping import public as scorekeeping
from scoring.verification import public as verification

urlpatterns: list[URLPattern] = [
    path("handover/", cards.show_handover, name="handover"),
    path("offline/", cards.show_offline_page, name="offline"),
    path("sw.js", cards.serve_worker, name="service_worker"),
    path("app.webmanifest", cards.serve_manifest, name="web_app"),
    path("rules/", rulesheets.list_rule_sets, name="rule_sets"),
    path("rules/<slug:rules>/", rulesheets.show_rule_set, name="rule_set"),
    path("t/<slug:tournament>/rulings/", disputes.rulings, name="public_rulings"),
    path("t/<slug:tournament>/rulings/<int:number>/", disputes.ruling, name="public_ruling"),
    path("t/<slug:tournament>/<slug:event>/rules/", rulesheets.show_rules, name="rules"),
    path("t/<slug:tournament>/<slug:event>/settlement/", posting.show_settlement, name="settlement"),
    path("t/<slug:tournament>/<slug:event>/rounds/", scorekeeping.show_rounds, name="rounds"),
    path("t/<slug:tournament>/<slug:event>/rounds/wall/", scorekeeping.show_rounds_wall, name="rounds_wall"),
    path("t/<slug:tournament>/<slug:event>/hand/", disputes.hands, name="hands"),
    path("t/<slug:tournament>/table/<int:table>/", cards.open_table, name="table_now"),
    path("t/<slug:tournament>/<slug:event>/match/<slug:ident>/cards/", cards.list_match_cards, name="match_cards"),
    path("t/<slug:tournament>/<slug:event>/card/<str:token>/", cards.show_card, name="card"),
    path("t/<slug:tournament>/<slug:event>/card/<str:token>/pdf/", verification.card_pdf, name="card_pdf"),
    path(
        "t/<slug:tournament>/<slug:event>/card/<str:token>/version/<int:number>/",
        verification.card_version,
        name="card_version",
    ),
    path("verify/", verification.verify, name="verify_any"),
    path("verify/<str:digest>/", verification.verify, name="verify"),
]
