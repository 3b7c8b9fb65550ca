/* Sends what is kept: card by card, hand by hand in order, each by the key it was given when it was typed.

   outbox.sender.flush({ again })         sends until nothing is left, a hand is refused, or the network is gone
                                          again: tries refused hands once more, too
   outbox.sender.tell(key)                have the next page say that this hand is recorded, whichever sender brought it
   outbox.sender.isOff                    whether the last try did not get through
   outbox.sender.lacksCard                whether the site did not know the card of the last try
   outbox.sender.asks(url, body, headers) → a JSON answer of the site, or null where there was none
   outbox.sender.proofOf(box, hand)       proves that the hand was typed at this seat, exactly so
   outbox.sender.keyOf()                  a new key
   Event "outbox" on document: something has changed.   Event "outbox-said": detail is a sentence to show
   Event "outbox-replaced": detail.hand of detail.box was put right somewhere else, and is kept no longer
*/
(() => {
  "use strict";

  const PATIENCE = 8000;
  const LEASE = 20000;
  const WAITS = [3000, 5000, 10000, 20000];
  const store = window.outbox.store;
  const me = keyOf();
  const told = new Set();
  const sender = { isOff: navigator.onLine === false, lacksCard: false };
  let tries = 0;
  let timer = null;
  let running = Promise.resolve();
  let owesRefused = false; // refused hands were to be tried while another page was sending

  function base64(bytes) {
    return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  function keyOf() {
    return base64(crypto.getRandomValues(new Uint8Array(16)));
  }

  function proofOf(box, hand) {
    const said = [box.card, box.entrant, hand.key, hand.hand, hand.typedAt, hand.fields].join("\n");
    return base64(window.Sha256.hmac(window.Sha256.bytes(box.key), window.Sha256.utf8(said)).slice(0, 16));
  }

  function bodyOf(box, hand) {
    const { key, fields } = hand;
    return { entrant: box.entrant, key, hand: hand.hand, typed_at: hand.typedAt, fields, proof: proofOf(box, hand) };
  }

  /* An answer counts only when it is the site's own: a hotel's sign-in page answers, too. */
  async function asks(url, body, headers = {}) {
    const stop = new AbortController();
    const patience = setTimeout(() => stop.abort(), PATIENCE);
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
        body: JSON.stringify(body),
        signal: stop.signal,
        redirect: "error",
      });
      const told = await answer.json();
      return told.ok === true || (told.ok === false && told.code) ? told : null;
    } catch {
      return null;
    } finally {
      clearTimeout(patience);
    }
  }

  function setOff(isOff) {
    if (sender.isOff === isOff) return;
    sender.isOff = isOff;
    document.dispatchEvent(new CustomEvent("outbox"));
  }

  function setLacksCard(lacksCard) {
    if (sender.lacksCard === lacksCard) return;
    sender.lacksCard = lacksCard;
    document.dispatchEvent(new CustomEvent("outbox"));
  }

  /* A laptop that replaces a broken one answers before it has the tournament. So a missing card is no refusal. */
  async function sendOne(box, hand) {
    const answer = await asks(box.url, bodyOf(box, hand), told.has(hand.key) ? { "X-Tell": "1" } : {});
    setOff(answer === null);
    setLacksCard(answer?.code === "no-card");
    if (answer === null) return "off";
    if (sender.lacksCard) return "later";
    if (Number.isInteger(answer.hands)) await store.remember({ ...box, hands: answer.hands, at: Date.now() });
    if (!answer.ok && answer.code === "hand-taken") return settleTaken(box, hand, answer);
    if (!answer.ok) {
      await store.refuse(hand, answer);
      return "refused";
    }
    await store.sent(hand);
    if (answer.was_there) document.dispatchEvent(new CustomEvent("outbox-said", { detail: answer.said }));
    return "sent";
  }

  /* The number of a hand follows from the card: behind a gap it moves up. One that the card refused as impossible was
     put right somewhere else when the card has another hand there. */
  async function settleTaken(box, hand, answer) {
    if (hand.hand > answer.hands + 1) {
      await store.close(box.id, answer.hands);
      return "moved";
    }
    if (hand.refused?.impossible && answer.on_card) {
      await store.sent(hand);
      document.dispatchEvent(new CustomEvent("outbox-replaced", { detail: { box, hand } }));
      return "replaced";
    }
    await store.refuse(hand, answer);
    return "refused";
  }

  /* The first hand that cannot go holds up those behind it: they are numbered after it. */
  async function sendBox(box, { again }) {
    const tried = new Set();
    for (let sent = 0; ;) {
      const first = (await store.hands(box.id))[0];
      if (!first || (first.refused && (!again || tried.has(first.id)))) return sent;
      tried.add(first.id);
      if (!navigator.locks) await store.lease(me, LEASE);
      const went = await sendOne(box, first);
      if (went === "off") return -1;
      if (went === "refused" || went === "later") return sent;
      if (went === "moved") tried.delete(first.id);
      else if (went === "sent") sent += 1;
    }
  }

  async function sendAll(how) {
    let sent = 0;
    for (const box of await store.boxes()) {
      const went = await sendBox(box, how);
      if (went < 0) break;
      sent += went;
    }
    if (sent) document.dispatchEvent(new CustomEvent("outbox-sent"));
  }

  /* Whether the work was done: another page may be sending, or was left while it sent. */
  async function alone(work) {
    if (navigator.locks) {
      return navigator.locks.request("outbox", { ifAvailable: true }, async (lock) => {
        if (lock) await work();
        return Boolean(lock);
      });
    }
    if (!(await store.lease(me, LEASE))) return false;
    try {
      await work();
    } finally {
      await store.release(me);
    }
    return true;
  }

  async function again() {
    clearTimeout(timer);
    const waiting = (await store.all()).filter((hand) => owesRefused || !hand.refused);
    if (!waiting.length && !sender.isOff) tries = 0;
    if (!waiting.length) return;
    timer = setTimeout(() => flush({}), WAITS[Math.min(tries, WAITS.length - 1)]);
    tries += 1;
  }

  async function flush(how) {
    const before = running;
    running = before.catch(() => {}).then(async () => {
      const all = { again: Boolean(how.again) || owesRefused };
      owesRefused = !(await alone(() => sendAll(all))) && all.again;
    });
    await running;
    await again();
  }

  function atOnce() {
    tries = 0;
    flush({}).catch(() => {});
  }

  window.addEventListener("online", () => { setOff(false); atOnce(); });
  window.addEventListener("offline", () => setOff(true));
  document.addEventListener("visibilitychange", () => { if (!document.hidden) atOnce(); });
  window.outbox.sender = Object.assign(sender, { flush, tell: (key) => told.add(key), asks, proofOf, keyOf, setOff });
})();
