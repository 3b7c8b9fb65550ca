"""The tag `{% unchanging %}…{% endunchanging %}` for text that is the same on every page, rendered once per language.

It does not get the context of the page, so nothing of one page can appear on another.
"""

from typing import Any

from django import template
from django.template.base import NodeList, Parser, Token
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


class Unchanging(template.Node):
    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist
        self._rendered: dict[str | None, SafeString] = {}

    def render(self, context: template.Context) -> SafeString:
        language = get_language()
        if language not in self._rendered:
            empty: Any = template.Context()
            with empty.bind_template(context.template), empty.render_context.push_state(context.template):
                self._rendered[language] = self.nodelist.render(empty)
        return self._rendered[language]


@register.tag
def unchanging(parser: Parser, token: Token) -> Unchanging:
    nodelist = parser.parse(("endunchanging",))
    parser.delete_first_token()
    return Unchanging(nodelist)
