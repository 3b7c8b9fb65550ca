/* Check-in by keyboard: letters search, arrows move between rows, Enter checks in, Space marks several.

   data-check-in          around the list and its form
   data-row-key           key of a row; Enter on it is the browser's own click
   data-type-to-search    the field that letters go to
   data-check-in-marked   key that checks in all that are marked; data-marked-count inside it says how many
*/
(() => {
  "use strict";

  const list = document.querySelector("[data-check-in]");
  const search = document.querySelector("[data-type-to-search]");
  if (!list) return;

  const keys = () => [...list.querySelectorAll("[data-row-key]")];
  const boxOf = (key) => key.closest("tr").querySelector('input[type="checkbox"]');
  const marked = () => list.querySelectorAll('input[type="checkbox"]:checked').length;
  const isTyping = (part) => part.matches("input:not([type=checkbox]), select, textarea");

  function sayHowMany() {
    const place = list.querySelector("[data-marked-count]");
    place.textContent = marked() ? `(${marked()})` : "";
  }

  function move(from, step) {
    const all = keys();
    const next = all[Math.min(Math.max(all.indexOf(from) + step, 0), all.length - 1)];
    if (next) next.focus();
  }

  function mark(key) {
    const box = boxOf(key);
    box.checked = !box.checked;
    sayHowMany();
    move(key, 1);
  }

  function begin() {
    const here = document.activeElement;
    if (here && here !== document.body) return;
    const row = document.getElementById(location.hash.slice(1))?.closest("tr");
    const next = keys().find((key) => !row || row.compareDocumentPosition(key) & Node.DOCUMENT_POSITION_FOLLOWING);
    const first = next || keys()[0];
    if (first) first.focus({ preventScroll: !row });
  }

  list.addEventListener("change", sayHowMany);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const part = event.target;
    const key = part.closest("[data-row-key]") || (part.type === "checkbox" && part.closest("tr")?.querySelector("[data-row-key]"));
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!key && part !== search && part !== document.body) return;
      event.preventDefault();
      move(key, event.key === "ArrowDown" ? 1 : -1);
    } else if (key && event.key === " ") {
      event.preventDefault();
      mark(key);
    } else if (key && event.key === "Enter" && marked()) {
      event.preventDefault();
      list.querySelector("[data-check-in-marked]").click();
    } else if (search && event.key.length === 1 && event.key !== " " && !isTyping(part)) {
      search.focus();
      search.select();
    }
  });
  // Space clicks a key when it comes up again, in some browsers even so.
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target.closest("[data-row-key]")) event.preventDefault();
  });

  // Who has a keyboard begins at a row; on a phone nothing is focused before it is touched.
  if (matchMedia("(hover: hover)").matches) begin();
  sayHowMany();
})();
