"""Check that buttons, links, and fields are large enough for a thumb.

They must measure at least 44 by 44 pixels (WCAG 2.2, success criterion 2.5.5). Links in sentences are exempt. A label
around a field counts as part of the field.
"""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

LEAST: Final = 44
NEARLY: Final = 0.6
"""The number of pixels that rounding may take away."""

SMALL: Final = """
([least]) => {
    const wanted = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], label[for]";
    const inSentence = (one) => {
        if (getComputedStyle(one).display !== "inline") return false;
        const words = [...one.parentElement.childNodes].filter((node) => node !== one);
        return words.some((node) => node.textContent.trim().length > 1);
    };
    const boxOf = (one) => {
        const box = one.getBoundingClientRect();
        let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
        for (const label of one.labels ?? []) {
            const around = label.getBoundingClientRect();
            if (!label.contains(one) && !["checkbox", "radio"].includes(one.type)) continue;
            left = Math.min(left, around.left); right = Math.max(right, around.right);
            top = Math.min(top, around.top); bottom = Math.max(bottom, around.bottom);
        }
        const after = getComputedStyle(one, "::after");
        if (after.content !== "none" && after.position === "absolute") {
            left = Math.min(left, box.left + parseFloat(after.left));
            top = Math.min(top, box.top + parseFloat(after.top));
            right = Math.max(right, box.right - parseFloat(after.right));
            bottom = Math.max(bottom, box.bottom - parseFloat(after.bottom));
        }
        return [right - left, bottom - top];
    };
    const found = [];
    for (const one of document.querySelectorAll(wanted)) {
        if (one.matches("label") || one.closest("[aria-hidden=true], [inert]") || one.disabled) continue;
        const seen = one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
        const clipped = one.closest(".visually-hidden, .visually-hidden-focusable");
        if (!seen || (clipped && !(one.labels?.length))) continue;
        const [width, height] = boxOf(one);
        if (width < 2 || height < 2 || inSentence(one)) continue;
        if (width >= least && height >= least) continue;
        const said = one.outerHTML.slice(0, 110).replace(/\\s+/g, " ");
        found.push(`${Math.round(width)}×${Math.round(height)} ${one.closest("[class]")?.className ?? ""} | ${said}`);
    }
    return found;
}
"""


def small_targets(page: Page) -> list[str]:
    found: list[str] = page.evaluate(SMALL, [LEAST - NEARLY])
    return found
