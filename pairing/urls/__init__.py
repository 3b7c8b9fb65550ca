"""/t/… everybody, /my/<token>/… who signs, /desk/… staff."""

from pairing.urls import console, player, public

app_name = "pairing"
urlpatterns = [*public.urlpatterns, *player.urlpatterns, *console.urlpatterns]
