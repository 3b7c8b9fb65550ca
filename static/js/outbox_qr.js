/* What is kept as QR codes: any phone with a network that photographs one brings the hands to the card.

   outbox.qr.linksOf(box, hands) → addresses, as many as are needed    outbox.qr.show(links)
   An address is …/handover/#1~card~entrant~hand~hand…, a hand is number.time.key.proof.fields: see handover.js.
*/
(() => {
  "use strict";

  const LONGEST = 560; // characters; a phone's camera still reads it off a phone's screen
  const QUIET = 4;

  function inShort(box, hand) {
    const proof = window.outbox.sender.proofOf(box, hand);
    return [hand.hand, hand.typedAt.toString(36), hand.key, proof, hand.fields].join(".");
  }

  function linksOf(box, hands) {
    const links = [];
    for (const hand of hands.map((each) => inShort(box, each))) {
      const last = links.at(-1);
      if (last && last.length + hand.length < LONGEST) links[links.length - 1] = `${last}~${hand}`;
      else links.push(`${box.handoverUrl}#1~${box.card}~${box.entrant}~${hand}`);
    }
    return links;
  }

  function draw(canvas, text) {
    const code = window.qrcode(0, "L");
    code.addData(text, "Byte");
    code.make();
    const count = code.getModuleCount();
    const scale = Math.max(3, Math.floor(660 / (count + 2 * QUIET)));
    canvas.width = canvas.height = (count + 2 * QUIET) * scale;
    const paper = canvas.getContext("2d");
    paper.fillStyle = "#fff";
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.fillStyle = "#000";
    for (let row = 0; row < count; row += 1) {
      for (let column = 0; column < count; column += 1) {
        if (code.isDark(row, column)) paper.fillRect((column + QUIET) * scale, (row + QUIET) * scale, scale, scale);
      }
    }
  }

  function show(links) {
    const dialog = document.getElementById("outbox-qr");
    const next = dialog.querySelector("[data-qr-next]");
    let at = 0;
    function turn() {
      draw(dialog.querySelector("canvas"), links[at]);
      dialog.querySelector("[data-qr-count]").textContent = links.length > 1 ? `${at + 1} / ${links.length}` : "";
      dialog.dataset.link = links[at];
    }
    next.hidden = links.length < 2;
    next.onclick = () => { at = (at + 1) % links.length; turn(); };
    turn();
    dialog.showModal();
  }

  window.outbox.qr = { linksOf, show };
})();
