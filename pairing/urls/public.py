from django.urls import URLPattern, path

from pairing.views import (
    public_draws,
    public_groups,
    public_pages,
    public_pairing_proof,
    public_partners,
    public_seatings,
    public_stage_proof,
    public_stages,
)

EVENT = "t/<slug:tournament>/<slug:event>/"

urlpatterns: list[URLPattern] = [
    path(f"{EVENT}draw/", public_draws.draw, name="draw"),
    path(f"{EVENT}draw/check/", public_draws.check_draw, name="check_draw"),
    path(f"{EVENT}draw.json", public_draws.draw_json, name="draw_json"),
    path(f"{EVENT}partners/", public_partners.partners, name="partners"),
    path(f"{EVENT}partners/check/", public_partners.check_partners, name="check_partners"),
    path(f"{EVENT}partners.json", public_partners.partners_json, name="partners_json"),
    path(f"{EVENT}seatings/", public_seatings.seatings, name="seatings"),
    path(f"{EVENT}seatings.json", public_seatings.seatings_json, name="seatings_json"),
    path(f"{EVENT}stages/", public_stages.stages, name="stages"),
    path(f"{EVENT}stages/<int:stage>/why/", public_stage_proof.stage_proof, name="stage_proof"),
    path(f"{EVENT}stages/<int:stage>/why.json", public_stage_proof.stage_proof_json, name="stage_proof_json"),
    path(f"{EVENT}groups/", public_groups.groups, name="groups"),
    path(f"{EVENT}bracket/", public_pages.bracket, name="bracket"),
    path(f"{EVENT}match/<slug:ident>/", public_pages.match, name="match"),
    path(f"{EVENT}wall/", public_pages.wall, name="wall"),
    path(f"{EVENT}pairings/", public_pages.pairings, name="pairings"),
    path(f"{EVENT}pairings/why/", public_pairing_proof.proofs, name="proofs"),
    path(f"{EVENT}pairings/why/<int:pairing>/", public_pairing_proof.proof, name="proof"),
    path(f"{EVENT}pairings/why/<int:pairing>.json", public_pairing_proof.proof_json, name="proof_json"),
    path(f"{EVENT}standings/", public_pages.standings, name="standings"),
]
