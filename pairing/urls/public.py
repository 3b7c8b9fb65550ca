"""Public URLs of an event."""

from django.urls import URLPattern, path

from pairing.blind_draw import public as blind_draw
from pairing.desk import public as desk
from pairing.event_pages import public as event_pages
from pairing.stages.public import seatings as table_rounds
from pairing.stages.public import stages as course

EVENT = "t/<slug:tournament>/<slug:event>/"

urlpatterns: list[URLPattern] = [
    path(f"{EVENT}draw/", blind_draw.draw, name="draw"),
    path(f"{EVENT}draw/check/", blind_draw.check_draw, name="check_draw"),
    path(f"{EVENT}draw.json", blind_draw.draw_json, name="draw_json"),
    path(f"{EVENT}partners/", blind_draw.partners, name="partners"),
    path(f"{EVENT}partners/check/", blind_draw.check_partners, name="check_partners"),
    path(f"{EVENT}partners.json", blind_draw.partners_json, name="partners_json"),
    path(f"{EVENT}seatings/", table_rounds.seatings, name="seatings"),
    path(f"{EVENT}seatings.json", table_rounds.seatings_json, name="seatings_json"),
    path(f"{EVENT}stages/", course.stages, name="stages"),
    path(f"{EVENT}stages/<int:stage>/why/", course.stage_proof, name="stage_proof"),
    path(f"{EVENT}stages/<int:stage>/why.json", course.stage_proof_json, name="stage_proof_json"),
    path(f"{EVENT}groups/", course.groups, name="groups"),
    path(f"{EVENT}bracket/", event_pages.bracket, name="bracket"),
    path(f"{EVENT}match/<slug:ident>/", event_pages.match, name="match"),
    path(f"{EVENT}wall/", event_pages.wall, name="wall"),
    path(f"{EVENT}pairings/", event_pages.pairings, name="pairings"),
    path(f"{EVENT}pairings/why/", desk.proofs, name="proofs"),
    path(f"{EVENT}pairings/why/<int:pairing>/", desk.proof, name="proof"),
    path(f"{EVENT}pairings/why/<int:pairing>.json", desk.proof_json, name="proof_json"),
    path(f"{EVENT}standings/", event_pages.standings, name="standings"),
]
