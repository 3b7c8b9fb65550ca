"""The URLs of the scoring app.

/t/… is public, /my/<token>/… and /c/<card>/… are for players, /desk/… is for staff, and /api/… is for programs.
"""

from scoring.urls import api, console, player, public

app_name = "scoring"
urlpatterns = [*public.urlpatterns, *player.urlpatterns, *console.urlpatterns, *api.urlpatterns]
