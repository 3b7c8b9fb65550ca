"""/t/… everybody, /my/<token>/… who signs, /desk/… staff."""

from scoring.urls import console, player, public

app_name = "scoring"
urlpatterns = [*public.urlpatterns, *player.urlpatterns, *console.urlpatterns]
