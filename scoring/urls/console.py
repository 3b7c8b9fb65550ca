"""The URLs under /desk/, for staff."""

from django.urls import URLPattern, path

from scoring.cards.console import card, closing, paper
from scoring.disputes import console as disputes
from scoring.posting import console as posting
from scoring.prints import console as prints
from scoring.rulesheets import console as rulesheets
from scoring.scorekeeping import console as scorekeeping
from scoring.seals import console as seals
from scoring.today import console as today

EVENT = "desk/<slug:tournament>/<slug:event>/"

urlpatterns: list[URLPattern] = [
    path("desk/new/paper/<slug:name>.svg", today.paper, name="ready_paper"),
    path("desk/<slug:tournament>/new-event/ready/", today.ready_events, name="ready_events"),
    path("desk/<slug:tournament>/new-event/former/", today.former_events, name="former_events"),
    path("desk/<slug:tournament>/documents/certificate/", seals.certificate, name="desk_certificate"),
    path("desk/<slug:tournament>/log/file/", seals.log_file, name="desk_log_file"),
    path(f"{EVENT}today/", today.today, name="desk_today"),
    path(f"{EVENT}prints/", prints.prints, name="desk_prints"),
    path(f"{EVENT}settlement/", posting.show_settlement_at_desk, name="desk_settlement"),
    path(f"{EVENT}settlement/print/", posting.print_settlement, name="desk_settlement_print"),
    path(f"{EVENT}rules/", rulesheets.edit_rules, name="desk_rules"),
    path(f"{EVENT}rulings/", disputes.rulings, name="desk_rulings"),
    path(f"{EVENT}rulings/open/", disputes.open_ruling, name="desk_open_ruling"),
    path(f"{EVENT}rulings/table/", disputes.at_table, name="desk_call"),
    path(f"{EVENT}rulings/committee/", disputes.committee, name="desk_committee"),
    path(f"{EVENT}rulings/<int:dispute>/", disputes.ruling, name="desk_ruling"),
    path(f"{EVENT}rulings/<int:dispute>/appeal/", disputes.appeal_ruling, name="desk_appeal"),
    path(f"{EVENT}rulings/<int:dispute>/drop/", disputes.drop, name="desk_drop_dispute"),
    path(f"{EVENT}rulings/<int:dispute>/evidence/", disputes.add_evidence_page, name="desk_add_evidence"),
    path(f"{EVENT}rulings/<int:dispute>/photo/<int:evidence>/", disputes.photo, name="desk_evidence"),
    path(f"{EVENT}rulings/<int:dispute>/slip/", disputes.slip, name="desk_ruling_slip"),
    path(f"{EVENT}rulings/<int:dispute>/refuse/", disputes.refuse, name="desk_refuse_ruling"),
    path(f"{EVENT}rulings/names/", disputes.register_names, name="desk_register_names"),
    path(f"{EVENT}begin-round/", posting.begin_next_round, name="begin_round"),
    path(f"{EVENT}start-play/", posting.start_play_at_desk, name="start_play"),
    path(f"{EVENT}hand/", disputes.hands, name="desk_hands"),
    path(f"{EVENT}rounds/", scorekeeping.open_rounds, name="desk_rounds"),
    path(f"{EVENT}whist/", scorekeeping.show_whist, name="desk_whist"),
    path(f"{EVENT}whist/<int:game>/<int:number>/", scorekeeping.enter_whist_table, name="whist_table"),
    path(f"{EVENT}worksheet/", scorekeeping.show_worksheet, name="desk_worksheet"),
    path(f"{EVENT}worksheet/sums/", scorekeeping.preview_sums, name="worksheet_sums"),
    path(f"{EVENT}worksheet/<int:line>/", scorekeeping.edit_round, name="worksheet_round"),
    path(f"{EVENT}cards/", posting.list_cards, name="desk_cards"),
    path(f"{EVENT}cards/enter/", paper.enter_card, name="desk_card"),
    path(f"{EVENT}card-terms/", posting.edit_terms, name="desk_card_terms"),
    path(f"{EVENT}entries/", posting.list_entries, name="desk_entries"),
    path(f"{EVENT}entries/<int:entry>/", posting.decide_entry, name="desk_entry_decide"),
    path(f"{EVENT}time/", closing.call_time_for_games, name="desk_time"),
    path(f"{EVENT}calls/<int:call>/answer/", posting.mark_call_answered, name="desk_answer_call"),
    path(f"{EVENT}cards/<str:token>/", card.show_card_at_desk, name="desk_card_lines"),
    path(f"{EVENT}cards/<str:token>/ruling/", disputes.open_at_card, name="desk_card_dispute"),
    path(f"{EVENT}cards/<str:token>/cut/", card.choose_scorekeeper_at_desk, name="desk_cut"),
    path(f"{EVENT}cards/<str:token>/draw/", card.enter_draw_at_desk, name="desk_draw"),
    path(f"{EVENT}cards/<str:token>/sign/", card.enter_signature, name="desk_sign"),
    path(f"{EVENT}cards/<str:token>/settle/", card.settle_hand, name="desk_settle"),
    path(f"{EVENT}cards/<str:token>/take/", card.accept_figures_at_desk, name="desk_take"),
    path(f"{EVENT}cards/<str:token>/left/", card.close_game, name="desk_left"),
    path(f"{EVENT}cards/<str:token>/reopen/", card.reopen_closed_game, name="desk_reopen"),
    path(f"{EVENT}cards/<str:token>/totals/", card.edit_totals, name="desk_totals"),
    path(f"{EVENT}cards/<str:token>/hand/<int:number>/", card.edit_hand, name="desk_hand"),
]
