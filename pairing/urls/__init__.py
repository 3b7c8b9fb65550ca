"""The URLs of the pairing app: /t/… for everybody, /my/<token>/… for entrants, /desk/… for staff."""

from pairing.urls import console, player, public

app_name = "pairing"
urlpatterns = [*public.urlpatterns, *player.urlpatterns, *console.urlpatterns]
