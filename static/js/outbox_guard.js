/* Where a page cannot be opened again without a network, links and forms that need one say so instead of leaving it.

   outbox.guard.start(box)      from now on
   outbox.guard.canReopen()     whether a service worker opens the card without a network
*/
(() => {
  "use strict";

  const { store, sender, form } = window.outbox;
  const PROBE = 2500;
  const canReopen = () => Boolean(navigator.serviceWorker?.controller);
  const needs = () => window.outbox.panel.say(window.outbox.panel.words("needs"));
  let box = null;

  async function reaches() {
    const stop = new AbortController();
    const patience = setTimeout(() => stop.abort(), PROBE);
    const answer = await fetch(box.probe, { cache: "no-store", signal: stop.signal }).catch(() => null);
    clearTimeout(patience);
    sender.setOff(!answer || answer.status >= 500);
    return !sender.isOff;
  }

  async function follow(link) {
    if (await reaches()) return location.assign(link.href);
    if (link.getAttribute("href").split("#")[0] === box.handUrl && form.openInPage(box, link.hash)) return;
    needs();
  }

  function guard(event) {
    const link = event.target.closest("a[href]");
    if (canReopen() || !link || link.origin !== location.origin || link.target || event.metaKey || event.ctrlKey) return;
    if (link.hash && link.pathname === location.pathname) return;
    event.preventDefault();
    follow(link);
  }

  /* A player who leaves the table's device leaves no proof of who they are on it, but for what is not sent yet. */
  async function leave() {
    if (!(await store.hands(box.id)).length) await store.forget(box.id);
  }

  function guardForm(event) {
    if (event.submitter?.name === "leave") leave();
    if (!sender.isOff || event.target.method !== "post" || event.target.closest("[data-hand-form], [data-outbox]")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    needs();
  }

  function start(own) {
    box = own;
    document.addEventListener("click", guard, true);
    window.addEventListener("submit", guardForm, true);
  }

  window.outbox.guard = { start, canReopen };
})();
