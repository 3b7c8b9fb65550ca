from django.urls import URLPattern, path

from scoring.views import (
    public_cards,
    public_handover,
    public_hands,
    public_rules,
    public_rulings,
    public_table,
    public_turning,
    public_verify,
    public_web_app,
)

urlpatterns: list[URLPattern] = [
    path("handover/", public_handover.handover, name="handover"),
    path("offline/", public_web_app.offline, name="offline"),
    path("sw.js", public_web_app.service_worker, name="service_worker"),
    path("app.webmanifest", public_web_app.web_app, name="web_app"),
    path("rules/", public_rules.rule_sets, name="rule_sets"),
    path("rules/<slug:rules>/", public_rules.rule_set, name="rule_set"),
    path("t/<slug:tournament>/rulings/", public_rulings.rulings, name="public_rulings"),
    path("t/<slug:tournament>/rulings/<int:number>/", public_rulings.ruling, name="public_ruling"),
    path("t/<slug:tournament>/<slug:event>/rules/", public_rules.rules, name="rules"),
    path("t/<slug:tournament>/<slug:event>/rounds/", public_turning.rounds, name="rounds"),
    path("t/<slug:tournament>/<slug:event>/rounds/wall/", public_turning.wall, name="rounds_wall"),
    path("t/<slug:tournament>/<slug:event>/hand/", public_hands.hands, name="hands"),
    path("t/<slug:tournament>/table/<int:table>/", public_table.table_now, name="table_now"),
    path("t/<slug:tournament>/<slug:event>/match/<slug:ident>/cards/", public_cards.match_cards, name="match_cards"),
    path("t/<slug:tournament>/<slug:event>/card/<str:token>/", public_cards.card, name="card"),
    path("t/<slug:tournament>/<slug:event>/card/<str:token>/pdf/", public_verify.card_pdf, name="card_pdf"),
    path(
        "t/<slug:tournament>/<slug:event>/card/<str:token>/version/<int:number>/",
        public_verify.card_version,
        name="card_version",
    ),
    path("verify/", public_verify.verify, name="verify_any"),
    path("verify/<str:digest>/", public_verify.verify, name="verify"),
]
