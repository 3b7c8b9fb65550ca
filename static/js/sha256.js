/* SHA-256 and HMAC-SHA256 over bytes (FIPS 180-4, RFC 2104): a hall's address is plain http, where browsers keep
   Web Crypto away. Written to be read: the check of a draw is only as good as what it checks with. */
"use strict";

const sha256 = (() => {
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const fraction = (x) => Math.floor((x - Math.floor(x)) * 2 ** 32) | 0;
  const start = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
  const rounds = primes.map((p) => fraction(Math.cbrt(p)));
  const turn = (x, n) => (x >>> n) | (x << (32 - n));

  function padded(bytes) {
    const length = Math.ceil((bytes.length + 9) / 64) * 64;
    const out = new Uint8Array(length);
    out.set(bytes);
    out[bytes.length] = 0x80;
    const view = new DataView(out.buffer);
    view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(length - 4, bytes.length << 3);
    return view;
  }

  function schedule(view, at) {
    const w = new Int32Array(64);
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15], b = w[i - 2];
      const s0 = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
      const s1 = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
    }
    return w;
  }

  function block(state, w) {
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + rounds[i] + w[i]) | 0;
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(t1 + t2) | 0, a, b, c, (d + t1) | 0, e, f, g];
    }
    return [a, b, c, d, e, f, g, h].map((x, i) => (x + state[i]) | 0);
  }

  return (bytes) => {
    const view = padded(bytes);
    let state = start;
    for (let at = 0; at < view.byteLength; at += 64) state = block(state, schedule(view, at));
    const out = new DataView(new ArrayBuffer(32));
    state.forEach((x, i) => out.setInt32(4 * i, x));
    return new Uint8Array(out.buffer);
  };
})();

function hmacSha256(key, message) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const join = (mask, bytes) => {
    const out = new Uint8Array(64 + bytes.length);
    block.forEach((x, i) => { out[i] = x ^ mask; });
    out.set(bytes, 64);
    return out;
  };
  return sha256(join(0x5c, sha256(join(0x36, message))));
}

const toHex = (bytes) => Array.from(bytes, (x) => x.toString(16).padStart(2, "0")).join("");
const fromHex = (text) => Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
const utf8 = (text) => new TextEncoder().encode(text);
