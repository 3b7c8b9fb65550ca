/* Small comforts on every page; each page works without them.

   data-toggles="#id"        button that folds and unfolds a part (menus)
   data-dialog               link to #id of a <dialog>: opens it as a real dialog; data-dialog-close closes it
   data-confirm="question"   on a form or its key: asks first, in a dialog
   data-autosubmit           form that sends itself when one of its fields changes
   data-ticks="selector"     key that ticks the boxes of its form that the selector names, and only those
   data-many                 form that may be sent again while an answer is on its way (all others may not)
   data-print                button that prints the page
   data-own-zone             select of time zones that begins with the zone of this device
   data-no-second-enter      a part where Enter acts: held, or struck once more as the page comes, it does nothing
   data-folds                <details> with an id: open where there is room, folded on a phone; a tap decides from then on
   data-until="2026-11-22T22:45:00+00:00"  shown until then
   data-clock="down|up"      <time datetime> that runs towards or from its time; data-over: said when it is through
   data-focus                after a swap by htmx this part gets the focus
   announce (event)          detail.text, or detail.value, is read aloud; a response may send it as HX-Trigger
*/
(() => {
  "use strict";

  const announcer = () => document.getElementById("announcer");

  function announce(text) {
    const place = announcer();
    if (!place || !text) return;
    place.textContent = "";
    // Emptied first and filled a moment later, so that the same sentence is read a second time.
    setTimeout(() => { place.textContent = text; }, 60);
  }

  function showNotice(text) {
    const list = document.getElementById("messages");
    if (!list) return announce(text);
    const line = document.createElement("li");
    line.className = "notice error";
    const sign = document.createElement("span");
    sign.className = "notice-sign";
    sign.setAttribute("aria-hidden", "true");
    sign.textContent = "✗";
    const words = document.createElement("p");
    words.textContent = text;
    line.append(sign, words);
    list.replaceChildren(line);
    list.scrollIntoView({ block: "nearest" });
  }

  /* --- Enter struck twice --- */

  const SECOND_STRIKE = 600;
  const LAST_ACT = "last-act-was-enter"; // on whatever page of this tab
  const cameAt = performance.now();
  const cameByEnter = sessionStorage.getItem(LAST_ACT) === "1";
  let acted = false; // on this page: an Enter that comes first and at once was meant for the page before
  const notice = (isEnter) => { acted = true; sessionStorage.setItem(LAST_ACT, isEnter ? "1" : ""); };
  for (const kind of ["input", "pointerdown"]) document.addEventListener(kind, () => notice(false), true);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return notice(false);
    const isSecond = event.repeat || (!acted && cameByEnter && performance.now() - cameAt < SECOND_STRIKE);
    if (!isSecond || !document.querySelector("[data-no-second-enter]")) return notice(true);
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  /* --- Menus --- */

  function toggle(button) {
    const part = document.querySelector(button.dataset.toggles);
    if (!part) return;
    const open = part.toggleAttribute("data-collapsed") === false;
    button.setAttribute("aria-expanded", String(open));
  }

  /* --- Dialogs --- */

  function openDialog(link) {
    const dialog = document.querySelector(link.getAttribute("href"));
    if (!dialog || typeof dialog.showModal !== "function") return false;
    if (!dialog.open) dialog.showModal();
    return true;
  }

  function closeDialog(part) {
    const dialog = part.closest("dialog");
    if (!dialog || !dialog.open) return false;
    dialog.close();
    return true;
  }

  function ask(question) {
    const dialog = document.getElementById("confirm-template").content.firstElementChild.cloneNode(true);
    dialog.querySelector("#confirm-question").textContent = question;
    document.body.append(dialog);
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(dialog.returnValue === "yes");
      });
    });
  }

  /* --- Forms --- */

  function questionOf(form, key) {
    return (key && key.dataset.confirm) || form.dataset.confirm;
  }

  function markSent(form, key) {
    form.dataset.sent = "yes";
    form.setAttribute("aria-busy", "true");
    // After the event, because a disabled key's name and value would not be sent.
    if (key) setTimeout(() => key.setAttribute("aria-disabled", "true"), 0);
  }

  function markBack(form) {
    delete form.dataset.sent;
    form.removeAttribute("aria-busy");
    form.querySelectorAll('[aria-disabled="true"]').forEach((key) => key.removeAttribute("aria-disabled"));
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    const key = event.submitter;
    if (form.method === "dialog") return;
    if (form.dataset.sent) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    const question = questionOf(form, key);
    if (question && !form.dataset.confirmed) {
      event.preventDefault();
      event.stopImmediatePropagation();
      ask(question).then((yes) => {
        if (!yes) return key && key.focus();
        form.dataset.confirmed = "yes";
        form.requestSubmit(key);
        delete form.dataset.confirmed;
      });
      return;
    }
    if (!("many" in form.dataset) && form.method !== "get") markSent(form, key);
  }, true);

  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (form && "autosubmit" in form.dataset) form.requestSubmit();
  });

  // Back from the next page out of the browser's memory: the form can be sent again.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) document.querySelectorAll("form[data-sent]").forEach(markBack);
  });

  document.addEventListener("click", (event) => {
    const part = event.target.closest("[data-toggles], [data-dialog], [data-dialog-close], [data-print]");
    if (!part) return;
    if ("toggles" in part.dataset) toggle(part);
    if ("print" in part.dataset) window.print();
    if ("dialog" in part.dataset && openDialog(part)) event.preventDefault();
    if ("dialogClose" in part.dataset && closeDialog(part)) event.preventDefault();
  });

  /* --- htmx: questions, focus, what is read aloud, what did not go through --- */

  /* The page "This computer" compares the clocks of the phones with its own. */
  document.addEventListener("htmx:configRequest", ({ detail: { headers } }) => {
    headers["X-Clock"] = String(Math.round(Date.now() / 1000));
  });

  document.addEventListener("htmx:confirm", (event) => {
    if (!event.detail.question) return;
    event.preventDefault();
    ask(event.detail.question).then((yes) => yes && event.detail.issueRequest(true));
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    const form = event.target.closest("form");
    if (form) markBack(form);
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    const part = event.target.querySelector("[data-focus], .is-invalid");
    if (!part) return;
    if (!part.matches("a, button, input, select, textarea, [tabindex]")) part.setAttribute("tabindex", "-1");
    part.focus();
  });

  // A refusal (errors/refused.html) is a notice over the page, no matter what the request was going to replace.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status < 400 || !event.detail.serverResponse.includes("data-refusal")) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
    event.detail.target = document.getElementById("messages");
    event.detail.swapOverride = "innerHTML";
    announce(new DOMParser().parseFromString(event.detail.serverResponse, "text/html").body.textContent.trim());
  });

  // A part that asks every few seconds asks again by itself. Nobody has done anything that could go wrong.
  const notSent = ({ target }) => {
    if (!target.closest('[hx-trigger^="every"]')) showNotice(announcer().dataset.notSent);
  };
  document.addEventListener("htmx:responseError", notSent);
  document.addEventListener("htmx:sendError", (event) => {
    // A panel that is fetched again by itself says so in the live word, not in a notice.
    if (!event.target.closest("[data-live-panel]")) notSent(event);
  });
  document.addEventListener("announce", (event) => announce(event.detail.text || event.detail.value));

  document.querySelectorAll("select[data-own-zone]").forEach((field) => {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    const isPlace = [...field.options].some((option) => option.value === timeZone) && !timeZone.startsWith("Etc/");
    if (isPlace) field.value = timeZone;
  });

  /* --- Boxes --- */

  document.addEventListener("click", (event) => {
    const key = event.target.closest("[data-ticks]");
    if (!key) return;
    const named = key.dataset.ticks;
    key.closest("form").querySelectorAll('input[type="checkbox"]').forEach((box) => {
      box.checked = Boolean(named) && box.matches(named);
    });
  });

  /* --- What is folded on a phone --- */

  const unfolded = new Map();
  const roomy = window.matchMedia("(min-width: 768px)");

  function fold() {
    document.querySelectorAll("details[data-folds]").forEach((part) => {
      part.open = unfolded.get(part.id) ?? roomy.matches;
    });
  }
  fold();
  roomy.addEventListener("change", fold);
  document.addEventListener("htmx:afterSwap", fold);
  document.addEventListener("click", (event) => {
    const part = event.target.closest?.("details[data-folds] > summary")?.parentElement;
    if (part) unfolded.set(part.id, !part.open);
  });

  /* --- Clocks --- */

  function clockFace(milliseconds) {
    const seconds = Math.floor(Math.abs(milliseconds) / 1000);
    const two = (number) => String(number).padStart(2, "0");
    const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
    return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
  }

  /* The time of day at the venue, no matter what zone this device is in: “2:45 PM”. */
  window.venueClock = (at) => {
    const { lang, dataset } = document.documentElement;
    return at.toLocaleTimeString(lang, { hour: "numeric", minute: "2-digit", timeZone: dataset.timeZone });
  };

  function tick() {
    document.querySelectorAll("time[data-clock]").forEach((clock) => {
      const left = new Date(clock.dateTime) - Date.now();
      const through = clock.dataset.clock === "down" && left <= 0;
      if (!through) {
        clock.textContent = clockFace(left);
        return;
      }
      clock.textContent = clock.dataset.over || clockFace(0);
      clock.closest(".clock")?.classList.add("is-over");
    });
    document.querySelectorAll("[data-until]").forEach((part) => {
      part.hidden = new Date(part.dataset.until) <= Date.now();
    });
  }
  tick();
  setInterval(tick, 1000);
})();
