from django.urls import URLPattern, path

from pairing.views import player_brackets

urlpatterns: list[URLPattern] = [path("my/<str:token>/path/", player_brackets.my_path, name="my_path")]
