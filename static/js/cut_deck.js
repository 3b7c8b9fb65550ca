/* The cut of a draw (pairing/blind_draw/cut.html): keeps the order in which cards are tapped, and says it.

   data-cut-deck   the pack with its fields; the hidden field keeps the order
   data-cut-said   where it is read; data-word has %s for the cards
*/
(() => {
  "use strict";

  const SUITS = { C: "♣", D: "♦", H: "♥", S: "♠" };
  const written = (code) => code[0].replace("T", "10") + SUITS[code[1]] + "\uFE0E";

  function bind(deck) {
    const order = deck.querySelector("[name$=tapped]");
    const said = deck.querySelector("[data-cut-said]");
    const picks = [...deck.querySelectorAll("[data-hand-picker] input")];
    const checked = () => picks.filter((pick) => pick.checked).map((pick) => pick.value);
    let cards = order.value.split(" ").filter((code) => checked().includes(code));

    function show() {
      order.value = cards.join(" ");
      said.textContent = cards.length ? said.dataset.word.replace("%s", cards.map(written).join(" ")) : "";
    }

    picks.forEach((pick) => pick.addEventListener("change", () => {
      cards = cards.filter((code) => code !== pick.value);
      if (pick.checked) cards.push(pick.value);
      show();
    }));
    cards.push(...checked().filter((code) => !cards.includes(code)));
    show();
  }

  document.querySelectorAll("[data-cut-deck]").forEach(bind);
})();
