/* Asks the second laptop for its state (js/second_laptop.js).

   The content security policy lets pages talk to their own address only. This worker is loaded as a file without that
   policy. It sends nothing of the page or its cookies, and hands back four plain values. */
"use strict";

const PATIENCE = 5000;

self.onmessage = async ({ data: address }) => {
  const stop = new AbortController();
  const patience = setTimeout(() => stop.abort(), PATIENCE);
  try {
    const answer = await fetch(`${address}/second-laptop/state/`, {
      credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer", signal: stop.signal,
    });
    const { role, installation, epoch, proof } = await answer.json();
    self.postMessage({ role: String(role), installation: String(installation), epoch: Number(epoch), proof: String(proof) });
  } catch {
    // It does not answer, and is asked again.
  } finally {
    clearTimeout(patience);
  }
};
