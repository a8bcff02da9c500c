/** Cross-origin isolation on a host without the headers: a service worker adds them, and the page loads once more. */

/** Most milliseconds for the service worker to take the page over: a page that loads before that is not isolated. */
const MOST_WAIT_MS = 3_000;
const TRIED = 'rlvr-train isolation';

/** True where the page is about to load again: nothing else need be started. */
export async function isolate(): Promise<boolean> {
  if (globalThis.crossOriginIsolated || !import.meta.env.PROD || !('serviceWorker' in navigator)) return false;
  // Once a session: a browser that does not become isolated by it trains on one thread, and the page says so.
  if (sessionStorage.getItem(TRIED) !== null) return false;
  try {
    sessionStorage.setItem(TRIED, 'yes');
    const controlled = new Promise<void>((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true });
      setTimeout(resolve, MOST_WAIT_MS);
    });
    await navigator.serviceWorker.register('./isolation.js');
    // Where the worker is kept from starting, `ready` never comes.
    const isReady = navigator.serviceWorker.ready.then(() => true);
    if (!(await Promise.race([isReady, controlled]))) return navigator.serviceWorker.controller !== null && reload();
    if (navigator.serviceWorker.controller === null) await controlled;
    return reload();
  } catch {
    return false; // denied: as above
  }
}

function reload(): true {
  location.reload();
  return true;
}
