/* Hands out of a QR code (js/outbox_qr.js), shown and brought to their card: #1~card~entrant~hand~hand…

   A hand is number.time.key.proof.fields. The site shows only what its proof fits, and records it under that same key:
   when the first phone comes back and sends it, too, nothing happens twice. */
(() => {
  "use strict";

  const part = document.querySelector("[data-handover]");
  const piece = (name) => part.querySelector(`[data-handover-${name}]`);
  const words = (name) => part.getAttribute(`data-word-${name}`);
  const put = (text, values) => text.replace(/\{(\w+)\}/g, (_whole, name) => values[name]);

  function read(fragment) {
    const [form, card, entrant, ...hands] = fragment.slice(1).split("~");
    if (form !== "1" || !hands.length) return null;
    return {
      card,
      hands: hands.map((text) => {
        const [hand, time, key, proof, ...fields] = text.split(".");
        const typed = { hand: Number(hand), typed_at: parseInt(time, 36), key, proof, fields: fields.join(".") };
        return { ...typed, entrant: Number(entrant) };
      }),
    };
  }

  async function ask(what, body) {
    try {
      const answer = await fetch(part.dataset.url.replace("CARD", encodeURIComponent(what.card)) + what.part, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: JSON.stringify(body),
      });
      return await answer.json();
    } catch {
      return null;
    }
  }

  function say(text, isGood) {
    const place = piece("said");
    place.hidden = !text;
    place.textContent = text;
    place.className = `notice ${isGood ? "success" : "error"}`;
  }

  function show(hand, told) {
    const line = document.getElementById("handover-hand").content.firstElementChild.cloneNode(true);
    const slot = (name) => line.querySelector(`[data-slot="${name}"]`);
    slot("title").textContent = put(words("hand"), { number: hand.hand });
    slot("words").textContent = told.typed ?? "";
    const stands = told.stands === "same" ? words("same") : told.stands === "taken" ? words("taken") : "";
    slot("message").textContent = told.ok ? told.refused || stands : told.message;
    slot("on-card").textContent = told.stands === "taken" ? told.on_card : "";
    piece("hands").append(line);
    return slot("message");
  }

  async function start(given) {
    const open = [];
    for (const hand of given.hands) {
      const told = await ask({ card: given.card, part: "/read" }, hand);
      if (!told) return say(words("off"), false);
      const message = show(hand, told);
      if (!told.ok) continue;
      piece("card").textContent = `${told.event} · ${told.card}`;
      piece("from").textContent = put(words("from"), { player: told.player });
      if (told.stands === "new") open.push({ hand, message });
    }
    const form = piece("form");
    form.hidden = !open.length;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      bring(given, open, form.elements.carrier.value);
    });
    if (!open.length) say(part.querySelector(".outbox-refused:not(:empty)") ? "" : words("all"), true);
  }

  async function bring(given, open, carrier) {
    while (open.length) {
      const [{ hand, message }] = open;
      const told = await ask({ card: given.card, part: "" }, { ...hand, carried_by: carrier });
      if (!told) return say(words("off"), false);
      message.textContent = told.ok ? "" : told.message;
      message.parentElement.querySelector('[data-slot="on-card"]').textContent = told.ok ? `✓ ${told.said}` : told.on_card ?? "";
      if (!told.ok) return;
      open.shift();
    }
    piece("form").hidden = true;
    say(words("all"), true);
  }

  const given = read(location.hash);
  window.addEventListener("hashchange", () => location.reload());
  if (given) start(given);
  else say(words("none"), false);
})();
