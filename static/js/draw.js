/* The blind draw once more, from the text of docs/draw.md: order by lots, places, moves for the avoid list. */
"use strict";

function drawOrder(record) {
  const key = fromHex(record.secret);
  const lots = new Map();
  for (const number of record.numbers) {
    lots.set(number, toHex(hmacSha256(key, utf8(`${record.public}|${record.draw_id}|${number}`))));
  }
  return record.numbers.slice().sort((a, b) => (lots.get(a) < lots.get(b) ? -1 : 1));
}

function ranksFor(count) {
  let ranks = [1];
  while (ranks.length < count) {
    const both = 2 * ranks.length + 1;
    ranks = ranks.flatMap((rank, i) => (i % 2 === 0 ? [rank, both - rank] : [both - rank, rank]));
  }
  return ranks;
}

class Places {
  constructor(order) {
    let next = 0;
    this.order = order;
    this.places = ranksFor(order.length).map((rank) => (rank <= order.length ? order[next++] : null));
    this.turn = new Map(order.map((entry, i) => [entry, i]));
    this.at = new Map(this.places.map((entry, i) => [entry, i]));
    this.moves = [];
  }
  beside(entry) { return this.places[this.at.get(entry) ^ 1]; }
  after(entry) {
    const turn = this.turn.get(entry);
    return this.order.slice(turn + 1).concat(this.order.slice(0, turn));
  }
  exchange(one, other) {
    const i = this.at.get(one), j = this.at.get(other);
    this.places[i] = other; this.places[j] = one;
    this.at.set(one, j); this.at.set(other, i);
  }
  move(entry, other, reason, opponent) {
    if (other !== null) this.exchange(entry, other);
    this.moves.push({ entry, with: other, reason, opponent });
  }
}

function serveByes(places, byesTo) {
  const byes = new Set(places.order.filter((entry) => places.beside(entry) === null));
  const served = new Set(byesTo.slice(0, byes.size));
  for (const entry of served) {
    if (byes.has(entry)) continue;
    const other = places.after(entry).find((x) => byes.has(x) && !served.has(x) && places.beside(x) === null);
    places.move(entry, other, "bye", null);
  }
}

function keepApart(places, avoid) {
  const name = (a, b) => (a < b ? `${a} ${b}` : `${b} ${a}`);
  const listed = new Set(avoid.pairs.map(([a, b]) => name(a, b)));
  const same = new Set(avoid.same_person.map(([a, b]) => name(a, b)));
  const apart = (a, b) => listed.has(name(a, b)) || same.has(name(a, b));
  for (let i = 0; i < places.places.length; i += 2) {
    const a = places.places[i], b = places.places[i + 1];
    if (a === null || b === null || !apart(a, b)) continue;
    const [stays, later] = places.turn.get(a) < places.turn.get(b) ? [a, b] : [b, a];
    const fits = (x) => places.beside(x) !== null && x !== stays && !apart(stays, x) && !apart(places.beside(x), later);
    const other = places.after(later).find(fits);
    const reason = same.has(name(a, b)) ? "same-person" : "avoid";
    places.move(later, other === undefined ? null : other, reason, stays);
  }
}

/* {secret, public, draw_id, numbers, byes_to, avoid: {pairs, same_person}} → {commitment, order, places, moves} */
function drawAgain(record) {
  const order = drawOrder(record);
  const places = new Places(order);
  serveByes(places, record.byes_to || []);
  keepApart(places, record.avoid || { pairs: [], same_person: [] });
  return { commitment: toHex(sha256(fromHex(record.secret))), order, places: places.places, moves: places.moves };
}
