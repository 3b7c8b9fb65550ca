/* Cards tapped into typed fields (scoring/disputes/hands/tap_cards.html): the field is what counts, the pack only writes into it.

   data-tap-cards   the pack, in the form it writes into
   data-tap-into    a key that says into which field the next card goes; data-most is how many it takes
*/
(() => {
  "use strict";

  const CARD = /(10|[2-9atjqk])\s*([cdhs♣♦♥♠])/gi;
  const SUITS = { "♣": "C", "♦": "D", "♥": "H", "♠": "S" };

  const codesOf = (text) =>
    [...text.matchAll(CARD)].map(([, rank, suit]) => rank.toUpperCase().replace("10", "T") + (SUITS[suit] ?? suit.toUpperCase()));
  const written = (codes) => codes.map((code) => code.replace("T", "10")).join(" ");

  function bind(pack) {
    const form = pack.closest("form");
    const keys = [...pack.querySelectorAll("[data-tap-into]")];
    const picks = [...pack.querySelectorAll("[data-hand-picker] input")];
    const fieldOf = (key) => form.elements[key.dataset.tapInto];
    const current = () => keys.find((key) => key.getAttribute("aria-pressed") === "true");

    function show() {
      const into = current();
      const own = codesOf(fieldOf(into).value);
      const hands = keys.filter((key) => key !== into && !key.dataset.most && !into.dataset.most);
      const gone = hands.flatMap((key) => codesOf(fieldOf(key).value));
      picks.forEach((pick) => {
        pick.checked = own.includes(pick.value);
        pick.disabled = gone.includes(pick.value) && !pick.checked;
      });
      keys.forEach((key) => {
        const held = codesOf(fieldOf(key).value);
        key.querySelector("[data-tap-count]").textContent = key.dataset.most ? written(held) : held.length;
      });
    }

    keys.forEach((key) => key.addEventListener("click", () => {
      keys.forEach((other) => other.setAttribute("aria-pressed", String(other === key)));
      show();
    }));
    picks.forEach((pick) => pick.addEventListener("change", () => {
      const into = current(), field = fieldOf(into);
      const others = into.dataset.most ? [] : codesOf(field.value).filter((code) => code !== pick.value);
      field.value = written(pick.checked ? [...others, pick.value] : others);
      show();
    }));
    keys.forEach((key) => fieldOf(key).addEventListener("input", show));
    pack.hidden = false;
    show();
  }

  document.querySelectorAll("[data-tap-cards]").forEach(bind);
})();
