/* The form of a hand: what is typed is kept first and sent then, so that nothing is lost where the network ends.

   Without a network the form empties itself for the next hand, as often as one likes. On a card page that no service
   worker can open again (plain http) the form is fetched beforehand and opened in the page.
   What is sent before the list of this phone is open waits for it: the form may put a kept hand right.
   Events: "hand-form" on a form put into the page, "hand-form-again" on one that was emptied or filled (card.js listens).
*/
(() => {
  "use strict";

  const { store, sender } = window.outbox;
  const HIDDEN = new Set(["csrfmiddlewaretoken", "key", "hand", "corrects", "reason"]);
  const PATIENCE = 4000;
  let fetched = null;

  const isHandForm = (form) => form.matches("[data-hand-form]:not([data-corrects])") && !form.elements.corrects;

  /* --- Before the list is open --- */

  const held = new Map(); // form → the button that was tapped
  let isHolding = Boolean(document.querySelector("[data-outbox]"));

  function hold(event) {
    if (!isHolding || !isHandForm(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    held.set(event.target, event.submitter);
    event.target.setAttribute("aria-busy", "true");
  }

  function letGo() {
    isHolding = false;
    held.forEach((submitter, form) => {
      form.removeAttribute("aria-busy");
      form.requestSubmit(submitter);
    });
    held.clear();
  }

  window.addEventListener("submit", hold, true);
  setTimeout(letGo, PATIENCE); // a browser that never opens its list sends as without this script

  /* --- What was typed, for the site and for people --- */

  function fieldsOf(form) {
    const filled = [...new FormData(form)].filter(([name, value]) => !HIDDEN.has(name) && value !== "");
    return new URLSearchParams(filled).toString();
  }

  const textOf = (part) => (part?.textContent ?? "").replace(/\s+/g, " ").trim();

  /* “Up card: rank 5”, “Up card: suit ♠” are one thing to people: “Up card 5 ♠”. */
  function wordsOf(form) {
    const said = new Map();
    form.querySelectorAll("fieldset, .switch-row, p").forEach((part) => {
      if (part.closest("[data-depends][hidden]") || (part.matches("p") && !part.querySelector(".field-number"))) return;
      const tapped = [...part.querySelectorAll("input:checked")].filter((input) => input.value)
        .map((input) => textOf(input.nextElementSibling));
      const typed = [...part.querySelectorAll('input[type="text"]')].filter((input) => input.value)
        .map((input) => `${textOf(form.querySelector(`label[for="${input.id}"]`))} ${input.value}`);
      const answers = [...tapped, ...typed].filter(Boolean).join(", ");
      const about = textOf(part.querySelector("legend")).split(":")[0];
      if (answers) said.set(about, [said.get(about), answers].filter(Boolean).join(" "));
    });
    return [...said].map(([about, answers]) => `${about} ${answers}`.trim()).join(" · ");
  }

  function fill(form, fields) {
    for (const [name, value] of new URLSearchParams(fields)) {
      form.querySelectorAll(`[name="${CSS.escape(name)}"]`).forEach((field) => {
        if (field.type === "radio" || field.type === "checkbox") field.checked = field.type === "checkbox" || field.value === value;
        else field.value = value;
      });
    }
    form.setAttribute("data-all", "");
    form.dispatchEvent(new CustomEvent("hand-form-again"));
  }

  function empty(form) {
    form.querySelectorAll("input").forEach((field) => {
      if (field.type === "radio" || field.type === "checkbox") field.checked = false;
      else if (field.type !== "hidden") field.value = "";
    });
    form.querySelectorAll("#preview").forEach((part) => part.replaceChildren());
    form.removeAttribute("data-all");
    form.dispatchEvent(new CustomEvent("hand-form-again"));
  }

  /* --- Keeping and sending --- */

  function bind(form, box) {
    let shown = Number(form.elements.hand.value);
    let own = null; // the kept hand that is being put right in this form
    let busy = false;
    let isTyping = false; // the number over a hand that is half typed does not change by itself
    let isCounted = false; // but it has one first: who taps while the list is still read loses nothing
    const heading = form.previousElementSibling;

    function say(number) {
      if (heading && number !== shown) heading.textContent = heading.textContent.replace(String(shown), String(number));
      shown = number;
      form.elements.hand.value = number;
      // The cut or the draw before play is told with the first hand only.
      form.querySelectorAll("[data-draw]").forEach((part) => { part.hidden = number > 1; });
    }

    /* The number of the next hand; what was filled in beforehand was so for another one. */
    async function count() {
      const stays = () => own || busy || (isTyping && isCounted);
      if (stays()) return;
      const kept = await store.hands(box.id);
      const known = (await store.boxes()).find((other) => other.id === box.id) ?? box;
      const next = Math.max(known.hands, ...kept.map((hand) => hand.hand)) + 1;
      if (stays()) return;
      if (next !== shown && !isTyping) empty(form);
      say(next);
      isCounted = true;
    }

    async function keep() {
      const typed = { key: sender.keyOf(), typedAt: Math.floor(Date.now() / 1000), fields: fieldsOf(form), words: wordsOf(form) };
      sender.tell(typed.key);
      await taken;
      own ??= await refusedAs(shown); // typed again, in a page that was open before the card refused it
      if (own) {
        const right = { ...own, ...typed, refused: null };
        await store.put(right);
        own = (await store.get(own.id)) ? right : null; // it went to the card from another page meanwhile
      }
      window.outbox.panel.say("", "refused");
      if (own) return own;
      const added = await store.add(box, typed, shown);
      if (added.hand) return added.hand;
      if (!(await window.outbox.panel.askWhether(shown, added))) return null;
      return (await store.add(box, typed, added.next)).hand ?? null;
    }

    async function refusedAs(number) {
      const refused = store.toPutRight(await store.hands(box.id));
      return refused?.hand === number ? refused : null;
    }

    function askMore(event) {
      if (!sender.isOff) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      window.outbox.panel.say(window.outbox.panel.words("needs"));
    }

    async function submit(event) {
      if (event.submitter?.name === "more") return askMore(event);
      event.preventDefault();
      event.stopImmediatePropagation();
      if (busy) return;
      busy = true;
      form.setAttribute("aria-busy", "true");
      try {
        const kept = await keep();
        if (!kept) return;
        await sender.flush({ again: true });
        await goOn(kept, await store.get(kept.id));
      } catch {
        HTMLFormElement.prototype.submit.call(form); // this browser keeps nothing after all: as without this script
      } finally {
        busy = false;
        form.removeAttribute("aria-busy");
      }
    }

    async function goOn(kept, left) {
      if (!left) return location.assign(box.cardUrl);
      if (left.refused && left.refused.code !== "hand-taken" && !form.dataset.inline) {
        // The site refuses it in its own words beside the fields, as it would without this script.
        form.elements.key.value = kept.key;
        form.elements.hand.value = kept.hand;
        return HTMLFormElement.prototype.submit.call(form);
      }
      if (!sender.isOff) return location.assign(box.cardUrl);
      own = null;
      isTyping = false;
      form.dataset.kept = "";
      history.replaceState(null, "", location.pathname);
      empty(form);
      form.scrollIntoView({ block: "start" });
      window.outbox.panel.keptOne(kept);
      busy = false;
      await count();
    }

    async function takeUp() {
      const kept = await store.hands(box.id);
      const asked = Number(((form.dataset.kept || location.hash).match(/^#kept-(\d+)$/) ?? [])[1]);
      const isHere = (hand) => hand.key === form.elements.key.value; // the site shows it in this form already
      own = kept.find((hand) => hand.id === asked || isHere(hand)) ?? store.toPutRight(kept);
      if (!own) return count();
      if (!isHere(own)) {
        empty(form);
        fill(form, own.fields);
        window.outbox.panel.say(own.refused?.message ?? "", "refused");
      }
      say(own.hand);
    }

    form.addEventListener("change", () => { isTyping = true; });
    window.addEventListener("submit", (event) => { if (event.target === form) submit(event); }, true);
    window.addEventListener("hashchange", takeUp);
    window.addEventListener("pageshow", (event) => event.persisted && !isTyping && takeUp());
    document.addEventListener("outbox", () => { if (form.isConnected) count(); });
    const taken = takeUp().catch(() => {});
  }

  /* --- The form inside the card page --- */

  /* Whether the form is here now: there is none before the card takes a hand from this phone. */
  async function fetchForm(box) {
    if (!box.handUrl || fetched || !document.querySelector(`a[href^="${box.handUrl}"]`)) return Boolean(fetched);
    const answer = await fetch(box.handUrl, { headers: { "X-Keep": "1" } }).catch(() => null); // read later, if ever
    if (!answer?.ok || answer.redirected) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    fetched = page.querySelector("form[data-hand-form]");
    return Boolean(fetched);
  }

  /* `kept`: “#kept-7” to put that hand right. */
  function openInPage(box, kept = "") {
    if (!fetched) return false;
    document.querySelector("[data-inline-hand]")?.remove();
    const part = document.createElement("section");
    part.dataset.inlineHand = "";
    const heading = document.createElement("h2");
    const form = document.importNode(fetched, true);
    const number = Number(form.elements.hand.value);
    heading.textContent = box.lines?.[number - 1] || `${box.lineName} ${number}`;
    form.dataset.inline = "";
    form.dataset.kept = kept;
    form.action = box.handUrl;
    [...form.attributes].filter((each) => each.name.startsWith("hx-")).forEach((each) => form.removeAttribute(each.name));
    const panel = document.querySelector("[data-live-panel]");
    const back = document.createElement("button");
    back.className = "btn btn-secondary";
    back.textContent = window.outbox.panel.words("back");
    back.onclick = () => { part.remove(); panel.hidden = false; };
    part.append(back, heading, form);
    panel.before(part);
    panel.hidden = true;
    form.dispatchEvent(new CustomEvent("hand-form", { bubbles: true }));
    bind(form, box);
    part.scrollIntoView({ block: "start" });
    return true;
  }

  window.outbox.form = {
    fetchForm,
    openInPage,
    bindAll: (box) => {
      document.querySelectorAll("[data-hand-form]").forEach((form) => isHandForm(form) && bind(form, box));
      letGo();
    },
    letGo,
  };
})();
