/* The bracket by rounds: the live round is in view, and the keys say which round is shown. Works without: the keys are links.
   The whole tree: my last match, or the first at a table, is in view; after news it stays where its reader has moved it. */
(() => {
  "use strict";

  let shown = null;

  const listOf = () => document.querySelector("[data-rounds]");
  const keysOf = () => [...document.querySelectorAll(".round-keys a")];

  function show(list, round) {
    list.scrollTo({ left: round.offsetLeft - list.offsetLeft, behavior: "instant" });
    mark(round.id);
  }

  function mark(id) {
    shown = id;
    keysOf().forEach((key) => {
      if (key.hash === `#${id}`) key.setAttribute("aria-current", "true");
      else key.removeAttribute("aria-current");
    });
    const key = keysOf().find((one) => one.hash === `#${id}`);
    if (key) key.parentElement.scrollTo({ left: key.offsetLeft - 60, behavior: "instant" });
  }

  function nearest(list) {
    const left = list.getBoundingClientRect().left;
    const far = (round) => Math.abs(round.getBoundingClientRect().left - left);
    return [...list.children].reduce((one, other) => (far(other) < far(one) ? other : one));
  }

  function begin() {
    const list = listOf();
    if (!list || !list.children.length) return;
    const before = shown && document.getElementById(shown);
    const asked = location.hash && list.querySelector(CSS.escape ? `#${CSS.escape(location.hash.slice(1))}` : location.hash);
    show(list, before || asked || list.querySelector("[data-current]") || list.children[0]);
    let settled = 0;
    list.addEventListener("scroll", () => {
      clearTimeout(settled);
      settled = setTimeout(() => mark(nearest(list).id), 120);
    }, { passive: true });
  }

  let treeLeft = null;

  function middleOf(tree, box) {
    const at = box.getBoundingClientRect();
    const room = tree.getBoundingClientRect();
    return at.left - room.left + tree.scrollLeft - (room.width - at.width) / 2;
  }

  function beginTree() {
    const tree = document.querySelector(".bracket-tree");
    if (!tree || !tree.clientWidth) return;
    const mine = [...tree.querySelectorAll(".bracket-box.is-mine")].at(-1);
    const box = mine || tree.querySelector(".bracket-box.is-live");
    if (treeLeft === null && box) treeLeft = middleOf(tree, box);
    tree.scrollLeft = treeLeft || 0;
    tree.addEventListener("scroll", () => { treeLeft = tree.scrollLeft; }, { passive: true });
  }

  document.addEventListener("click", (event) => {
    const key = event.target.closest(".round-keys a");
    const round = key && document.getElementById(key.hash.slice(1));
    if (!round || !listOf()) return;
    event.preventDefault();
    show(listOf(), round);
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id !== "bracket-panel") return;
    begin();
    beginTree();
  });
  begin();
  beginTree();
})();
