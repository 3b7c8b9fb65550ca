/* The check page: what was published is drawn again here, on the reader's own device, and held against the record.
   #draw-record   the record as JSON            [data-check="commitment|order|places|moves"]   where each verdict goes
   #check-public  what the room saw, editable   [data-check-again]                             the key that checks again */
"use strict";

(() => {
  const record = JSON.parse(document.getElementById("draw-record").textContent);
  const field = document.getElementById("check-public");
  const words = document.getElementById("check-words").dataset;
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  function say(what, good) {
    const place = document.querySelector(`[data-check="${what}"]`);
    place.textContent = good ? `✓ ${words.good}` : `✗ ${words.bad}`;
    place.dataset.verdict = good ? "good" : "bad";
  }

  function check() {
    const again = drawAgain({ ...record, public: field.value });
    const verdicts = {
      commitment: again.commitment === record.commitment,
      order: same(again.order, record.order),
      places: same(again.places, record.places),
      moves: same(again.moves, record.moves),
    };
    Object.entries(verdicts).forEach(([what, good]) => say(what, good));
    const all = Object.values(verdicts).every(Boolean);
    const whole = document.querySelector("[data-check-all]");
    whole.textContent = all ? words.allGood : words.allBad;
    whole.dataset.verdict = all ? "good" : "bad";
    document.querySelector("[data-check-order]").textContent = again.order.join(" ");
  }

  document.querySelector("[data-check-again]").addEventListener("click", check);
  check();
})();
