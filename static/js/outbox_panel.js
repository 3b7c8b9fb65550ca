/* What stands on a card page about the hands that this phone keeps (scoring/cards/offline/outbox.html).

   data-outbox        the part; its data-… say which card and seat, data-word-… are its sentences
   data-offline-ready on the part: a hand can be entered without the network from now on
   data-outbox-…      off, asof, open, said, refused, hands: parts of it that are shown when they have something to say
*/
(() => {
  "use strict";

  const { store, sender, form, qr } = window.outbox;
  const part = document.querySelector("[data-outbox]");
  const piece = (name) => part.querySelector(`[data-outbox-${name}]`);
  const words = (name) => part.getAttribute(`data-word-${name}`);
  const put = (text, values) => text.replace(/\{(\w+)\}/g, (_whole, name) => values[name]);
  /* By its number, or by the name that the game has for it: “Hand with 3s wild”. */
  const named = (own, number) => own.lines?.[number - 1] || `${own.lineName} ${number}`;
  const OLD = 3 * 24 * 3600 * 1000;
  let box = null;

  const boxOf = () => {
    const told = part.dataset;
    return {
      id: `${told.card}/${told.entrant}`, card: told.card, entrant: Number(told.entrant), key: told.key, url: told.url,
      hands: Number(told.hands), at: Number(document.documentElement.dataset.keptAt) || Math.round(performance.timeOrigin), cardUrl: told.cardUrl, handUrl: told.handUrl,
      lastUrl: told.lastUrl, handoverUrl: new URL(told.handoverUrl, location.href).href, name: told.name,
      lineName: told.lineName, lines: (told.lines ?? "").split("|"), probe: told.probe,
    };
  };

  function say(text, name = "said") {
    const place = piece(name);
    place.textContent = text;
    place.closest("[data-outbox-part]").hidden = !text;
    if (text && name === "said") document.dispatchEvent(new CustomEvent("announce", { detail: { text } }));
  }

  /* --- The list --- */

  const make = (template) => document.getElementById(template).content.firstElementChild.cloneNode(true);

  /* `ahead`: the hand of the same card that goes first. */
  function showHand(hand, own, ahead) {
    const line = make("outbox-hand");
    const slot = (name) => line.querySelector(`[data-slot="${name}"]`);
    const values = { line: named(own, hand.hand), ahead: ahead && named(own, ahead.hand) };
    const state = hand.refused ? "refused" : ahead?.refused ? "waits" : "kept";
    slot("title").textContent = put(words(state), values);
    slot("whose").textContent = own.id === box.id ? "" : own.name;
    slot("words").textContent = hand.words;
    if (hand.refused) showRefusal(line, slot, hand, own);
    line.querySelector('[data-do="correct"]').href = `${own.handUrl}#kept-${hand.id}`;
    line.querySelector('[data-do="drop"]').onclick = () => drop(hand, own);
    return line;
  }

  function showRefusal(line, slot, hand, own) {
    const { code, message } = hand.refused;
    slot("message").textContent = message;
    slot("reason").hidden = code !== "improbable";
    slot("both").hidden = !hand.refused.on_card;
    const isTaken = code === "hand-taken" && Boolean(hand.refused.on_card);
    slot("next").hidden = !isTaken;
    slot("words").hidden = Boolean(hand.refused.on_card);
    line.querySelector('[data-do="correct"]').hidden = Boolean(hand.refused.on_card);
    if (hand.refused.on_card) line.querySelector('[data-do="drop"]').textContent = words("theirs");
    slot("on-card").textContent = hand.refused.on_card ?? "";
    slot("typed").textContent = hand.refused.typed ?? "";
    line.querySelector('[data-do="card"]').href = own.lastUrl;
    if (isTaken) {
      line.querySelector('[data-do="next"]').textContent = put(words("next"), { line: named(own, hand.refused.hands + 1) });
      line.querySelector('[data-do="next"]').onclick = () => renumber(hand, own);
    }
    slot("reason").onsubmit = (event) => {
      event.preventDefault();
      give(hand, event.target.elements.why.value);
    };
  }

  function aheadOf(hand, kept) {
    const first = kept.find((other) => other.box === hand.box);
    return first === hand ? null : first;
  }

  async function show() {
    const kept = await store.all();
    const boxes = new Map((await store.boxes()).map((one) => [one.id, one]));
    const known = kept.filter((hand) => boxes.has(hand.box));
    // Somebody who types a reason is not disturbed.
    if (!part.querySelector("form :focus")) {
      piece("hands").replaceChildren(...known.map((hand) => showHand(hand, boxes.get(hand.box), aheadOf(hand, known))));
    }
    piece("kept").hidden = !known.length;
    piece("count").textContent = put(words("count"), { count: known.length });
    nameNext(known.filter((hand) => hand.box === box.id));
    say(sender.isOff ? words("off") : sender.lacksCard && known.length ? words("nocard") : "", "off");
    say((sender.isOff || known.some((hand) => !hand.refused)) && !window.outbox.guard.canReopen() ? words("open") : "", "open");
    if (!sender.isOff) say("", "asof");
    part.hidden = !part.querySelector("[data-outbox-part]:not([hidden])") && !known.length;
  }

  /* The key of the next hand counts those that are kept, too. One that the card did not accept is entered again first. */
  function nameNext(own) {
    const key = document.querySelector(`[data-live-panel] a[href^="${box.handUrl}"]`);
    const up = document.querySelector("[data-live-panel] .up-card"); // it would be that of a hand that is played
    if (up) up.hidden = own.length > 0;
    if (!key || !own.length) return;
    const refused = store.toPutRight(own);
    const name = named(box, refused ? refused.hand : Math.max(...own.map((hand) => hand.hand)) + 1);
    key.textContent = put(words(refused ? "correct" : "enter"), { line: name.charAt(0).toLowerCase() + name.slice(1) });
    key.href = refused ? `${box.handUrl}#kept-${refused.id}` : box.handUrl;
  }

  /* --- What can be done with a hand --- */

  async function drop(hand, own) {
    if (!(await ask(put(words("drop"), { line: named(own, hand.hand) })))) return;
    await store.remove(hand.id);
    const { hands } = (await store.boxes()).find((other) => other.id === own.id) ?? own;
    await store.close(own.id, hands);
    sender.flush({ again: true });
  }

  async function renumber(hand, own) {
    await store.shift(own.id, hand.hand, hand.refused.hands + 1 - hand.hand);
    sender.flush({ again: true });
  }

  async function give(hand, why) {
    const fields = new URLSearchParams(hand.fields);
    fields.set("override", why);
    document.activeElement?.blur();
    await store.put({ ...hand, key: sender.keyOf(), fields: fields.toString(), refused: null });
    sender.flush({});
  }

  function ask(question, yes = "") {
    const dialog = document.getElementById("confirm-template").content.firstElementChild.cloneNode(true);
    dialog.querySelector("#confirm-question").textContent = question;
    if (yes) dialog.querySelector('[value="yes"]').textContent = yes;
    document.body.append(dialog);
    dialog.showModal();
    return new Promise((resolve) => dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    }));
  }

  async function askWhether(shown, { next, other }) {
    const values = { line: named(box, shown), next };
    const yes = await ask(`${put(words("again"), values)}${other ? ` (${other.words})` : ""}`, put(words("next"), { line: named(box, next) }));
    if (!yes) say(put(words("forgotten"), values));
    return yes;
  }

  async function showQr() {
    for (const one of await store.boxes()) {
      const kept = await store.hands(one.id);
      if (kept.length) return qr.show(qr.linksOf(one, kept));
    }
  }

  /* “#recorded-…” is the key of a hand that the plain form brought to the card: it was kept here when it was refused. */
  async function forgetRecorded() {
    const [, key] = location.hash.match(/^#recorded-([\w-]+)$/) ?? [];
    if (!key) return;
    const kept = (await store.all()).find((hand) => hand.key === key);
    if (kept) await store.remove(kept.id);
    history.replaceState(null, "", location.pathname);
  }

  /* Cards of days ago that nothing is kept for. */
  async function tidy() {
    for (const old of await store.boxes()) {
      const isOld = old.id !== box.id && old.at < Date.now() - OLD;
      if (isOld && !(await store.hands(old.id)).length) await store.forget(old.id);
    }
  }

  /* --- What the live panel says --- */

  async function refresh() {
    if (!(await store.all()).length) say(words("sent"));
    const panel = document.querySelector("[data-live-panel]");
    if (panel) window.htmx.ajax("GET", panel.dataset.livePanel, { source: panel, target: panel, swap: "innerHTML" }).catch(() => {});
  }

  async function hear(event) {
    const told = event.target.querySelector?.("[data-hands]");
    if (!told) return;
    sender.setOff(false);
    box = await store.remember({ ...box, hands: Number(told.dataset.hands), at: Date.now() });
    await show();
    // What the card refused was perhaps put right by somebody else.
    const refused = store.toPutRight(await store.hands(box.id));
    if (refused?.hand <= box.hands) await sender.flush({ again: true });
    await makeReady();
  }

  /* That a preview or a panel could not be fetched is no news of its own: the page says that there is no network. */
  function unheard(event) {
    event.stopPropagation();
    sender.setOff(true);
    document.getElementById("preview")?.replaceChildren(words("uncounted"));
  }

  /* Where a service worker can open the card again, it says so itself when it is ready (js/outbox_pages.js). */
  async function makeReady() {
    if (window.outbox.guard.canReopen()) return;
    if (await form.fetchForm(box) && !navigator.serviceWorker) part.dataset.offlineReady = "";
  }

  async function start() {
    if (!(await store.open())) {
      part.hidden = false;
      form.letGo();
      return say(words("cannot"));
    }
    box = await store.remember(boxOf());
    const keptAt = Number(document.documentElement.dataset.keptAt);
    if (keptAt) {
      sender.setOff(true);
      document.getElementById("messages")?.replaceChildren(); // what was said when the page was kept
      const clock = window.venueClock(new Date(keptAt));
      say(put(words("asof"), { clock }), "asof");
    }
    document.addEventListener("outbox", show);
    document.addEventListener("outbox-sent", refresh);
    document.addEventListener("htmx:afterSettle", hear);
    document.addEventListener("outbox-said", (event) => say(event.detail));
    document.addEventListener("outbox-replaced", ({ detail: { box: own, hand } }) =>
      say(put(words("replaced"), { line: named(own, hand.hand) })));
    piece("send").onclick = () => sender.flush({ again: true });
    piece("qr").onclick = showQr;
    window.outbox.guard.start(box);
    await forgetRecorded();
    form.bindAll(box);
    await tidy();
    await show();
    await sender.flush({ again: true });
    await makeReady();
  }

  window.outbox.panel = {
    askWhether,
    say,
    words,
    keptOne: (hand) => say(put(words("keptone"), { line: named(box, hand.hand) })),
  };
  if (part) {
    document.addEventListener("htmx:sendError", unheard, true);
    start();
  }
})();
