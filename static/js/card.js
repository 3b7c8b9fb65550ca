/* Score cards: comforts over forms that work without them. Nothing is counted here; the server answers what a hand is worth.

   data-hand-form     a hand on a phone: one question after the other; data-all shows them all (after a refusal)
     data-step        a screen of it, in order; a part that asks nothing more once it is answered
     data-question    has to be answered before the next screen is shown
     data-depends     a part that is asked only while the field of that name has one of the answers in data-when
   data-up-card       the up card of the next hand: when it was tapped is kept as when it was turned
   data-desk-card     a paper card at the desk: F2 all signed: posts it; F3 one missing (again: another), Esc leaves, ? opens the rules
*/
(() => {
  "use strict";

  /* --- A hand on a phone --- */

  function answered(part) {
    const questions = [...part.querySelectorAll("[data-question]")].filter((question) => !question.closest("[hidden]"));
    return questions.every((question) => question.querySelector("input:checked"));
  }

  function answerOf(form, name) {
    const fields = [...form.querySelectorAll("input, select")].filter((field) => field.name === name);
    const first = fields[0];
    if (!first) return "";
    if (first.type === "checkbox") return String(first.checked);
    return first.type === "radio" ? fields.find((field) => field.checked)?.value ?? "" : first.value.trim();
  }

  function fitQuestions(form) {
    form.querySelectorAll("[data-depends]").forEach((part) => {
      const answer = answerOf(form, part.dataset.depends);
      part.hidden = answer !== "" && !part.dataset.when.split(" ").includes(answer);
    });
  }

  function bindHand(form) {
    fitQuestions(form);
    const names = [...new Set([...form.querySelectorAll("[data-step]")].map((part) => part.dataset.step))];
    let furthest = form.hasAttribute("data-all") ? names.length - 1 : 0;

    function show() {
      form.querySelectorAll("[data-step]").forEach((part) => {
        part.hidden = names.indexOf(part.dataset.step) > furthest;
      });
    }

    function goOn() {
      fitQuestions(form);
      const before = furthest;
      while (furthest < names.length - 1) {
        const parts = [...form.querySelectorAll(`[data-step="${names[furthest]}"]`)];
        if (!parts.every(answered)) break;
        furthest += 1;
        show(); // what is hidden asks nothing: the next screen has to stand there before it can be looked at
      }
      if (furthest === before) return;
      const next = form.querySelector(`[data-step="${names[before + 1]}"]`);
      next.querySelector("fieldset:not([hidden])")?.scrollIntoView({ block: "start" });
    }

    form.addEventListener("change", goOn);
    form.addEventListener("hand-form-again", () => {
      furthest = form.hasAttribute("data-all") ? names.length - 1 : 0;
      show();
      goOn();
    });
    show();
    goOn();
  }

  /* --- The up card of the next hand --- */

  function bindUpCard(form) {
    form.addEventListener("change", () => {
      const when = form.elements.turned_at;
      if (!when.value) when.value = new Date().toISOString();
    });
  }

  /* --- A paper card at the desk --- */

  function bindDesk(form) {
    const boxes = [...form.querySelectorAll('input[name="signed"]')];
    document.addEventListener("keydown", (event) => {
      if (event.key === "F2") {
        event.preventDefault();
        boxes.forEach((box) => { box.checked = true; });
        form.requestSubmit();
      } else if (event.key === "F3") {
        event.preventDefault();
        const open = boxes.filter((box) => !box.checked);
        const last = open.length === 1 ? boxes.indexOf(open[0]) : boxes.length;
        const missing = (last - 1 + boxes.length) % boxes.length; // again: the one before
        boxes.forEach((box, index) => { box.checked = index !== missing; });
        boxes.find((box) => box.checked)?.focus();
      } else if (event.key === "?" && !event.target.matches("input, textarea")) {
        document.querySelector("[data-rules]")?.click();
      }
    });
  }

  document.querySelectorAll("[data-hand-form]").forEach(bindHand);
  document.addEventListener("hand-form", (event) => bindHand(event.target));
  document.querySelectorAll("[data-up-card]").forEach(bindUpCard);
  document.querySelectorAll("[data-desk-card]").forEach(bindDesk);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) document.querySelector("[data-leave]")?.click();
  });
})();
