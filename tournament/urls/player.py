from django.urls import URLPattern, path

from tournament.registration import player as registration

urlpatterns: list[URLPattern] = [
    path("my/<str:token>/", registration.my, name="my"),
    path("my/<str:token>/withdraw/", registration.withdraw_mine, name="withdraw_mine"),
]
