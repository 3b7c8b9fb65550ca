/* Check-in by keyboard: letters search, arrows move between rows, Enter checks in, Space marks several.

   data-check-in          around the list and its form; #found inside it is replaced as somebody types
   data-query             on #found: what it was searched for
   data-row-key           key of a row; Enter on it is the browser's own click. A row without one has [data-sale]
   data-type-to-search    the field that letters go to; Enter in it goes to the first row
   data-if-nobody         what Enter follows if nobody is found
   data-check-in-marked   key that checks in all that are marked; data-marked-count inside it says how many
*/
(() => {
  "use strict";

  const list = document.querySelector("[data-check-in]");
  const search = document.querySelector("[data-type-to-search]");
  if (!list) return;

  const BOX = 'input[name="number"]';
  const form = document.getElementById("check-in");
  const marked = new Set(); // numbers, also of rows that a search hides
  let leavesSearch = false; // Enter was struck before the list had followed
  const waiting = () => [...list.querySelectorAll("[data-row-key]")];
  const keyOf = (row) => row?.querySelector("[data-row-key]") ?? row?.querySelector("[data-sale]");
  const keys = () => [...list.querySelectorAll("tbody > tr")].map(keyOf).filter(Boolean);
  const isTyping = (part) => part.matches("input:not([type=checkbox]), select, textarea");

  function sayHowMany() {
    list.querySelector("[data-marked-count]").textContent = marked.size ? `(${marked.size})` : "";
    list.classList.toggle("has-marks", marked.size > 0);
  }

  function note(box) {
    if (box.checked) marked.add(box.value);
    else marked.delete(box.value);
    sayHowMany();
  }

  /* Marks outlive the rows they were made in: those of hidden rows are sent along. */
  function restoreMarks() {
    form.querySelectorAll(BOX).forEach((field) => field.remove());
    const boxes = new Map([...list.querySelectorAll(`#found ${BOX}`)].map((box) => [box.value, box]));
    for (const number of marked) {
      if (boxes.has(number)) boxes.get(number).checked = true;
      else form.insertAdjacentHTML("beforeend", `<input type="hidden" name="number" value="${Number(number)}">`);
    }
    sayHowMany();
  }

  function move(from, step) {
    const all = keys();
    const next = all[Math.min(Math.max(all.indexOf(from) + step, 0), all.length - 1)];
    if (next) next.focus();
  }

  function mark(key) {
    const box = key.closest("tr").querySelector(BOX);
    if (!box) return;
    box.checked = !box.checked;
    note(box);
    move(key, 1);
  }

  function begin() {
    const here = document.activeElement;
    if (here && here !== document.body) return;
    const row = document.getElementById(location.hash.slice(1))?.closest("tr");
    const next = waiting().find((key) => !row || row.compareDocumentPosition(key) & Node.DOCUMENT_POSITION_FOLLOWING);
    const first = next || waiting()[0];
    if (first) first.focus({ preventScroll: !row });
  }

  /* Enter in the search field: to the first row that was found, or to what is offered if there is none. The form is not
     sent: a new page would have lost the marks. Where the answer is still on its way, it is waited for. */
  function leaveSearch() {
    leavesSearch = list.querySelector("#found").dataset.query !== search.value.trim();
    if (leavesSearch) return;
    const first = waiting()[0] || keys()[0];
    if (first) first.focus();
    else list.querySelector("[data-if-nobody]")?.click();
  }

  list.addEventListener("change", (event) => event.target.matches(BOX) && note(event.target));
  document.addEventListener("htmx:afterSwap", () => {
    restoreMarks();
    if (leavesSearch && document.activeElement === search) leaveSearch();
  });

  ["htmx:sendError", "htmx:responseError", "htmx:timeout"].forEach((name) => document.addEventListener(name, ({ target }) => {
    if (leavesSearch && target === search) search.form.submit(); // without the list the site's own page says why
  }));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    const part = event.target;
    const row = part.closest("[data-check-in] tbody > tr");
    const key = part.matches("[data-row-key], [data-sale]") ? part : part.type === "checkbox" ? keyOf(row) : null;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!key && part !== search && part !== document.body) return;
      event.preventDefault();
      move(key, event.key === "ArrowDown" ? 1 : -1);
    } else if (key && event.key === " ") {
      event.preventDefault();
      mark(key);
    } else if (event.key === "Enter" && part === search) {
      event.preventDefault();
      leaveSearch();
    } else if (event.key === "Enter" && key?.matches("[data-row-key]")) {
      // Enter in a box would press the first key of the form, which belongs to another row.
      event.preventDefault();
      (marked.size ? list.querySelector("[data-check-in-marked]") : key).click();
    } else if (search && event.key.length === 1 && event.key !== " " && !isTyping(part)) {
      search.focus();
      search.select();
    }
  });
  // Space clicks a key when it comes up again, in some browsers even so.
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target.closest("[data-row-key]")) event.preventDefault();
  });

  // Who has a keyboard begins at a row; on a phone nothing is focused before it is touched.
  if (matchMedia("(hover: hover)").matches) begin();
  list.querySelectorAll(`#found ${BOX}:checked`).forEach(note); // as the browser kept them when it comes back
  sayHowMany();
})();
