"""/t/… everybody, /my/<token>/… and /c/<card>/… who signs, /desk/… staff, /api/… programs."""

from scoring.urls import api, console, player, public

app_name = "scoring"
urlpatterns = [*public.urlpatterns, *player.urlpatterns, *console.urlpatterns, *api.urlpatterns]
