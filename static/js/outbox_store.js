/* What this phone keeps until it is sent: hands, in the browser's own database (IndexedDB), so that neither a reload, an
   empty battery nor a second tab loses one. Each write is one transaction: two tabs never give two hands one number.

   outbox.store.open()                     → whether this browser can keep anything
   outbox.store.remember(box)              a card and seat: {id, card, entrant, key, url, hands, at, name, …}
   outbox.store.boxes(), hands(box.id)     hands in order: {id, box, key, hand, typedAt, fields, words, refused}
   outbox.store.add(box, hand, shown)      → {hand}, or {next, other} when `shown`, the number on the page, is not the next
   outbox.store.sent(hand), refuse(hand, answer)   what became of it; nothing where it was put right meanwhile: its key is new then
   outbox.store.put(hand), remove(id), shift(box.id, from, by)   a changed hand, none, other numbers from there on
   outbox.store.close(box.id, hands)       hands that wait behind a gap move up: the card, with so many, has the last word
   outbox.store.toPutRight(hands)          the first of them that the card did not accept as it was typed, or null
   outbox.store.pack(), unpack(packed)     unsent hands and their cards, to take along to another laptop (js/second_laptop.js)
   outbox.store.lease(owner, ms), release(owner)   one tab at a time, where there are no Web Locks (plain http)
*/
window.outbox = window.outbox || {};
(() => {
  "use strict";

  let database = null;
  const news = window.BroadcastChannel ? new BroadcastChannel("outbox") : null;

  const answered = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

  async function open() {
    if (database) return true;
    try {
      const request = indexedDB.open("outbox", 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("hands", { keyPath: "id", autoIncrement: true }).createIndex("box", "box");
        request.result.createObjectStore("boxes", { keyPath: "id" });
        request.result.createObjectStore("leases", { keyPath: "id" });
      };
      database = await answered(request);
      navigator.storage?.persist?.().catch(() => {});
      return true;
    } catch {
      return false;
    }
  }

  /* work(store of that name …) inside one transaction; what it gives is there once it is on the disk. */
  async function within(names, mode, work) {
    const transaction = database.transaction(names, mode, { durability: "strict" });
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
    const result = await work(...names.map((name) => transaction.objectStore(name)));
    await done;
    return result;
  }

  const inOrder = (hands) => hands.sort((a, b) => a.hand - b.hand || a.id - b.id);

  function tell() {
    document.dispatchEvent(new CustomEvent("outbox"));
    news?.postMessage("changed");
  }
  if (news) news.onmessage = () => document.dispatchEvent(new CustomEvent("outbox"));

  async function change(names, work) {
    const result = await within(names, "readwrite", work);
    tell();
    return result;
  }

  const hands = (box) => within(["hands"], "readonly", async (store) =>
    inOrder(await answered(store.index("box").getAll(box))));

  /* The newer word on how many hands the card has is the one that counts: a page out of a cache is older. */
  const remember = (box) => within(["boxes"], "readwrite", async (store) => {
    const known = await answered(store.get(box.id));
    const told = known && known.at > box.at ? { hands: known.hands, at: known.at } : {};
    const whole = { ...box, ...told };
    await answered(store.put(whole));
    return whole;
  });

  const add = (box, hand, shown) => change(["hands", "boxes"], async (store, boxes) => {
    const kept = inOrder(await answered(store.index("box").getAll(box.id)));
    const known = await answered(boxes.get(box.id));
    const next = Math.max(known?.hands ?? 0, ...kept.map((other) => other.hand)) + 1;
    if (shown !== next) return { next, other: kept.find((one) => one.hand === shown) ?? null };
    const whole = { ...hand, box: box.id, hand: next, refused: null };
    whole.id = await answered(store.add(whole));
    return { hand: whole };
  });

  const shift = (box, from, by) => change(["hands"], async (store) => {
    for (const hand of await answered(store.index("box").getAll(box))) {
      if (hand.hand >= from) await answered(store.put({ ...hand, hand: hand.hand + by, refused: null }));
    }
  });

  /* A hand that was dropped, or struck out on the card, leaves no gap. One that the card has already keeps its number. */
  const close = (box, onCard) => change(["hands"], async (store) => {
    let next = onCard + 1;
    for (const hand of inOrder(await answered(store.index("box").getAll(box)))) {
      if (hand.hand > next) await answered(store.put({ ...hand, hand: next, refused: null }));
      next = Math.max(next, Math.min(hand.hand, next) + 1);
    }
  });

  const toPutRight = (kept) => kept.find((hand) => hand.refused && hand.refused.code !== "hand-taken") ?? null;

  /* Two at once: one is put right in the form while the old one is on its way. The new figures stay. */
  const settle = (hand, work) => change(["hands"], async (store) => {
    const now = await answered(store.get(hand.id));
    if (now?.key === hand.key) await answered(work(store, now));
  });

  const lease = (owner, ms) => within(["leases"], "readwrite", async (store) => {
    const held = await answered(store.get("sending"));
    if (held && held.owner !== owner && held.until > Date.now()) return false;
    await answered(store.put({ id: "sending", owner, until: Date.now() + ms }));
    return true;
  });

  const release = (owner) => within(["leases"], "readwrite", async (store) => {
    const held = await answered(store.get("sending"));
    if (held?.owner === owner) await answered(store.delete("sending"));
  });

  /* --- To another laptop, which has another address, and so a list of its own --- */

  const PATHS = ["url", "cardUrl", "handUrl", "lastUrl", "handoverUrl", "probe"];
  const isPath = (text) => /^\/(?!\/)/.test(text);

  const pack = () => within(["hands", "boxes"], "readonly", async (store, boxes) => {
    const kept = await answered(store.getAll());
    const all = await answered(boxes.getAll());
    return {
      boxes: all.filter((box) => kept.some((hand) => hand.box === box.id))
        .map((box) => ({ ...box, handoverUrl: new URL(box.handoverUrl).pathname })),
      hands: kept.map(({ box, key, hand, typedAt, fields, words }) => ({ box, key, hand, typedAt, fields, words })),
    };
  });

  /* A hand is taken up once, even if the page is loaded again or left later, because it may have been sent or dropped
     here meanwhile. What the page of a card says about the card goes before what was brought. */
  const unpack = (packed) => change(["hands", "boxes", "leases"], async (store, boxes, leases) => {
    const taken = new Set((await answered(leases.get("brought")))?.keys);
    for (const box of packed.boxes) {
      if (!PATHS.every((name) => isPath(box[name])) || (await answered(boxes.get(box.id)))) continue;
      await answered(boxes.put({ ...box, handoverUrl: new URL(box.handoverUrl, location.href).href }));
    }
    for (const { box, key, hand, typedAt, fields, words } of packed.hands) {
      if (taken.has(key) || !(await answered(boxes.get(box)))) continue;
      taken.add(key);
      await answered(store.add({ box, key, hand: Number(hand), typedAt: Number(typedAt), fields: String(fields), words: String(words), refused: null }));
    }
    await answered(leases.put({ id: "brought", keys: [...taken] }));
  });

  window.outbox.store = {
    open, hands, remember, add, shift, close, toPutRight, lease, release, pack, unpack,
    sent: (hand) => settle(hand, (store) => store.delete(hand.id)),
    refuse: (hand, answer) => settle(hand, (store, now) => store.put({ ...now, refused: answer })),
    boxes: () => within(["boxes"], "readonly", (store) => answered(store.getAll())),
    all: async () => inOrder(await within(["hands"], "readonly", (store) => answered(store.getAll()))),
    get: (id) => within(["hands"], "readonly", (store) => answered(store.get(id))),
    put: (hand) => change(["hands"], async (store) => {
      if (await answered(store.get(hand.id))) await answered(store.put(hand)); // dropped meanwhile stays dropped
    }),
    remove: (id) => change(["hands"], (store) => answered(store.delete(id))),
    forget: (id) => change(["boxes"], (store) => answered(store.delete(id))),
  };
})();
