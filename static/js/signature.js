/* Signing (components/signature_pad.html): strokes go into a hidden field as JSON, a list of strokes, each a list of
   [x, y, milliseconds since the first point]; a thousand units are the width of the pad, so a turned phone changes nothing. */
(() => {
  "use strict";

  const UNITS = 1000;
  const INK = "#1C1B19";

  function strokesOf(pad, width) {
    const drawn = pad.toData();
    const start = drawn[0]?.points[0]?.time ?? 0;
    const unit = (value) => Math.round((value / width) * UNITS);
    return drawn.map((stroke) => stroke.points.map((p) => [unit(p.x), unit(p.y), Math.round(p.time - start)]));
  }

  function bind(part) {
    const canvas = part.querySelector("[data-signature-canvas]");
    const field = part.querySelector("[data-signature-strokes]");
    const state = part.querySelector("[data-signature-state]");
    part.querySelector("[data-signature-area]").hidden = false;
    const pad = new window.SignaturePad(canvas, { penColor: INK, minWidth: 1.2, maxWidth: 3.2, throttle: 8 });
    let width = 0;

    function keep() {
      const empty = pad.isEmpty();
      field.value = empty ? "" : JSON.stringify(strokesOf(pad, width));
      state.textContent = empty ? state.dataset.empty : state.dataset.drawn;
      part.toggleAttribute("data-signature-drawn", !empty);
    }

    function fit() {
      const now = canvas.offsetWidth;
      if (!now || now === width) return;
      const ratio = Math.max(window.devicePixelRatio || 1, 1);
      const scale = width ? now / width : 1;
      const drawn = pad.toData().map((stroke) => ({
        ...stroke,
        points: stroke.points.map((p) => ({ ...p, x: p.x * scale, y: p.y * scale })),
      }));
      width = now;
      canvas.width = now * ratio;
      canvas.height = canvas.offsetHeight * ratio;
      canvas.getContext("2d").scale(ratio, ratio);
      pad.clear();
      pad.fromData(drawn);
      keep();
    }

    pad.addEventListener("endStroke", keep);
    part.querySelector("[data-signature-clear]").addEventListener("click", () => { pad.clear(); keep(); });
    part.querySelector("[data-signature-undo]").addEventListener("click", () => {
      pad.fromData(pad.toData().slice(0, -1));
      keep();
    });
    new ResizeObserver(fit).observe(canvas);
    fit();
  }

  function bindAll(root) {
    root.querySelectorAll("[data-signature]:not([data-bound])").forEach((part) => {
      part.dataset.bound = "yes";
      bind(part);
    });
  }

  bindAll(document);
  document.addEventListener("htmx:load", (event) => bindAll(event.target));
})();
