/* Card pages without a network: the network first, what was kept of it as the fallback, and never as if it were new.

   A page out of the cache carries data-kept-at on <html>: since when it is so (js/outbox_panel.js says it).
   Other pages are left alone; where they cannot be had a page says what to do instead of the browser.
*/
"use strict";

const PAGES = "pages-1";
const FILES = "files-1";
const OFFLINE = "/offline/";
const PATIENCE = 5000;
const MOST_PAGES = 40;
const MOST_FILES = 120;
const KEPT_AT = "x-kept-at";

const isOfPlayer = (path) => /^\/(my|c)\//.test(path) && !/\/(sign|call|cut)\/$/.test(path);
const isNamedByContent = (path) => /\.[0-9a-f]{12}\.[a-z0-9]+$/.test(path);

self.addEventListener("install", (event) => {
  event.waitUntil(fetchInto(PAGES, OFFLINE).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const old = (await caches.keys()).filter((name) => name !== PAGES && name !== FILES);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  })());
});

async function put(name, url, answer, most) {
  if (!answer.ok || answer.redirected) return;
  const headers = new Headers(answer.headers);
  headers.set(KEPT_AT, String(Date.now()));
  headers.delete("content-encoding"); // the body comes unpacked
  headers.delete("content-length");
  const cache = await caches.open(name);
  await cache.delete(url); // put again it stands last
  await cache.put(url, new Response(await answer.blob(), { status: 200, headers }));
  const kept = await cache.keys();
  const spare = kept.filter((request) => new URL(request.url).pathname !== OFFLINE).slice(0, Math.max(0, kept.length - most));
  await Promise.all(spare.map((request) => cache.delete(request)));
}

/* X-Keep: nobody reads it now, so what is to be said once waits for the page that somebody opens. */
async function fetchInto(name, url) {
  const answer = await fetch(url, { credentials: "same-origin", cache: "no-cache", headers: { "X-Keep": "1" } });
  await put(name, url, answer, name === PAGES ? MOST_PAGES : MOST_FILES);
  return answer;
}

async function aged(kept) {
  const text = await kept.text();
  return new Response(text.replace("<html ", `<html data-kept-at="${kept.headers.get(KEPT_AT)}" `), { headers: kept.headers });
}

async function offline() {
  return (await (await caches.open(PAGES)).match(OFFLINE)) ?? Response.error();
}

async function page(request) {
  const { pathname } = new URL(request.url);
  const kept = isOfPlayer(pathname) ? await (await caches.open(PAGES)).match(pathname) : undefined;
  const stop = new AbortController();
  const patience = kept && setTimeout(() => stop.abort(), PATIENCE);
  try {
    const answer = await fetch(request, { signal: stop.signal });
    if (isOfPlayer(pathname) && answer.type === "basic") await put(PAGES, pathname, answer.clone(), MOST_PAGES);
    return answer;
  } catch {
    return kept ? aged(kept) : offline();
  } finally {
    clearTimeout(patience);
  }
}

async function file(request) {
  const cache = await caches.open(FILES);
  const kept = await cache.match(request.url);
  if (kept && isNamedByContent(request.url)) return kept;
  try {
    const answer = await fetch(request);
    await put(FILES, request.url, answer.clone(), MOST_FILES);
    return answer;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    if (request.method === "GET") event.respondWith(page(request));
    else event.respondWith(fetch(request).catch(offline));
  } else if (request.method === "GET" && url.pathname.startsWith("/static/")) {
    event.respondWith(file(request));
  }
});

/* Keep these pages and the files they name, and tell the page that asked when all of them are here. */
async function keep({ keep: pages, files }, asker) {
  const [kept, known] = await Promise.all([caches.open(PAGES), caches.open(FILES)]);
  for (const url of pages) {
    await fetchInto(PAGES, url).catch(() => {});
    const text = await (await kept.match(url))?.text();
    for (const [, named] of (text ?? "").matchAll(/(?:src|href)="(\/static\/[^"]+)"/g)) files.push(new URL(named, self.location).href);
  }
  const named = [...new Set(files)];
  for (const url of named) {
    if (!(await known.match(url))) await fetchInto(FILES, url).catch(() => {});
  }
  const here = await Promise.all([...pages.map((url) => kept.match(url)), ...named.map((url) => known.match(url))]);
  if (here.every(Boolean)) asker.postMessage({ ready: true });
}

async function forget(start) {
  const cache = await caches.open(PAGES);
  const found = (await cache.keys()).filter((request) => new URL(request.url).pathname.startsWith(start));
  await Promise.all(found.map((request) => cache.delete(request)));
}

self.addEventListener("message", (event) => {
  if (event.data.keep) event.waitUntil(keep(event.data, event.source));
  if (event.data.forget) event.waitUntil(forget(event.data.forget));
});
