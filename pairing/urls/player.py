from django.urls import URLPattern, path

from pairing.event_pages import player as knockout

urlpatterns: list[URLPattern] = [path("my/<str:token>/path/", knockout.my_path, name="my_path")]
