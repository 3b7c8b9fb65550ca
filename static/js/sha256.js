/* SHA-256 (FIPS 180-4) and HMAC (RFC 2104), small and plain: browsers hide their own on a hall's plain-http address.

   Sha256.digest(bytes) → bytes    Sha256.hmac(key, bytes) → bytes    Sha256.hex(bytes), Sha256.bytes(hex), Sha256.utf8(text) */
(() => {
  "use strict";

  const BLOCK = 64;
  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((p) => n % p)) primes.push(n);
  const fraction = (x) => Math.floor((x - Math.floor(x)) * 2 ** 32) >>> 0;
  const START = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
  const STEPS = primes.map((p) => fraction(Math.cbrt(p)));
  const turn = (x, n) => (x >>> n) | (x << (32 - n));

  function padded(bytes) {
    const length = Math.ceil((bytes.length + 9) / BLOCK) * BLOCK;
    const whole = new Uint8Array(length);
    whole.set(bytes);
    whole[bytes.length] = 0x80;
    const view = new DataView(whole.buffer);
    view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(length - 4, (bytes.length << 3) >>> 0);
    return view;
  }

  function scheduled(view, at) {
    const w = new Uint32Array(64);
    for (let t = 0; t < 16; t += 1) w[t] = view.getUint32(at + 4 * t);
    for (let t = 16; t < 64; t += 1) {
      const low = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ (w[t - 15] >>> 3);
      const high = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ (w[t - 2] >>> 10);
      w[t] = w[t - 16] + low + w[t - 7] + high;
    }
    return w;
  }

  function mix(state, w) {
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t += 1) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + STEPS[t] + w[t]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
    }
    return [a, b, c, d, e, f, g, h].map((x, i) => (x + state[i]) | 0);
  }

  function digest(bytes) {
    const view = padded(bytes);
    let state = START;
    for (let at = 0; at < view.byteLength; at += BLOCK) state = mix(state, scheduled(view, at));
    const out = new DataView(new ArrayBuffer(32));
    state.forEach((x, i) => out.setInt32(4 * i, x));
    return new Uint8Array(out.buffer);
  }

  function joined(one, other) {
    const both = new Uint8Array(one.length + other.length);
    both.set(one);
    both.set(other, one.length);
    return both;
  }

  function hmac(key, bytes) {
    const block = new Uint8Array(BLOCK);
    block.set(key.length > BLOCK ? digest(key) : key);
    const inner = digest(joined(block.map((x) => x ^ 0x36), bytes));
    return digest(joined(block.map((x) => x ^ 0x5c), inner));
  }

  window.Sha256 = {
    digest,
    hmac,
    hex: (bytes) => [...bytes].map((x) => x.toString(16).padStart(2, "0")).join(""),
    bytes: (hex) => Uint8Array.from(hex.match(/../g) || [], (pair) => parseInt(pair, 16)),
    utf8: (text) => new TextEncoder().encode(text),
  };
})();
