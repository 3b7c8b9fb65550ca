/* Picking cards (components/hand_picker.html): counts what is picked and keeps to data-max. */
(() => {
  "use strict";

  function count(picker) {
    const max = Number(picker.dataset.max || 0);
    const picked = picker.querySelectorAll("input:checked").length;
    const tally = picker.querySelector("[data-hand-tally]");
    if (tally) tally.textContent = tally.dataset.word.replace("%s", max ? `${picked} / ${max}` : picked);
  }

  document.addEventListener("change", (event) => {
    const picker = event.target.closest("[data-hand-picker]");
    if (!picker) return;
    const max = Number(picker.dataset.max || 0);
    if (max && picker.querySelectorAll("input:checked").length > max) event.target.checked = false;
    count(picker);
  });

  // In a row of cards the arrow keys walk; Tab goes from suit to suit.
  document.addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const row = event.target.closest(".suit-cards");
    if (!row || event.target.type !== "checkbox") return;
    const cards = [...row.querySelectorAll("input:not(:disabled)")];
    const next = cards[cards.indexOf(event.target) + (event.key === "ArrowRight" ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });

  document.querySelectorAll("[data-hand-picker]").forEach(count);
})();
