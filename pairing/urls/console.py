from django.urls import URLPattern, path

from pairing.views import console_draw

urlpatterns: list[URLPattern] = [
    path("desk/<slug:tournament>/<slug:event>/draw/", console_draw.draw_page, name="desk_draw"),
]
