/* Following an event: the stream carries a version, never data; each panel is then fetched again through htmx.

   <main data-live-url="stream" data-version="7" data-version-url="…">
     stream        server-sent events named "version": {"version": 8, "within": 300}; ask again within so many ms
     version-url   answers {"version": 8}; asked every ten seconds where the stream does not work or is refused
   The same on any part of a panel: what is shown now follows that, and the stream is opened anew.
   data-live-panel="url"     a part whose content is fetched again (data-live-swap="outerHTML" replaces it whole)
   hx-trigger="live"         an element of htmx that fetches itself
   data-live-every="60"      on one of these: fetched after so many seconds, too, for what the time alone changes
   data-live-typed           on one of these: not fetched while a field in it is filled in otherwise than it came
   Events on document        "site-lost", "site-heard", and "laptops" with what the stream says about the second laptop
   data-glow="key"           a box that glows once when its text has changed; data-news is then read aloud
   data-live-word            says in words how the page follows: Live, Catching up, Offline since 2:41 PM. A page without
                             a part that is fetched again says only when it is offline

   A message of the last act goes when a part that is fetched again says something else: that has replaced it.
   A tab that nobody looks at fetches nothing, and holds no stream: a browser has six lines to a site, and a seventh tab
   would never open. It asks, and fetches once, when somebody looks at it again.
   A part somebody is typing in, has a finger on, or with an open dialog, is fetched when they have left it. What could
   not be fetched is asked for again: the stream names a version once, and nobody would hear of this one any more. News
   that comes while a part is on its way fetches it once more when it is there: it may have been made before the news.
*/
(() => {
  "use strict";

  const POLL_EVERY = 10000;
  const STREAM_AGAIN = 60000;
  const FETCH_AGAIN = 3000;
  const LONGEST = 15000; // a part that takes longer is asked for again: a lost network may never say that it is lost
  const ON_THE_WAY = 60000; // to a page of a busy site over a bad line
  const SETTLED = 100;
  const SOON = 1500; // so long after news a page may still catch up without saying so
  const LOST = 4000; // a stream that is away for longer is lost
  const TURNS = 5000; // how often to check which parts are due by the time
  const PART = '[data-live-panel], [hx-trigger~="live"]';
  const FOLLOWED = "[data-live-panel] [data-live-url]";
  let main = document.querySelector("[data-live-url]");
  if (!main) return;

  let { version, liveUrl, versionUrl } = (document.querySelector(FOLLOWED) ?? main).dataset;
  let stream = null;
  let polling = null;
  let patience = null;
  let openingAgain = null;
  let pressed = null;
  let fetchingAgain = null;
  let leaving = null;
  let missed = false;
  let lostAt = null;
  let losing = null;
  const fetching = new Set();
  const late = new Set();
  const underway = new Map();
  const onceMore = new Set();
  const wokenAt = new WeakMap();

  function say(state, since = "") {
    document.querySelectorAll("[data-live-word]").forEach((word) => {
      const text = word.getAttribute(`data-word-${state}`).replace("{clock}", since);
      if (word.textContent === text) return;
      word.dataset.state = state;
      word.textContent = text;
    });
  }

  /* The line keeps its room, so that nothing moves when it has something to say. */
  function sayNothing() {
    document.querySelectorAll("[data-live-word]").forEach((word) => {
      delete word.dataset.state;
      word.textContent = "";
    });
  }

  /* How the page follows, now: what is lost, what is on its way, or that all is well. */
  function sayHow() {
    if (lostAt) say("offline", window.venueClock(lostAt));
    // Nothing here is fetched again: "Live" would promise what the page does not do.
    else if (!document.querySelector(PART)) sayNothing();
    else if (losing || fetchingAgain || fetching.size) say("reconnecting");
    else if (polling) say("polling");
    else if (stream?.readyState === EventSource.OPEN) say("live");
  }

  const tellOthers = (name, detail = null) => document.dispatchEvent(new CustomEvent(name, { detail }));

  function lose() {
    tellOthers("site-lost");
    const since = new Date();
    losing ??= setTimeout(() => { lostAt = since; sayHow(); }, LOST);
    sayHow();
  }

  function find() {
    tellOthers("site-heard");
    clearTimeout(losing);
    losing = lostAt = null;
    sayHow();
  }

  function heard(text) {
    const told = JSON.parse(text);
    if (!(Number(told.version) > Number(version))) return;
    version = told.version;
    main.dataset.version = version;
    // A room full of phones must not ask in the same instant.
    setTimeout(look, Math.random() * (told.within ?? 300));
  }

  /* --- Panels --- */

  /* Whether a field of it says something else than when it came. */
  function isFilled(part) {
    return [...part.querySelectorAll('input:not([type="hidden"]), select, textarea')].some((field) => {
      if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
      if (field.type === "file") return field.files.length > 0;
      if (!field.options) return field.value !== field.defaultValue;
      const given = Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
      return field.selectedIndex !== given;
    });
  }

  function isBusy(panel) {
    const here = document.activeElement;
    const typing = panel.contains(here) && here.matches("input, select, textarea, canvas");
    if ("liveTyped" in panel.dataset && isFilled(panel)) return true;
    return typing || panel.contains(pressed) || panel.querySelector("dialog[open], [data-signature-drawn]") !== null;
  }

  function look() {
    missed = document.hidden;
    if (!missed) refresh();
  }

  function refresh() {
    clearTimeout(fetchingAgain); // this fetches what that would
    fetchingAgain = null;
    document.querySelectorAll(PART).forEach(wake);
  }

  function wake(part) {
    wokenAt.set(part, Date.now());
    if (isUnderway(part)) onceMore.add(part);
    else if (isBusy(part)) late.add(part);
    else fetchPart(part);
  }

  function fetchPart(part) {
    late.delete(part);
    if (part.matches("[data-live-panel]")) fetchPanel(part);
    else trigger(part);
  }

  /* A part that was put here just now does not listen before htmx has settled it. */
  function trigger(part) {
    window.htmx.trigger(part, "live");
    if (!isUnderway(part)) setTimeout(look, SETTLED);
  }

  function isUnderway(part) {
    const { UNSENT, DONE } = XMLHttpRequest;
    return ![UNSENT, DONE].includes(underway.get(part)?.readyState ?? DONE);
  }

  /* htmx would ask again for the part that waited, which the answer may just have replaced. */
  function arrived(part) {
    underway.delete(part);
    if (onceMore.delete(part)) setTimeout(look, SETTLED);
  }

  function fetchPanel(panel) {
    if (isUnderway(panel)) {
      onceMore.add(panel);
      return;
    }
    const swap = panel.dataset.liveSwap || "innerHTML";
    window.htmx.ajax("GET", panel.dataset.livePanel, { source: panel, target: panel, swap }).catch(() => {});
  }

  function fetchLate() {
    setTimeout(() => late.forEach((panel) => {
      if (!panel.isConnected) late.delete(panel);
      else if (document.hidden) missed = true;
      else if (!isBusy(panel)) fetchPart(panel);
    }), 200);
  }

  /* An interval of htmx would go on in a tab that nobody looks at. A part that is new on the page was fetched just now.
     The time of day decides, not a timer for each part: timers stop while a laptop's lid is closed. */
  function takeTurns() {
    if (document.hidden) return;
    document.querySelectorAll("[data-live-every]").forEach((part) => {
      if (!wokenAt.has(part)) wokenAt.set(part, Date.now());
      else if (Date.now() - wokenAt.get(part) >= part.dataset.liveEvery * 1000) wake(part);
    });
  }

  takeTurns();
  setInterval(takeTurns, TURNS);

  const follows = (part) => part.matches(PART);

  /* The site says how soon where it has too much to do; nobody is in a hurry who only looks. A tab that is hidden by
     then waits until somebody looks at it. */
  function fetchAgain({ detail: { elt, xhr } }) {
    if (!follows(elt) || fetchingAgain || (xhr.status >= 400 && xhr.status < 500)) return;
    const wait = Number(xhr.getResponseHeader?.("Retry-After")) * 1000 || FETCH_AGAIN;
    fetchingAgain = setTimeout(() => { fetchingAgain = null; look(); }, wait * (1 + Math.random()));
    sayHow();
  }

  /* A part that takes its time is on its way: the page says so until it is there. */
  document.addEventListener("htmx:beforeRequest", ({ detail: { elt, xhr } }) => {
    if (!follows(elt)) return;
    xhr.timeout = LONGEST;
    underway.set(elt, xhr);
    xhr.addEventListener("loadend", () => arrived(elt));
    setTimeout(() => {
      if (xhr.readyState === XMLHttpRequest.DONE) return;
      fetching.add(xhr);
      xhr.addEventListener("loadend", () => { fetching.delete(xhr); sayHow(); });
      sayHow();
    }, SOON);
  });

  /* A page that was loaded again would stop somebody who is on the way to another one. After a while it was a download. */
  window.addEventListener("beforeunload", () => {
    clearTimeout(leaving);
    leaving = setTimeout(() => { leaving = null; look(); }, LONGEST);
  });

  /* The notice that an event is called off is above all parts that are fetched again. */
  function differsInCallingOff(xhr) {
    const isOff = xhr.getResponseHeader("X-Called-Off");
    return isOff !== null && (isOff === "1") !== Boolean(document.querySelector(".is-called-off"));
  }

  /* A private link was replaced, or a card removed: then the page is gone, too, and says why when it is loaded. */
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const { elt, xhr } = event.detail;
    const isGone = xhr.status === 404 || (follows(elt) && differsInCallingOff(xhr));
    if (!follows(elt) || !(isGone || xhr.getResponseHeader("HX-Refresh"))) return;
    if (isGone || leaving) event.preventDefault();
    if (isGone && !leaving) location.reload();
  });

  ["htmx:sendError", "htmx:timeout", "htmx:responseError"].forEach((name) => document.addEventListener(name, fetchAgain));
  document.addEventListener("focusout", fetchLate);

  // A key that is replaced between press and release is pressed in vain.
  function release() {
    pressed = null;
    if (late.size) fetchLate();
  }

  document.addEventListener("pointerdown", (event) => { pressed = event.target; });
  document.addEventListener("pointerup", () => setTimeout(release, 0));
  document.addEventListener("pointercancel", release);
  document.addEventListener("htmx:beforeSwap", (event) => {
    const part = event.detail.requestConfig.elt;
    // Somebody may have begun to type, or to press a key, while the part was on its way.
    if (!follows(part) || !isBusy(event.detail.target)) return;
    event.detail.shouldSwap = false;
    late.add(part);
  });

  /* --- What has replaced a message --- */

  /* A refusal stays. What was done is shown by the part itself now: a player's page says it at once, and on a page of
     the desk, where somebody else's news comes every few seconds, a message can be read first. */
  const REPLACED = "#messages > :not(.error, .warning)";
  const READ = document.body.matches(".desk") ? 8000 : 0;
  const saidBefore = new Map();
  const nameOf = (details) => details.id || textOf(details.querySelector("summary") ?? details);
  let unfolded = []; // what somebody has opened in it stays open

  function saidBy(part) {
    const copy = part.cloneNode(true);
    copy.querySelectorAll("#messages, [data-live-word], [data-clock], [data-until]").forEach((each) => each.remove());
    return textOf(copy);
  }

  function dropReplaced() {
    const replaced = document.querySelectorAll(REPLACED);
    setTimeout(() => replaced.forEach((message) => message.remove()), Math.max(0, READ - performance.now()));
  }

  document.addEventListener("htmx:beforeSwap", ({ detail: { requestConfig, shouldSwap, target } }) => {
    if (!shouldSwap || !follows(requestConfig.elt)) return;
    saidBefore.set(requestConfig.elt, saidBy(target));
    unfolded = [...target.querySelectorAll("details[open]:not([data-folds])")].map(nameOf);
  });

  document.addEventListener("htmx:afterSwap", ({ detail: { requestConfig, target } }) => {
    const before = saidBefore.get(requestConfig?.elt);
    if (before === undefined) return;
    saidBefore.delete(requestConfig.elt);
    const now = target.isConnected ? target : target.id && document.getElementById(target.id);
    if (!now || saidBy(now) !== before) dropReplaced();
    (now || document).querySelectorAll("details").forEach((part) => {
      if (unfolded.includes(nameOf(part))) part.open = true;
    });
  });

  /* --- Somebody who walks by keys stays where they are --- */

  let walked = null;

  /* htmx keeps the focus of what has an id. Links and keys are known by where they lead and what they send. */
  function selectorOf(part) {
    const named = ["href", "name", "value", "data-toggles"].filter((name) => part.hasAttribute(name));
    if (part.id || !part.matches("a[href], button") || !named.length) return null;
    return part.localName + named.map((name) => `[${name}="${CSS.escape(part.getAttribute(name))}"]`).join("");
  }

  document.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
    const here = document.activeElement;
    walked = follows(target) && target.contains(here) ? selectorOf(here) : null;
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (walked && document.activeElement === document.body) document.querySelector(walked)?.focus({ preventScroll: true });
    walked = null;
  });

  /* --- What has changed glows once --- */

  const textOf = (box) => box.textContent.replace(/\s+/g, " ").trim();
  const before = new Map();

  function remember() {
    before.clear();
    document.querySelectorAll("[data-glow]").forEach((box) => before.set(box.dataset.glow, textOf(box)));
  }

  function glowChanged() {
    const news = [];
    document.querySelectorAll("[data-glow]").forEach((box) => {
      const old = before.get(box.dataset.glow);
      if (old === undefined || old === textOf(box)) return;
      box.classList.add("glow");
      box.addEventListener("animationend", () => box.classList.remove("glow"), { once: true });
      if (box.dataset.news) news.push(box.dataset.news);
    });
    remember();
    if (!news.length) return;
    const text = [...new Set(news)].slice(0, 3).join(". ");
    document.dispatchEvent(new CustomEvent("announce", { detail: { text } }));
  }

  remember();
  document.addEventListener("htmx:afterSettle", glowChanged);

  /* --- The stream, and asking where it does not work --- */

  /* What was fetched may follow something else: a player got a card, their match went on. */
  function followAnew() {
    main = document.querySelector("main");
    const said = document.querySelector(FOLLOWED) ?? main;
    sayHow();
    if (!said.dataset.liveUrl) return;
    if (Number(said.dataset.version) > Number(version)) ({ version } = said.dataset);
    main.dataset.version = version;
    if (said.dataset.liveUrl === liveUrl) return;
    ({ liveUrl, versionUrl } = said.dataset);
    if (polling) ask();
    else openStream();
  }

  document.addEventListener("htmx:afterSettle", followAnew);

  function ask() {
    if (document.hidden || !versionUrl) return;
    fetch(versionUrl, { headers: { Accept: "application/json, text/plain" }, cache: "no-cache" })
      .then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status)))
      .then((text) => { heard(text); find(); })
      .catch(lose);
  }

  function startAsking() {
    clearTimeout(openingAgain); // it may be refused more than once: a site has room for so many streams
    openingAgain = setTimeout(openStream, STREAM_AGAIN * (1 + Math.random()));
    if (polling) return;
    polling = setInterval(ask, POLL_EVERY);
    ask();
  }

  function stopAsking() {
    clearTimeout(openingAgain);
    clearInterval(polling);
    polling = null;
  }

  function openStream() {
    if (stream) stream.close();
    if (!window.EventSource) return startAsking();
    clearTimeout(patience);
    stream = new EventSource(liveUrl);
    patience = setTimeout(startAsking, POLL_EVERY);
    stream.onopen = () => {
      clearTimeout(patience);
      stopAsking();
      find();
    };
    stream.addEventListener("version", (event) => heard(event.data));
    stream.addEventListener("laptops", (event) => tellOthers("laptops", JSON.parse(event.data)));
    stream.onerror = () => {
      if (!polling) lose();
      if (stream.readyState === EventSource.CLOSED) {
        clearTimeout(patience);
        startAsking();
      }
    };
  }

  function closeStream() {
    clearTimeout(patience);
    stream?.close();
  }

  // A phone that slept may have lost its stream without a word.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return closeStream();
    if (missed) look();
    takeTurns();
    ask();
    if (!polling) openStream();
  });
  window.addEventListener("offline", lose);
  window.addEventListener("online", ask);
  window.addEventListener("pagehide", closeStream);
  window.addEventListener("pageshow", (event) => event.persisted && openStream());
  openStream();
})();
