/* A wall screen: what does not fit is shown a screenful at a time, without any movement in between.

   data-wall-pager             a box whose children (or the rows of a table in it) are paged; nothing is ever cut in half
   data-wall-whole             only its children are paged, each table as a whole
   data-wall-seconds="12"      how long a page stays
   data-wall-page              says which page of how many
   data-wall-clock             the time of day at the venue
*/
(() => {
  "use strict";

  const timers = new WeakMap();
  const clock = document.querySelector("[data-wall-clock]");
  const word = document.querySelector("[data-wall-page]");

  function partsOf(pager) {
    const rows = "wallWhole" in pager.dataset ? [] : pager.querySelectorAll("tbody > tr");
    return rows.length ? [...rows] : [...pager.children];
  }

  /* The pages: runs of neighbours that fit into the box together. */
  function pagesOf(pager, parts) {
    parts.forEach((part) => { part.hidden = false; });
    pager.scrollTop = 0;
    const top = pager.getBoundingClientRect().top;
    const above = parts.length ? parts[0].getBoundingClientRect().top - top : 0;
    const room = pager.clientHeight - above;
    const pages = [];
    let start = 0;
    for (const part of parts) {
      const place = part.getBoundingClientRect();
      if (!pages.length || place.bottom - start > room) {
        pages.push([]);
        start = place.top;
      }
      pages.at(-1).push(part);
    }
    return pages;
  }

  function run(pager) {
    clearInterval(timers.get(pager));
    const parts = partsOf(pager);
    const pages = pagesOf(pager, parts);
    let current = 0;

    function show() {
      parts.forEach((part) => { part.hidden = !pages[current].includes(part); });
      if (word) word.textContent = pages.length > 1 ? `${current + 1} / ${pages.length}` : "";
    }

    if (pages.length < 2) return;
    show();
    const seconds = Number(pager.dataset.wallSeconds || 12);
    timers.set(pager, setInterval(() => {
      current = (current + 1) % pages.length;
      show();
    }, seconds * 1000));
  }

  /* A box that grows or shrinks later (a line appears below it) holds more or less. */
  const heights = new WeakMap();
  const watcher = new ResizeObserver((entries) => {
    if (entries.some(({ target }) => heights.get(target) !== target.clientHeight)) runAll();
  });

  function runAll() {
    const pagers = document.querySelectorAll("[data-wall-pager]");
    if (word) word.textContent = "";
    pagers.forEach((pager) => {
      run(pager);
      heights.set(pager, pager.clientHeight);
      watcher.observe(pager);
    });
  }

  runAll();
  window.addEventListener("resize", runAll);
  document.addEventListener("htmx:afterSettle", runAll);

  if (clock) {
    const show = () => { clock.textContent = window.venueClock(new Date()); };
    clock.hidden = false;
    show();
    setInterval(show, 5000);
  }
})();
