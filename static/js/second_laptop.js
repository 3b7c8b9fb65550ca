/* A page goes on at the second laptop when the first one is gone, with what this phone keeps unsent.

   <script data-worker="…" data-store="…">   js/second_laptop_worker.js and js/outbox_store.js, which it loads if needed
   <template id="laptop-notices">            its sentences (components/second_laptop.html)
   Event "laptops" on document               what the stream says about the laptops (tournament/second_laptop/live.py)
   Events "site-heard", "site-lost"          signs of life of the page's own site (js/live.js)

   The phone remembers where the second laptop is. It asks there only after its own site has not answered for a while,
   and at a time of its own, so that a full hall does not ask at once. If the second laptop has a higher epoch, and may
   write, the page is opened there: same path, so that a private link works, and #laptop=… with the hands that are not
   sent yet. A fragment is in no log. The hands also stay here, under their keys: a hand that arrives twice counts once.
*/
(() => {
  "use strict";

  const files = document.currentScript.dataset;
  const STATE = "/second-laptop/state/";
  const REMEMBERED = "laptops";
  const BROUGHT = "#laptop=";
  const READ_ONLY = ["second", "shut-out"];
  const TURN = 1000;
  const SILENCE = 20000; // the stream says something every 15 seconds
  const GONE = 10000; // so long without an answer before the second laptop is asked
  const PATIENCE = 5000;
  const PAUSE = [5000, 9000]; // between two questions, to either laptop
  const FIRST_PAUSE = [2000, 4000]; // a stream that broke off is opened again in this time
  const MOVES_WITHIN = 3000;
  const LEARN = [20000, 60000]; // a page without a stream asks its own site once
  const OLD = 24 * 3600 * 1000;
  const COOKIE_SECONDS = 30 * 24 * 3600;
  const between = ([least, most]) => least + Math.random() * (most - least);

  let known = remembered(); // {installation, epoch, second, proof, at}
  let heardAt = Date.now();
  let hasStream = false;
  let lostAt = null;
  let next = 0;
  let isAsking = false;
  let isShutOut = false;
  let isLeaving = false;
  let worker = null;

  /* --- What the phone knows --- */

  function remembered() {
    try {
      const told = JSON.parse(localStorage.getItem(REMEMBERED));
      return told && Date.now() - told.at < OLD ? told : null;
    } catch {
      return null;
    }
  }

  function remember(told) {
    known = told;
    try {
      if (told) localStorage.setItem(REMEMBERED, JSON.stringify(told));
      else localStorage.removeItem(REMEMBERED);
    } catch {
      // A browser that keeps nothing knows it as long as the page is open.
    }
  }

  /* The cookie goes along with every request, and shuts out a laptop that was replaced. */
  function carry(proof) {
    if (!/^[0-9a-f-]+$/.test(proof)) return;
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `laptop_epoch=${proof}; path=/; max-age=${COOKIE_SECONDS}; samesite=lax${secure}`;
  }

  function learn({ role, installation, epoch, proof, second }) {
    if (proof) carry(proof);
    if (role === "shut-out" && !isShutOut) next = Date.now() + Math.random() * MOVES_WITHIN;
    isShutOut = role === "shut-out";
    if (!second) return known && remember(null);
    const isNew = !known || known.second !== second || known.epoch !== epoch || known.installation !== installation;
    if (isNew || Date.now() - known.at > OLD / 24) remember({ installation, epoch, second, proof, at: Date.now() });
    prepare();
  }

  /* Everything that leaving needs is loaded while the site still answers. */
  function prepare() {
    if (worker) return;
    worker = new Worker(files.worker);
    worker.onmessage = ({ data }) => judge(data);
    loadStore();
  }

  function loadStore() {
    if (window.outbox?.store) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = files.store;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });
  }

  /* --- Notices --- */

  function show(name) {
    const shown = document.querySelector("main [data-laptop]");
    if (shown?.dataset.laptop === name) return shown;
    shown?.remove();
    const notice = document.getElementById("laptop-notices").content.querySelector(`[data-laptop="${name}"]`)?.cloneNode(true);
    const main = document.querySelector("main");
    if (notice) main.insertBefore(notice, main.querySelector(":scope > [data-live-word]")?.nextSibling ?? main.firstChild);
    return notice;
  }

  /* --- Whether the own site is gone --- */

  function hear() {
    heardAt = Date.now();
    if (!lostAt) return;
    lostAt = null;
    if (document.querySelector('main [data-laptop]:not([data-laptop="arrived"])')) show("");
  }

  function lose() {
    if (lostAt) return;
    lostAt = Date.now();
    next = Math.max(next, Date.now() + between(FIRST_PAUSE));
  }

  async function answers() {
    const stop = new AbortController();
    const patience = setTimeout(() => stop.abort(), PATIENCE);
    try {
      const told = await (await fetch(STATE, { cache: "no-store", signal: stop.signal })).json();
      if (!told.role) return false; // a hotel's sign-in page answers, too
      learn(told);
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(patience);
    }
  }

  async function turn() {
    const now = Date.now();
    if (document.hidden || isAsking || isLeaving || !known || now < next) return;
    if (!isShutOut && !lostAt && now - heardAt < SILENCE) return;
    isAsking = true;
    next = now + between(PAUSE);
    if (!isShutOut && (await answers()) && !isShutOut) hear();
    else if (!isShutOut) lostAt ??= now;
    isAsking = false;
    if (isShutOut || (lostAt && Date.now() - lostAt >= GONE)) askSecond();
  }

  function askSecond() {
    if (!known) return;
    prepare();
    const isBlocked = location.protocol === "https:" && new URL(known.second).protocol === "http:";
    if (!isBlocked) worker.postMessage(known.second);
    else if (navigator.onLine) offer("elsewhere"); // a safe page may not ask there, but people may go there
  }

  /* --- Going on at the second laptop --- */

  /* A takeover counts if its epoch is higher than that of the page's own laptop. With the same epoch, it beats a restore,
     and of two takeovers, the identity that sorts last wins (tournament/core/selectors/epochs.py). */
  function hasTakenOver(proof) {
    const [epoch, , taker] = proof.split("-");
    const [ownTakeover, , ownTaker] = (known.proof || "").split("-");
    if (Number(epoch) !== known.epoch) return Number(epoch) > known.epoch;
    return Number(ownTakeover) !== known.epoch || taker > ownTaker;
  }

  /* Where not even the second laptop answers, it is this phone that has no network. */
  function judge({ role, installation, proof }) {
    if (isLeaving || !(lostAt || isShutOut) || installation !== known?.installation) return;
    if (!hasTakenOver(proof) || READ_ONLY.includes(role)) return lostAt && show("gone");
    carry(proof);
    if (isTyping()) return offer("typed");
    isLeaving = true;
    setTimeout(leave, Math.random() * MOVES_WITHIN);
  }

  /* What is typed in a form would be lost. A hand that is recorded empties its form, and is taken along. */
  function isTyping() {
    return [...document.querySelectorAll("main :is(input, select, textarea)")].some((field) => {
      if (field.type === "hidden") return false;
      if (field.type === "checkbox" || field.type === "radio") return field.checked && !field.defaultChecked;
      if (field.options) return field.selectedIndex > 0 && !field.options[field.selectedIndex].defaultSelected;
      return field.value !== "" && field.value !== field.defaultValue;
    }) || document.querySelector("[data-signature-drawn]") !== null;
  }

  function offer(name) {
    const link = show(name).querySelector("a");
    link.href = `${known.second}${location.pathname}${location.search}`;
    link.onclick = (event) => {
      event.preventDefault();
      leave();
    };
  }

  async function leave() {
    const address = new URL(known.second);
    Object.assign(address, { pathname: location.pathname, search: location.search });
    address.hash = BROUGHT.slice(1) + encode(await takeAlong().catch(() => ({ boxes: [], hands: [] })));
    location.replace(address);
  }

  async function takeAlong() {
    await loadStore();
    return (await window.outbox.store.open()) ? window.outbox.store.pack() : { boxes: [], hands: [] };
  }

  function encode(what) {
    const letters = Array.from(new TextEncoder().encode(JSON.stringify(what)), (byte) => String.fromCharCode(byte));
    return btoa(letters.join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  function decode(text) {
    const letters = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0))));
  }

  /* --- Arriving from the first laptop --- */

  async function arrive() {
    show("arrived");
    const brought = decode(location.hash.slice(BROUGHT.length));
    if (brought.hands.length) {
      await loadStore();
      if (!(await window.outbox.store.open())) return; // the address still has them
      await window.outbox.store.unpack(brought);
    }
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    await window.outbox?.sender?.flush({ again: true });
  }

  document.addEventListener("laptops", ({ detail }) => { hasStream = true; hear(); learn(detail); });
  document.addEventListener("site-heard", () => { hasStream = true; hear(); });
  document.addEventListener("site-lost", lose);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) turn(); });
  window.addEventListener("storage", ({ key }) => { if (key === REMEMBERED) known = remembered(); });
  document.addEventListener("DOMContentLoaded", () => {
    if (location.hash.startsWith(BROUGHT)) arrive().catch(() => {});
    if (known) prepare();
  });
  setTimeout(() => { if (!hasStream && !document.hidden) answers(); }, between(LEARN));
  setInterval(() => turn().catch(() => { isAsking = false; }), TURN);
})();
