"""The pages of refusals, also for a body that nobody can read: Django's own read it once more, to look for a token."""

from inspect import unwrap

from django.views.defaults import bad_request, page_not_found, permission_denied

handler400 = unwrap(bad_request)
handler403 = unwrap(permission_denied)
handler404 = unwrap(page_not_found)
