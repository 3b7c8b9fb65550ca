from django.urls import URLPattern, path

from scoring.views import (
    console_card_entry,
    console_card_lines,
    console_cards,
    console_closing,
    console_hands,
    console_prints,
    console_rounds,
    console_rules,
    console_today,
    console_turning,
    console_whist,
    console_worksheet,
)

EVENT = "desk/<slug:tournament>/<slug:event>/"

urlpatterns: list[URLPattern] = [
    path(f"{EVENT}today/", console_today.today, name="desk_today"),
    path(f"{EVENT}prints/", console_prints.prints, name="desk_prints"),
    path(f"{EVENT}rules/", console_rules.rules, name="desk_rules"),
    path(f"{EVENT}begin-round/", console_rounds.begin, name="begin_round"),
    path(f"{EVENT}start-play/", console_rules.start, name="start_play"),
    path(f"{EVENT}hand/", console_hands.hands, name="desk_hands"),
    path(f"{EVENT}rounds/", console_turning.rounds, name="desk_rounds"),
    path(f"{EVENT}whist/", console_whist.whist, name="desk_whist"),
    path(f"{EVENT}whist/<int:game>/<int:number>/", console_whist.table, name="whist_table"),
    path(f"{EVENT}worksheet/", console_worksheet.worksheet, name="desk_worksheet"),
    path(f"{EVENT}worksheet/sums/", console_worksheet.sums, name="worksheet_sums"),
    path(f"{EVENT}worksheet/<int:line>/", console_worksheet.recorded_round, name="worksheet_round"),
    path(f"{EVENT}cards/", console_cards.cards, name="desk_cards"),
    path(f"{EVENT}cards/enter/", console_card_entry.desk_card, name="desk_card"),
    path(f"{EVENT}time/", console_closing.time, name="desk_time"),
    path(f"{EVENT}calls/<int:call>/answer/", console_cards.answer, name="desk_answer_call"),
    path(f"{EVENT}cards/<str:token>/", console_card_lines.lines, name="desk_card_lines"),
    path(f"{EVENT}cards/<str:token>/cut/", console_card_lines.cut, name="desk_cut"),
    path(f"{EVENT}cards/<str:token>/sign/", console_card_lines.sign, name="desk_sign"),
    path(f"{EVENT}cards/<str:token>/settle/", console_card_lines.settle, name="desk_settle"),
    path(f"{EVENT}cards/<str:token>/take/", console_card_lines.take, name="desk_take"),
    path(f"{EVENT}cards/<str:token>/left/", console_closing.left, name="desk_left"),
    path(f"{EVENT}cards/<str:token>/reopen/", console_closing.reopen, name="desk_reopen"),
    path(f"{EVENT}cards/<str:token>/hand/<int:number>/", console_card_lines.hand, name="desk_hand"),
]
