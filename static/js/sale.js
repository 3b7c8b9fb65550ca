/* A sale by keyboard, and what was counted as it is typed. The server reckons again what is sent.

   data-sale          link of a row: where its entry is paid; “$” or F4 follows it. Without a row it takes the first that
                      was searched for, else the first marked "owes"
   data-pool-key      a side pool or an extra, by this key in the sale or out of it; its data-pool-cents go into the amount, or out of it
   data-to-pay, data-given   fields of one form; data-change inside it says the change, in data-currency
   data-donation      what is given on top of the amount, in the same form
   data-withheld      what is withheld, an amount or a percent; data-handed in its form says the rest of data-prize-cents, in data-currency
   data-piece         field of so many bills or coins of these cents; data-pieces-total in its form says their sum
*/
(() => {
  "use strict";

  const said = (cents, currency) =>
    new Intl.NumberFormat(document.documentElement.lang || "en-US", { style: "currency", currency }).format(cents / 100);

  function centsOf(field) {
    let text = field.value.replace(/[$\s]/g, "");
    if (/^-?\d*,\d{1,2}$/.test(text)) text = text.replace(",", ".");
    text = text.replaceAll(",", "");
    return /^-?(\d+\.?\d*|\.\d+)$/.test(text) ? Math.round(parseFloat(text) * 100) : null;
  }

  function sayChange(place) {
    const form = place.closest("form");
    const given = centsOf(form.querySelector("[data-given]"));
    const toPay = centsOf(form.querySelector("[data-to-pay]"));
    const donated = form.querySelector("[data-donation]");
    const donation = (donated && centsOf(donated)) ?? 0;
    const amount = toPay === null && donation ? 0 : toPay;
    const change = given === null || amount === null ? null : given - amount - donation;
    place.hidden = change === null;
    if (change === null) return;
    place.querySelector("[data-change-amount]").textContent = said(Math.max(change, 0), place.dataset.currency);
    place.classList.toggle("is-short", change < 0);
    place.querySelector("[data-change-short]").hidden = change >= 0;
  }

  function withheldOf(field, prize) {
    const percent = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(field.value);
    return percent ? Math.round((prize * parseFloat(percent[1])) / 100) : centsOf(field);
  }

  function sayHanded(place) {
    const prize = Number(place.dataset.prizeCents);
    const withheld = withheldOf(place.closest("form").querySelector("[data-withheld]"), prize);
    place.hidden = withheld === null;
    if (withheld === null) return;
    place.querySelector("[data-handed-amount]").textContent = said(prize - withheld, place.dataset.currency);
    place.querySelector("[data-handed-rest]").hidden = withheld > prize;
    place.querySelector("[data-handed-short]").hidden = withheld <= prize;
  }

  function sayTotal(place) {
    const fields = [...place.closest("form").querySelectorAll("[data-piece]")];
    const cents = fields.reduce((sum, field) => sum + Number(field.dataset.piece) * (parseInt(field.value, 10) || 0), 0);
    place.textContent = said(cents, place.dataset.currency);
  }

  for (const place of document.querySelectorAll("[data-change]")) {
    place.closest("form").addEventListener("input", () => sayChange(place));
    sayChange(place);
  }
  for (const place of document.querySelectorAll("[data-pieces-total]")) {
    place.closest("form").addEventListener("input", () => sayTotal(place));
    sayTotal(place);
  }

  for (const place of document.querySelectorAll("[data-handed]")) {
    place.closest("form").addEventListener("input", () => sayHanded(place));
    sayHanded(place);
  }

  const takePool = (box) => {
    const field = box.closest("form").querySelector("[data-to-pay]");
    const cents = (centsOf(field) ?? 0) + (box.checked ? 1 : -1) * Number(box.dataset.poolCents);
    field.value = (Math.max(cents, 0) / 100).toFixed(2);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  for (const box of document.querySelectorAll("[data-pool-key]")) box.addEventListener("change", () => takePool(box));
  document.addEventListener("keydown", (event) => {
    const box = document.querySelector(`[data-pool-key="${CSS.escape(event.key)}"]`);
    if (!box || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    box.click();
  });

  // Before the list's own keys: there a letter would be searched for.
  document.addEventListener(
    "keydown",
    (event) => {
      if ((event.key !== "$" && event.key !== "F4") || event.ctrlKey || event.altKey || event.metaKey) return;
      const row = event.target.closest("tr");
      const searched = document.querySelector("[data-query]")?.dataset.query;
      const wanted = row || searched ? "[data-sale]" : '[data-sale="owes"]';
      const link = (row ?? document).querySelector(wanted);
      if (!link) return;
      event.preventDefault();
      event.stopPropagation();
      link.click();
    },
    true,
  );
})();
