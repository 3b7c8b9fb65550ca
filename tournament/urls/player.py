from django.urls import URLPattern, path

from tournament.money import player as money
from tournament.registration import player as registration

urlpatterns: list[URLPattern] = [
    path("my/<str:token>/", registration.my, name="my"),
    path("my/<str:token>/pay-by-card/", money.pay_by_card, name="my_pay_by_card"),
    path("my/<str:token>/pay-by-card/<str:ident>/", money.card_payment, name="my_card_payment"),
    path("my/<str:token>/withdraw/", registration.withdraw_mine, name="withdraw_mine"),
]
