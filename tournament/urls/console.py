from django.urls import URLPattern, path

from tournament.views import (
    console_checkin,
    console_entrants,
    console_import,
    console_jobs,
    console_log,
    console_messages,
    console_prizes,
    console_receipt,
    console_settings,
    console_styleguide,
    console_today,
    public_trust,
)

urlpatterns: list[URLPattern] = [
    path("styleguide/", console_styleguide.styleguide, name="styleguide"),
    path("desk/", console_today.desk, name="desk"),
    path("desk/new/", console_settings.new_tournament, name="new_tournament"),
    path("desk/<slug:tournament>/", console_today.today, name="today"),
    path("desk/<slug:tournament>/settings/", console_settings.tournament_settings, name="tournament_settings"),
    path("desk/<slug:tournament>/new-event/", console_settings.new_event, name="new_event"),
    path("desk/<slug:tournament>/players/", console_entrants.twins, name="desk_twins"),
    path("desk/<slug:tournament>/players/<int:pk>/undo/", console_entrants.undo_twins, name="undo_twins"),
    path("desk/<slug:tournament>/log/", console_log.log, name="desk_log"),
    path("desk/<slug:tournament>/staff/", console_log.staff_page, name="desk_staff"),
    path("desk/<slug:tournament>/phones/", public_trust.phones, name="desk_phones"),
    path("desk/<slug:tournament>/remove-demo/", console_settings.remove_demo_page, name="remove_demo"),
    path("desk/<slug:tournament>/<slug:event>/settings/", console_settings.event_settings, name="desk_settings"),
    path("desk/<slug:tournament>/<slug:event>/open/", console_settings.open_event, name="open_event"),
    path("desk/<slug:tournament>/<slug:event>/", console_today.event_desk, name="desk_event"),
    path("desk/<slug:tournament>/<slug:event>/check-in/", console_checkin.checkin, name="desk_checkin"),
    path("desk/<slug:tournament>/<slug:event>/check-in/arrived/", console_checkin.arrived, name="desk_arrived"),
    path("desk/<slug:tournament>/<slug:event>/entrants/<int:number>/money/", console_checkin.money, name="desk_money"),
    path("desk/<slug:tournament>/<slug:event>/prizes/", console_prizes.prizes, name="desk_prizes"),
    path("desk/<slug:tournament>/jobs/<int:pk>/", console_jobs.job_panel, name="desk_job"),
    path("desk/<slug:tournament>/jobs/<int:pk>/file/", console_jobs.job_file, name="job_file"),
    path("desk/<slug:tournament>/<slug:event>/entrants/<int:number>/receipt/", console_receipt.receipt, name="receipt"),
    path("desk/<slug:tournament>/<slug:event>/entrants/", console_entrants.entrants, name="desk_entrants"),
    path("desk/<slug:tournament>/<slug:event>/entrants/new/", console_entrants.new_entrant, name="new_entrant"),
    path(
        "desk/<slug:tournament>/<slug:event>/entrants/approve/", console_entrants.approve_marked, name="approve_marked"
    ),
    path("desk/<slug:tournament>/<slug:event>/entrants/fill/", console_entrants.fill, name="fill_places"),
    path("desk/<slug:tournament>/<slug:event>/entrants/<int:number>/", console_entrants.entrant, name="desk_entrant"),
    path(
        "desk/<slug:tournament>/<slug:event>/entrants/<int:number>/act/", console_entrants.act, name="desk_entrant_act"
    ),
    path(
        "desk/<slug:tournament>/<slug:event>/entrants/<int:number>/substitute/",
        console_entrants.replace,
        name="desk_substitute",
    ),
    path("desk/<slug:tournament>/<slug:event>/import/", console_import.lists, name="desk_import"),
    path("desk/<slug:tournament>/<slug:event>/import/<int:pk>/", console_import.preview, name="desk_import_preview"),
    path(
        "desk/<slug:tournament>/<slug:event>/import/<int:pk>/columns/",
        console_import.columns,
        name="desk_import_columns",
    ),
    path("desk/<slug:tournament>/<slug:event>/import/<int:pk>/take/", console_import.take, name="desk_import_take"),
    path("desk/<slug:tournament>/<slug:event>/import/<int:pk>/rest/", console_import.rest, name="desk_import_rest"),
    path(
        "desk/<slug:tournament>/<slug:event>/import/<int:pk>/<int:number>/", console_import.mend, name="desk_import_row"
    ),
    path(
        "desk/<slug:tournament>/<slug:event>/import/<int:pk>/<int:number>/settle/",
        console_import.settle,
        name="desk_import_settle",
    ),
    path("desk/<slug:tournament>/<slug:event>/messages/", console_messages.write, name="desk_messages"),
    path("desk/<slug:tournament>/<slug:event>/messages/<int:pk>/", console_messages.message, name="desk_message"),
    path(
        "desk/<slug:tournament>/<slug:event>/messages/<int:pk>/told/", console_messages.told, name="desk_message_told"
    ),
    path(
        "desk/<slug:tournament>/<slug:event>/messages/<int:pk>/again/",
        console_messages.again,
        name="desk_message_again",
    ),
]
