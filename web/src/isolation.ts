/** Cross-origin isolation on a host without the headers: a service worker adds them, and the page loads once more. */

const TRIED = 'rlvr-train isolation';

/** True where the page is about to load again: nothing else need be started. */
export async function isolate(): Promise<boolean> {
  if (globalThis.crossOriginIsolated || !import.meta.env.PROD || !('serviceWorker' in navigator)) return false;
  // Once a session: a browser that does not become isolated by it trains on one thread, and the page says so.
  if (sessionStorage.getItem(TRIED) !== null) return false;
  try {
    sessionStorage.setItem(TRIED, 'yes');
    await navigator.serviceWorker.register('./isolation.js');
    await navigator.serviceWorker.ready;
    location.reload();
    return true;
  } catch {
    return false; // denied: as above
  }
}
