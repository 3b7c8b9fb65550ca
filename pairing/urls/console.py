"""URLs of the desk, for staff."""

from django.urls import URLPattern, path

from pairing.blind_draw import console as blind_draw
from pairing.desk.console import pairings, settings, tables
from pairing.event_pages import console as event_pages
from pairing.results.console import corrections, finish
from pairing.stages.console import apart, formats
from pairing.stages.console import seatings as table_rounds
from pairing.stages.console import stages as course

EVENT = "desk/<slug:tournament>/<slug:event>/"

urlpatterns: list[URLPattern] = [
    path(f"{EVENT}draw/", blind_draw.draw_page, name="desk_draw"),
    path(f"{EVENT}apart/", apart.apart_page, name="desk_apart"),
    path(f"{EVENT}partners/", blind_draw.partners_page, name="desk_partners"),
    path(f"{EVENT}second-chance/", blind_draw.second_chance, name="second_chance"),
    path(f"{EVENT}format/", formats.format_page, name="desk_format"),
    path(f"{EVENT}stages/", course.stages, name="desk_stages"),
    path(f"{EVENT}seatings/", table_rounds.seatings, name="desk_seatings"),
    path(f"{EVENT}tables/", tables.tables_page, name="desk_tables"),
    path(f"{EVENT}pairing/", pairings.pairings_page, name="desk_pairing"),
    path(f"{EVENT}pairing/by-hand/", pairings.pair_by_hand, name="desk_by_hand"),
    path(f"{EVENT}pairing/penalty/", corrections.penalty, name="desk_penalty"),
    path(f"{EVENT}pairing/bye/", corrections.bye, name="desk_bye"),
    path(f"{EVENT}pairing/settings/", settings.settings_page, name="desk_pairing_settings"),
    path(f"{EVENT}pairing/<int:pairing>/take-back/", pairings.undo_pairings_page, name="desk_take_back"),
    path(f"{EVENT}results/", event_pages.results, name="desk_results"),
    path(f"{EVENT}results/<slug:ident>/", event_pages.decide, name="desk_decide"),
    path(f"{EVENT}results/<slug:ident>/undo/", corrections.undo, name="desk_undo"),
    path(f"{EVENT}out/", corrections.remove, name="desk_out"),
    path(f"{EVENT}back-in/", corrections.bring_back, name="desk_back_in"),
    path(f"{EVENT}draw/take-back/", corrections.undo_step, {"what": "draw"}, name="desk_draw_back"),
    path(f"{EVENT}stages/take-back/", corrections.undo_step, {"what": "stage"}, name="desk_stage_back"),
    path(f"{EVENT}stages/late/", corrections.join, name="desk_late"),
    path(f"{EVENT}late/", finish.add_late_entry, name="desk_late_bye"),
    path(f"{EVENT}late/back/", finish.undo_late_entry, name="desk_late_bye_back"),
    path(f"{EVENT}seatings/take-back/", corrections.undo_step, {"what": "seating"}, name="desk_seating_back"),
    path(f"{EVENT}finish/", finish.finish, name="desk_finish"),
    path(f"{EVENT}end-early/", finish.end_early, name="desk_end_early"),
    path(f"{EVENT}call-off/", finish.call_off, name="desk_call_off"),
    path(f"{EVENT}reopen/", finish.reopen, name="desk_reopen"),
]
