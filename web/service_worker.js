// Of the built page alone; the build writes the list of its files and their hash in (precache.mjs). It does two things:
// - It adds the headers that threads of WebAssembly need, where a static host cannot (src/isolation.ts).
// - Once the page asks for it (src/offline.ts), it keeps all files of one build, and answers with them without a network.
// The page itself is asked of the network first, so a new build is seen at the next load. All else has its hash in its
// name: whatever page is open, it gets the files that it was built with, or none.
/** By folder, between blanks. */
const FILES = Object.entries(self.FILES_OF_THE_BUILD).flatMap(([folder, names]) =>
  names.split(' ').map((name) => folder + name),
);
const KEPT = `rlvr-train ${self.VERSION_OF_THE_BUILD}`;
const HOME = new URL('./', self.location.href).href;
const KNOWN = new Set(FILES.map((file) => new URL(file, HOME).href));

self.addEventListener('activate', (event) => event.waitUntil(takeOver()));

async function takeOver() {
  const others = (await caches.keys()).filter((name) => name.startsWith('rlvr-train ') && name !== KEPT);
  await Promise.all(others.map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener('message', (event) => {
  if (event.data === 'keep') event.waitUntil(keep().then(() => event.ports[0]?.postMessage('kept')));
});

async function keep() {
  const cache = await caches.open(KEPT);
  const there = new Set((await cache.keys()).map(({ url }) => url));
  const missing = [...KNOWN, HOME].filter((url) => !there.has(url));
  await cache.addAll(missing.map((url) => new Request(url, { cache: 'no-cache' })));
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const url = origin + pathname;
  if (request.method !== 'GET' || (url !== HOME && !KNOWN.has(url))) return;
  const isPage = url === HOME || url.endsWith('.html');
  event.respondWith((isPage ? newest(request, url) : kept(request, url)).then(isolated));
});

async function newest(request, url) {
  try {
    return await fetch(request);
  } catch (error) {
    const found = await (await caches.open(KEPT)).match(url);
    if (found === undefined) throw error;
    return found;
  }
}

async function kept(request, url) {
  return (await (await caches.open(KEPT)).match(url)) ?? fetch(request);
}

function isolated(response) {
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
