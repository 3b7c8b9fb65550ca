from django.urls import URLPattern, path

from pairing.views import (
    console_apart,
    console_by_hand,
    console_draw,
    console_effects,
    console_ending,
    console_formats,
    console_late_byes,
    console_pages,
    console_pairing,
    console_partners,
    console_seatings,
    console_stages,
    console_tables,
)

EVENT = "desk/<slug:tournament>/<slug:event>/"

urlpatterns: list[URLPattern] = [
    path(f"{EVENT}draw/", console_draw.draw_page, name="desk_draw"),
    path(f"{EVENT}apart/", console_apart.apart_page, name="desk_apart"),
    path(f"{EVENT}partners/", console_partners.partners_page, name="desk_partners"),
    path(f"{EVENT}second-chance/", console_partners.second_chance, name="second_chance"),
    path(f"{EVENT}format/", console_formats.format_page, name="desk_format"),
    path(f"{EVENT}stages/", console_stages.stages, name="desk_stages"),
    path(f"{EVENT}seatings/", console_seatings.seatings, name="desk_seatings"),
    path(f"{EVENT}tables/", console_tables.tables, name="desk_tables"),
    path(f"{EVENT}pairing/", console_pairing.desk, name="desk_pairing"),
    path(f"{EVENT}pairing/by-hand/", console_by_hand.by_hand, name="desk_by_hand"),
    path(f"{EVENT}pairing/penalty/", console_effects.penalty, name="desk_penalty"),
    path(f"{EVENT}pairing/settings/", console_by_hand.settings, name="desk_pairing_settings"),
    path(f"{EVENT}pairing/<int:pairing>/take-back/", console_by_hand.take_back, name="desk_take_back"),
    path(f"{EVENT}results/", console_pages.results, name="desk_results"),
    path(f"{EVENT}results/<slug:ident>/", console_pages.decide, name="desk_decide"),
    path(f"{EVENT}results/<slug:ident>/undo/", console_effects.undo, name="desk_undo"),
    path(f"{EVENT}out/", console_effects.out, name="desk_out"),
    path(f"{EVENT}back-in/", console_effects.back_in, name="desk_back_in"),
    path(f"{EVENT}draw/take-back/", console_effects.back, {"what": "draw"}, name="desk_draw_back"),
    path(f"{EVENT}stages/take-back/", console_effects.back, {"what": "stage"}, name="desk_stage_back"),
    path(f"{EVENT}stages/late/", console_effects.join, name="desk_late"),
    path(f"{EVENT}late/", console_late_byes.take, name="desk_late_bye"),
    path(f"{EVENT}late/back/", console_late_byes.give_back, name="desk_late_bye_back"),
    path(f"{EVENT}seatings/take-back/", console_effects.back, {"what": "seating"}, name="desk_seating_back"),
    path(f"{EVENT}finish/", console_ending.finish, name="desk_finish"),
    path(f"{EVENT}end-early/", console_ending.end_early, name="desk_end_early"),
    path(f"{EVENT}reopen/", console_ending.reopen, name="desk_reopen"),
]
