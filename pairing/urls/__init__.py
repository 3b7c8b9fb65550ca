"""The addresses of the pairing app: /t/… is public, /my/<token>/… is for entrants, /desk/… is for staff."""

from pairing.urls import console, player, public

app_name = "pairing"
urlpatterns = [*public.urlpatterns, *player.urlpatterns, *console.urlpatterns]
