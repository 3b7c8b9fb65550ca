"""The URLs of the pairing app: /t/… for the public, /my/<token>/… for entrants, and /desk/… for staff."""

from django.urls import URLPattern, path

from pairing.blind_draw import console as blind_draw_console
from pairing.blind_draw import public as blind_draw_public
from pairing.desk import public as desk_public
from pairing.desk.console import pairings, tables
from pairing.desk.console import settings as desk_settings
from pairing.event_pages import console as event_pages_console
from pairing.event_pages import player as event_pages_player
from pairing.event_pages import public as event_pages_public
from pairing.results.console import corrections, finish
from pairing.stages.console import apart, formats
from pairing.stages.console import seatings as seatings_console
from pairing.stages.console import stages as stages_console
from pairing.stages.public import seatings as seatings_public
from pairing.stages.public import stages as stages_public

app_name = "pairing"

EVENT_PREFIX = "t/<slug:tournament>/<slug:event>/"
DESK_PREFIX = "desk/<slug:tournament>/<slug:event>/"

PUBLIC_URLS: list[URLPattern] = [
    path(f"{EVENT_PREFIX}draw/", blind_draw_public.show_public_draw, name="draw"),
    path(f"{EVENT_PREFIX}draw/check/", blind_draw_public.check_draw, name="check_draw"),
    path(f"{EVENT_PREFIX}draw.json", blind_draw_public.published_draw_json, name="draw_json"),
    path(f"{EVENT_PREFIX}partners/", blind_draw_public.show_partner_draws, name="partners"),
    path(f"{EVENT_PREFIX}partners/check/", blind_draw_public.check_partner_draw, name="check_partners"),
    path(f"{EVENT_PREFIX}partners.json", blind_draw_public.partner_draw_json, name="partners_json"),
    path(f"{EVENT_PREFIX}seatings/", seatings_public.show_seatings, name="seatings"),
    path(f"{EVENT_PREFIX}seatings.json", seatings_public.seatings_json, name="seatings_json"),
    path(f"{EVENT_PREFIX}stages/", stages_public.show_stages, name="stages"),
    path(f"{EVENT_PREFIX}stages/<int:stage>/why/", stages_public.show_stage_proof, name="stage_proof"),
    path(f"{EVENT_PREFIX}stages/<int:stage>/why.json", stages_public.stage_proof_json, name="stage_proof_json"),
    path(f"{EVENT_PREFIX}groups/", stages_public.show_groups, name="groups"),
    path(f"{EVENT_PREFIX}bracket/", event_pages_public.show_public_bracket, name="bracket"),
    path(f"{EVENT_PREFIX}match/<slug:ident>/", event_pages_public.show_public_match, name="match"),
    path(f"{EVENT_PREFIX}wall/", event_pages_public.show_wall_screen, name="wall"),
    path(f"{EVENT_PREFIX}pairings/", event_pages_public.show_public_pairings, name="pairings"),
    path(f"{EVENT_PREFIX}pairings/why/", desk_public.show_all_pairing_proofs, name="proofs"),
    path(f"{EVENT_PREFIX}pairings/why/<int:pairing>/", desk_public.show_pairing_proof, name="proof"),
    path(f"{EVENT_PREFIX}pairings/why/<int:pairing>.json", desk_public.pairing_proof_json, name="proof_json"),
    path(f"{EVENT_PREFIX}standings/", event_pages_public.show_public_standings, name="standings"),
]

PLAYER_URLS: list[URLPattern] = [
    path("my/<str:token>/path/", event_pages_player.redirect_to_entrant_matches, name="my_path")
]

CONSOLE_URLS: list[URLPattern] = [
    path(f"{DESK_PREFIX}draw/", blind_draw_console.draw_page, name="desk_draw"),
    path(f"{DESK_PREFIX}apart/", apart.keep_apart_page, name="desk_apart"),
    path(f"{DESK_PREFIX}partners/", blind_draw_console.partners_page, name="desk_partners"),
    path(f"{DESK_PREFIX}second-chance/", blind_draw_console.second_chance_page, name="second_chance"),
    path(f"{DESK_PREFIX}format/", formats.format_page, name="desk_format"),
    path(f"{DESK_PREFIX}stages/", stages_console.stages_page, name="desk_stages"),
    path(f"{DESK_PREFIX}seatings/", seatings_console.seatings_page, name="desk_seatings"),
    path(f"{DESK_PREFIX}tables/", tables.tables_page, name="desk_tables"),
    path(f"{DESK_PREFIX}pairing/", pairings.pairings_page, name="desk_pairing"),
    path(f"{DESK_PREFIX}pairing/by-hand/", pairings.pair_by_hand, name="desk_by_hand"),
    path(f"{DESK_PREFIX}pairing/penalty/", corrections.penalize_player, name="desk_penalty"),
    path(f"{DESK_PREFIX}pairing/bye/", corrections.give_player_bye, name="desk_bye"),
    path(f"{DESK_PREFIX}pairing/settings/", desk_settings.settings_page, name="desk_pairing_settings"),
    path(f"{DESK_PREFIX}pairing/<int:pairing>/take-back/", pairings.undo_pairings_page, name="desk_take_back"),
    path(f"{DESK_PREFIX}results/", event_pages_console.results_page, name="desk_results"),
    path(f"{DESK_PREFIX}results/<slug:ident>/", event_pages_console.decide_result, name="desk_decide"),
    path(f"{DESK_PREFIX}results/<slug:ident>/undo/", corrections.undo_match_result, name="desk_undo"),
    path(f"{DESK_PREFIX}out/", corrections.remove_player, name="desk_out"),
    path(f"{DESK_PREFIX}back-in/", corrections.bring_back_player, name="desk_back_in"),
    path(f"{DESK_PREFIX}draw/take-back/", corrections.undo_draw_or_stage, {"what": "draw"}, name="desk_draw_back"),
    path(f"{DESK_PREFIX}stages/take-back/", corrections.undo_draw_or_stage, {"what": "stage"}, name="desk_stage_back"),
    path(f"{DESK_PREFIX}stages/late/", corrections.add_late_entry_to_pool, name="desk_late"),
    path(f"{DESK_PREFIX}late/", finish.add_late_entry, name="desk_late_bye"),
    path(f"{DESK_PREFIX}late/back/", finish.undo_late_entry, name="desk_late_bye_back"),
    path(
        f"{DESK_PREFIX}seatings/take-back/",
        corrections.undo_draw_or_stage,
        {"what": "seating"},
        name="desk_seating_back",
    ),
    path(f"{DESK_PREFIX}finish/", finish.finish_event_page, name="desk_finish"),
    path(f"{DESK_PREFIX}end-early/", finish.end_event_early_page, name="desk_end_early"),
    path(f"{DESK_PREFIX}call-off/", finish.call_off_event_page, name="desk_call_off"),
    path(f"{DESK_PREFIX}reopen/", finish.reopen_finished_event, name="desk_reopen"),
]

urlpatterns = [*PUBLIC_URLS, *PLAYER_URLS, *CONSOLE_URLS]
