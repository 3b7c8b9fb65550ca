/* "Check this draw": works commitment, order, places and round one out again from what stands in the form.
   The steps are those of docs/draw.md; DrawCheck.check(draw) is the whole check. */
(() => {
  "use strict";

  const same = (one, other) => one.length === other.length && one.every((x, i) => x === other[i]);

  function drawOrder(draw) {
    const secret = Sha256.bytes(draw.secret);
    const lot = (number) => Sha256.hex(Sha256.hmac(secret, Sha256.utf8(`${draw.public}|${draw.draw_id}|${number}`)));
    return draw.numbers.map((number) => [lot(number), number])
      .sort((one, other) => (one[0] < other[0] ? -1 : 1))
      .map((pair) => pair[1]);
  }

  function placeRanks(entries) {
    let ranks = [1, 2];
    while (ranks.length < entries) {
      const both = 2 * ranks.length + 1;
      ranks = ranks.flatMap((rank, place) => (place % 2 ? [both - rank, rank] : [rank, both - rank]));
    }
    return ranks;
  }

  function swap(places, one, other) {
    const [here, there] = [places.indexOf(one), places.indexOf(other)];
    [places[here], places[there]] = [other, one];
  }

  const beside = (places, entry) => places[places.indexOf(entry) ^ 1];
  const after = (order, entry) => {
    const turn = order.indexOf(entry);
    return [...order.slice(turn + 1), ...order.slice(0, turn)];
  };

  function serveByes(order, places, byesTo) {
    const byes = order.filter((entry) => beside(places, entry) === null);
    const served = [...new Set(byesTo)].slice(0, byes.length);
    const giving = new Set(byes.filter((entry) => !served.includes(entry)));
    for (const entry of served) {
      if (byes.includes(entry)) continue;
      const other = after(order, entry).find((one) => giving.has(one));
      giving.delete(other);
      swap(places, entry, other);
    }
  }

  function keepApart(order, places, pairs) {
    const listed = new Set(pairs.flatMap(([a, b]) => [`${a} ${b}`, `${b} ${a}`]));
    const avoids = (a, b) => listed.has(`${a} ${b}`);
    for (let top = 0; top < places.length; top += 2) {
      const [upper, lower] = [places[top], places[top + 1]];
      if (upper === null || lower === null || !avoids(upper, lower)) continue;
      const [stays, entry] = order.indexOf(upper) < order.indexOf(lower) ? [upper, lower] : [lower, upper];
      const other = after(order, entry).find((one) => one !== stays && beside(places, one) !== null
        && !avoids(one, stays) && !avoids(entry, beside(places, one)));
      if (other !== undefined) swap(places, entry, other);
    }
  }

  function drawPlaces(order, draw) {
    const left = [...order];
    const places = placeRanks(order.length).map((rank) => (rank <= order.length ? left.shift() : null));
    serveByes(order, places, draw.byes_to || []);
    keepApart(order, places, [...(draw.apart || []), ...(draw.same_person || [])]);
    return places;
  }

  function check(draw) {
    const order = drawOrder(draw);
    const places = drawPlaces(order, draw);
    return {
      commitment: Sha256.hex(Sha256.digest(Sha256.bytes(draw.secret))) === draw.commitment,
      order: same(order, draw.order),
      places: !draw.places.length || same(places, draw.places),
      right: { order, places },
    };
  }

  window.DrawCheck = { check, drawOrder, drawPlaces };

  /* --- The page --- */

  const form = document.querySelector("[data-check-draw]");
  const answer = document.querySelector("[data-check-answer]");
  if (!form || !answer) return;

  const HEX = /^[0-9a-f]{64}$/;
  const words = (text) => text.split(/[\s,;]+/).filter(Boolean);
  const value = (name) => form.elements[name].value;

  function numbersIn(name) {
    const found = words(value(name)).map(Number);
    if (found.some((n) => !Number.isInteger(n) || n < 1) || new Set(found).size < found.length) throw new Error(name);
    return found;
  }

  function pairsIn(name) {
    const pairs = value(name).split(",").map((pair) => words(pair).map(Number)).filter((pair) => pair.length);
    if (pairs.some((pair) => pair.length !== 2 || pair.some((n) => !Number.isInteger(n)))) throw new Error(name);
    return pairs;
  }

  function hexIn(name) {
    const digits = value(name).replace(/\s/g, "").toLowerCase();
    if (!HEX.test(digits)) throw new Error(name);
    return digits;
  }

  function read() {
    const draw = {
      draw_id: value("draw_id"), public: value("public"),
      secret: hexIn("secret"), commitment: hexIn("commitment"),
      numbers: numbersIn("numbers"), order: numbersIn("order"),
      apart: pairsIn("apart"), same_person: pairsIn("same_person"),
      places: words(value("places")).map((word) => (word === "-" ? null : Number(word))),
    };
    if (draw.numbers.length < 2) throw new Error("numbers");
    return draw;
  }

  function line(kind, good, text) {
    const row = document.createElement("p");
    row.className = `notice ${good ? "is-good" : "is-bad"}`;
    row.dataset.checked = kind;
    row.dataset.good = String(good);
    const sign = document.createElement("span");
    sign.className = "notice-sign";
    sign.textContent = good ? "✓" : "✗";
    const said = document.createElement("span");
    said.textContent = text;
    row.append(sign, said);
    return row;
  }

  function firstRound(places) {
    const box = document.createElement("details");
    const title = document.createElement("summary");
    title.textContent = form.dataset.bracket;
    const list = document.createElement("ol");
    list.className = "drawn-pairs";
    for (let top = 0; top < places.length; top += 2) {
      const row = document.createElement("li");
      row.textContent = [places[top], places[top + 1]].map((n) => n ?? form.dataset.bye).join(" – ");
      list.append(row);
    }
    box.append(title, list);
    return box;
  }

  function show() {
    let draw;
    try {
      draw = read();
    } catch (error) {
      const label = form.elements[error.message].labels[0].textContent;
      return answer.replaceChildren(line("all", false, `${form.dataset.unread} ${label}`));
    }
    const found = check(draw);
    const kinds = draw.places.length ? ["commitment", "order", "places"] : ["commitment", "order"];
    const steps = kinds.map((kind) => {
      const said = form.dataset[`${kind}${found[kind] ? "Good" : "Bad"}`];
      const right = found[kind] || kind === "commitment" ? "" : ` ${form.dataset.right} ${found.right[kind].map((n) => n ?? "-").join(" ")}`;
      return line(kind, found[kind], said + right);
    });
    const good = found.commitment && found.order && found.places;
    answer.replaceChildren(line("all", good, good ? form.dataset.good : form.dataset.bad), ...steps);
    if (draw.places.length) answer.append(firstRound(found.right.places));
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    delete form.dataset.sent;
    show();
  });
  form.addEventListener("input", show);
  if (value("secret")) show();
})();
