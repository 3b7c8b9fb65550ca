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

  /* One walk through round one, one exchange each. */
  function exchangeEach(order, places, avoids, fixed) {
    for (let top = 0; top < places.length; top += 2) {
      const [upper, lower] = [places[top], places[top + 1]];
      if (upper === null || lower === null || !avoids(upper, lower)) continue;
      let [stays, entry] = order.indexOf(upper) < order.indexOf(lower) ? [upper, lower] : [lower, upper];
      if (fixed.has(entry)) [stays, entry] = [entry, stays];
      if (fixed.has(entry)) continue;
      const other = after(order, entry).find((one) => one !== stays && !fixed.has(one) && beside(places, one) !== null
        && !avoids(one, stays) && !avoids(entry, beside(places, one)));
      if (other !== undefined) swap(places, entry, other);
    }
  }

  function pairsOf(places) {
    const pairs = [];
    for (let top = 0; top < places.length; top += 2) {
      if (places[top] !== null && places[top + 1] !== null) pairs.push([places[top], places[top + 1]]);
    }
    return pairs;
  }

  /* A path that makes one pair more of those who may meet, by Edmonds' blossoms: its entries, the root last. */
  function findPath(root, playing, partner, edge, left) {
    const turn = new Map(playing.map((entry, at) => [entry, at]));
    const base = new Map(playing.map((entry) => [entry, entry]));
    const came = new Map();
    const outer = [root];
    const isOuter = new Set(outer);
    const found = { path: [], reached: [], refused: false };
    const push = (entry) => { if (!isOuter.has(entry)) { isOuter.add(entry); outer.push(entry); } };
    const matched = (entry) => (edge(entry, partner.get(entry)) ? partner.get(entry) : null);

    function commonBase(one, other) {
      const seen = new Set();
      for (let at = base.get(one); ; at = base.get(came.get(partner.get(at)))) {
        seen.add(at);
        if (at === root) break;
      }
      let at = other;
      while (!seen.has(base.get(at))) at = came.get(partner.get(base.get(at)));
      return base.get(at);
    }

    function shrink(one, other) {
      const top = commonBase(one, other);
      const inside = new Set();
      for (const [entry, child] of [[one, other], [other, one]]) {
        let [at, from] = [entry, child];
        while (base.get(at) !== top) {
          const mate = partner.get(at);
          inside.add(base.get(at)).add(base.get(mate));
          came.set(at, from);
          [from, at] = [mate, came.get(mate)];
        }
      }
      for (const entry of playing) {
        if (inside.has(base.get(entry))) {
          base.set(entry, top);
          push(entry);
        }
      }
    }

    function look(entry, other) {
      if (base.get(entry) === base.get(other) || matched(entry) === other || !edge(entry, other)) return false;
      if (isOuter.has(other)) {
        shrink(entry, other);
        return false;
      }
      if (came.has(other)) return false;
      const mate = matched(other);
      if (mate !== null) {
        came.set(other, entry);
        push(mate);
        return false;
      }
      if (other !== partner.get(root) && !left(partner.get(root), partner.get(other))) {
        found.refused = true;
        return false;
      }
      came.set(other, entry);
      return true;
    }

    for (const entry of outer) {
      const at = turn.get(entry);
      for (const other of [...playing.slice(at + 1), ...playing.slice(0, at)]) {
        if (!look(entry, other)) continue;
        for (let end = other; ; end = partner.get(came.get(end))) {
          found.path.push(end, came.get(end));
          if (came.get(end) === root) return found;
        }
      }
    }
    found.reached = [...isOuter, ...came.keys()];
    return found;
  }

  function changeAlong(partner, path) {
    const [end, root] = [path[0], path[path.length - 1]];
    const rest = [partner.get(root), partner.get(end)];
    for (let at = 0; at < path.length; at += 2) partner.set(path[at], path[at + 1]).set(path[at + 1], path[at]);
    if (rest[0] !== end) partner.set(rest[0], rest[1]).set(rest[1], rest[0]);
  }

  /* The pairs on their places: who is fixed, else the earlier drawn, stays where that is free. */
  function seat(order, places, partner, fixed) {
    const at = new Map(places.map((entry, place) => [entry, place]));
    const result = [...places];
    const changed = order.filter((entry) => partner.has(entry) && at.get(partner.get(entry)) !== (at.get(entry) ^ 1));
    const slot = (entry) => at.get(entry) & ~1;
    const free = new Set(changed.map(slot));
    const seen = new Set();
    const pairs = [];
    for (const entry of changed) {
      if (seen.has(entry)) continue;
      seen.add(entry).add(partner.get(entry));
      pairs.push([entry, partner.get(entry)]);
    }
    const take = (stays, other) => {
      free.delete(slot(stays));
      result[at.get(stays)] = stays;
      result[at.get(stays) ^ 1] = other;
    };
    const holds = ([one, other]) => fixed.has(one) || fixed.has(other);
    for (const [one, other] of pairs.filter(holds)) take(...(fixed.has(one) ? [one, other] : [other, one]));
    const waiting = [];
    for (const [one, other] of pairs.filter((pair) => !holds(pair))) {
      if (free.has(slot(one))) take(one, other);
      else if (free.has(slot(other))) take(other, one);
      else waiting.push([one, other]);
    }
    [...free].sort((one, other) => one - other).forEach((top, turn) => {
      [result[top], result[top + 1]] = waiting[turn];
    });
    return result;
  }

  function matchAgain(order, places, mayMeet, atWorst, fixed) {
    const partner = new Map();
    for (const [one, other] of pairsOf(places)) {
      if (!fixed.has(one) || !fixed.has(other)) partner.set(one, other).set(other, one);
    }
    const movable = (one, other) => !fixed.has(one) || !fixed.has(other);
    const edge = (one, other) => movable(one, other) && mayMeet(one, other);
    const left = (one, other) => movable(one, other) && atWorst(one, other);
    const gone = new Set();
    for (const root of places.filter((entry) => partner.has(entry))) {
      if (gone.has(root) || edge(root, partner.get(root))) continue;
      const playing = order.filter((entry) => partner.has(entry) && !gone.has(entry));
      const found = findPath(root, playing, partner, edge, left);
      if (found.path.length) changeAlong(partner, found.path);
      else if (!found.refused) found.reached.forEach((entry) => gone.add(entry));
    }
    return seat(order, places, partner, fixed);
  }

  function listed(pairs, groups) {
    const found = new Map();
    const add = (one, other) => found.set(one, (found.get(one) || new Set()).add(other));
    for (const [one, other] of pairs) {
      add(one, other);
      add(other, one);
    }
    for (const group of groups) {
      for (const one of group) for (const other of group) if (one !== other) add(one, other);
    }
    return (one, other) => found.has(one) && found.get(one).has(other);
  }

  /* Until which round each two are kept apart; null where round one is all there is. */
  function untilOf(draw) {
    const until = new Map();
    const say = (one, other, last) => {
      for (const [a, b] of [[one, other], [other, one]]) {
        if (!until.has(a)) until.set(a, new Map());
        until.get(a).set(b, Math.max(last, until.get(a).get(b) || 1));
      }
    };
    for (const group of draw.clubs || []) {
      group.forEach((one, at) => group.slice(at + 1).forEach((other) => say(one, other, draw.clubs_until || 1)));
    }
    for (const [one, other] of draw.apart || []) say(one, other, 1);
    for (const [one, other] of draw.same_person || []) say(one, other, draw.persons_until || 1);
    for (const [one, other, last] of draw.later || []) if (until.has(one) && until.get(one).has(other)) say(one, other, last);
    return [...until.values()].some((others) => [...others.values()].some((last) => last > 1)) ? until : null;
  }

  const TRIES = 50000;

  /* Exchanges between parts of the bracket, each of which makes fewer meet too early, an earlier round first. */
  function keepApartLater(order, places, until, onePerson, fixed) {
    const placeOf = new Map(places.map((entry, place) => [entry, place]));
    const meet = (one, other) => 32 - Math.clz32(one ^ other);
    const final = meet(0, places.length - 1);
    let tries = TRIES;

    function early(entry, other) {
      const last = placeOf.has(other) && until.has(entry) ? until.get(entry).get(other) || 0 : 0;
      const round = last ? meet(placeOf.get(entry), placeOf.get(other)) : 0;
      return round <= last ? round : 0;
    }

    function cost(pair) {
      const found = new Array(final + 1).fill(0);
      for (const entry of pair) {
        for (const other of until.has(entry) ? until.get(entry).keys() : []) {
          const round = early(entry, other);
          if (round) found[round] += 1;
          if (round === 1 && onePerson(entry, other)) found[0] += 1;
        }
      }
      return found;
    }

    function isLess(one, other) {
      const at = one.findIndex((number, turn) => number !== other[turn]);
      return at >= 0 && one[at] < other[at];
    }

    function exchange(one, other) {
      swap(places, one, other);
      const [here, there] = [placeOf.get(one), placeOf.get(other)];
      placeOf.set(one, there).set(other, here);
    }

    function moved(entry) {
      const rounds = [...until.get(entry).keys()].map((other) => early(entry, other)).filter((round) => round > 1 && round < final);
      if (!rounds.length) return false;
      const round = Math.min(...rounds);
      const here = placeOf.get(entry);
      for (const other of after(order, entry)) {
        const there = placeOf.get(other);
        const bye = (places[here ^ 1] === null) !== (places[there ^ 1] === null);
        if (fixed.has(other) || meet(here, there) <= round || bye) continue;
        tries -= 1;
        if (tries < 0) return false;
        const before = cost([entry, other]);
        exchange(entry, other);
        if (isLess(cost([entry, other]), before)) return true;
        exchange(entry, other);
      }
      return false;
    }

    const movable = [...order].reverse().filter((entry) => until.has(entry) && !fixed.has(entry));
    while (movable.some(moved)) { /* until nobody can */ }
    return places;
  }

  function keepApart(order, places, draw, fixed) {
    const until = untilOf(draw);
    const parted = partFirstRound(order, places, draw, fixed);
    return until ? keepApartLater(order, parted, until, listed(draw.same_person || [], []), fixed) : parted;
  }

  function partFirstRound(order, places, draw, fixed) {
    const onePerson = listed(draw.same_person || [], []);
    const avoids = listed([...(draw.apart || []), ...(draw.same_person || [])], draw.clubs || []);
    exchangeEach(order, places, avoids, fixed);
    const met = pairsOf(places).filter(([one, other]) => avoids(one, other));
    if (!met.length) return places;
    const apart = (one, other) => !onePerson(one, other);
    const first = met.some(([one, other]) => onePerson(one, other))
      ? matchAgain(order, places, apart, () => true, fixed) : places;
    return matchAgain(order, first, (one, other) => !avoids(one, other), apart, fixed);
  }

  function drawPlaces(order, draw) {
    const seeds = draw.seeds || [];
    const left = seeds.length ? [...seeds, ...order.filter((entry) => !seeds.includes(entry))] : [...order];
    const places = placeRanks(order.length).map((rank) => {
      if (rank > order.length) return null;
      return seeds.length ? left[rank - 1] : left.shift();
    });
    if (!seeds.length) serveByes(order, places, draw.byes_to || []);
    return keepApart(order, places, draw, new Set(seeds));
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

  function triplesIn(name) {
    const found = value(name).split(",").map((said) => words(said).map(Number)).filter((said) => said.length);
    if (found.some((said) => said.length !== 3 || said.some((n) => !Number.isInteger(n)))) throw new Error(name);
    return found;
  }

  function roundIn(name) {
    const round = Number(value(name).trim() || 1);
    if (!Number.isInteger(round) || round < 1) throw new Error(name);
    return round;
  }

  function groupsIn(name) {
    const groups = value(name).split(",").map((group) => words(group).map(Number)).filter((group) => group.length);
    if (groups.some((group) => group.some((n) => !Number.isInteger(n)))) throw new Error(name);
    return groups;
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
      byes_to: numbersIn("byes_to"), seeds: numbersIn("seeds"), clubs: groupsIn("clubs"),
      later: triplesIn("later"), clubs_until: roundIn("clubs_until"), persons_until: roundIn("persons_until"),
      apart: pairsIn("apart"), same_person: pairsIn("same_person"),
      places: words(value("places")).map((word) => (word === "-" ? null : Number(word))),
    };
    if (draw.numbers.length < 2) throw new Error("numbers");
    for (const name of ["byes_to", "seeds"]) {
      if (draw[name].some((entry) => !draw.numbers.includes(entry))) throw new Error(name);
    }
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

  /* The fields stay under the finger of whoever types in them: a shorter answer takes as much room. */
  function keepRoom() {
    answer.style.minHeight = `${answer.offsetHeight}px`;
  }

  function show() {
    keepRoom();
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
