"""This app's URLs: /t/… for everybody, /my/<token>/… for players, /desk/… for staff."""

from tournament.urls import console, player, public

app_name = "tournament"
urlpatterns = [*public.urlpatterns, *player.urlpatterns, *console.urlpatterns]
