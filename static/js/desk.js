/* The desk by keyboard: the key that sends has the focus unless somebody is at work elsewhere; F2 goes to the numbers.

   data-first   the key that has it
*/
(() => {
  "use strict";

  const nobodyAtWork = () => !document.activeElement || document.activeElement === document.body;

  function toFirst() {
    const key = document.querySelector("[data-first]");
    if (key) key.focus({ preventScroll: true });
  }

  document.addEventListener("htmx:afterSettle", () => { if (nobodyAtWork()) toFirst(); });

  document.addEventListener("keydown", (event) => {
    if (event.key === "F2") {
      const field = document.getElementById("id_one");
      if (!field) return;
      event.preventDefault();
      field.focus();
      field.select();
    }
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) toFirst();
  });
})();
