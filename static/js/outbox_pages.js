/* Card pages that open without a network, where the browser allows it (https): js/service_worker.js keeps them.

   The page says what is worth keeping: itself, the form of a hand, and the files of both. After news it says so again,
   at most twice a minute. Once all of it is kept the part has data-offline-ready.
*/
(() => {
  "use strict";

  const part = document.querySelector("[data-outbox]");
  if (!part || !navigator.serviceWorker) return;
  const EVERY = 30000;
  let last = 0;
  let timer = null;

  function files() {
    const known = performance.getEntriesByType("resource").map((entry) => entry.name);
    return known.filter((name) => name.startsWith(`${location.origin}/static/`));
  }

  async function keep() {
    last = Date.now();
    timer = null;
    const ready = await navigator.serviceWorker.ready;
    const { cardUrl, handUrl } = part.dataset;
    const enters = document.querySelector(`a[href^="${handUrl}"]`);
    const pages = [location.pathname, cardUrl, ...(enters ? [handUrl] : [])];
    if (!document.documentElement.dataset.keptAt) ready.active?.postMessage({ keep: [...new Set(pages)], files: files() });
  }

  function soon() {
    timer ??= setTimeout(() => keep().catch(() => {}), Math.max(500, last + EVERY - Date.now()));
  }

  document.addEventListener("htmx:afterSettle", (event) => { if (event.target.id === "card-panel") soon(); });
  document.addEventListener("submit", (event) => {
    const leaves = event.submitter?.name === "leave";
    if (leaves) navigator.serviceWorker.controller?.postMessage({ forget: "/c/" });
  }, true);
  document.addEventListener("outbox-sent", soon);
  navigator.serviceWorker.addEventListener("message", ({ data }) => { if (data.ready) part.dataset.offlineReady = ""; });
  navigator.serviceWorker.register(part.dataset.worker).then(soon, () => {});
})();
