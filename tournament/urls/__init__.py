"""/t/… everybody, /my/<token>/… who signs, /desk/… staff."""

from tournament.urls import console, player, public

app_name = "tournament"
urlpatterns = [*public.urlpatterns, *player.urlpatterns, *console.urlpatterns]
