from django.urls import URLPattern, path

from tournament.views import (
    console_checkin,
    console_jobs,
    console_log,
    console_prizes,
    console_receipt,
    console_settings,
    console_styleguide,
    console_today,
)

urlpatterns: list[URLPattern] = [
    path("styleguide/", console_styleguide.styleguide, name="styleguide"),
    path("desk/", console_today.desk, name="desk"),
    path("desk/new/", console_settings.new_tournament, name="new_tournament"),
    path("desk/<slug:tournament>/", console_today.today, name="today"),
    path("desk/<slug:tournament>/settings/", console_settings.tournament_settings, name="tournament_settings"),
    path("desk/<slug:tournament>/new-event/", console_settings.new_event, name="new_event"),
    path("desk/<slug:tournament>/log/", console_log.log, name="desk_log"),
    path("desk/<slug:tournament>/staff/", console_log.staff_page, name="desk_staff"),
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
    path(
        "desk/<slug:tournament>/<slug:event>/entrants/<int:number>/receipt/", console_receipt.receipt, name="receipt"
    ),
]
