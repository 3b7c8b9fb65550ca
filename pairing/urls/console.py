from django.urls import URLPattern, path

from pairing.views import (
    console_draw,
    console_effects,
    console_formats,
    console_results,
    console_seatings,
    console_tables,
)

EVENT = "desk/<slug:tournament>/<slug:event>/"

urlpatterns: list[URLPattern] = [
    path(f"{EVENT}draw/", console_draw.draw_page, name="desk_draw"),
    path(f"{EVENT}format/", console_formats.format_page, name="desk_format"),
    path(f"{EVENT}seatings/", console_seatings.seatings, name="desk_seatings"),
    path(f"{EVENT}tables/", console_tables.tables, name="desk_tables"),
    path(f"{EVENT}results/", console_results.results, name="desk_results"),
    path(f"{EVENT}results/<slug:ident>/", console_results.decide, name="desk_decide"),
    path(f"{EVENT}results/<slug:ident>/undo/", console_effects.undo, name="desk_undo"),
    path(f"{EVENT}out/", console_effects.out, name="desk_out"),
    path(f"{EVENT}back-in/", console_effects.back_in, name="desk_back_in"),
    path(f"{EVENT}draw/take-back/", console_effects.draw_back, name="desk_draw_back"),
    path(f"{EVENT}finish/", console_results.finish, name="desk_finish"),
    path(f"{EVENT}reopen/", console_results.reopen, name="desk_reopen"),
]
