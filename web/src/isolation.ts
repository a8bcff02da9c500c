/** Cross-origin isolation on a host without the headers: a service worker adds them, and the page loads once more. */

/** Most milliseconds for the service worker to take the page over: a page that loads before that is not isolated. */
const MOST_WAIT_MS = 3_000;
const TRIED = 'rlvr-train isolation';

/** True where the page is about to load again: nothing else need be started. */
export async function isolate(): Promise<boolean> {
  if (globalThis.crossOriginIsolated || !import.meta.env.PROD || !('serviceWorker' in navigator)) return false;
  // In a frame only the page around it can isolate it.
  if (window !== window.top) return false;
  // Once per session: a browser that does not become isolated by it trains on one thread, and the page says so.
  if (sessionStorage.getItem(TRIED) !== null) return false;
  try {
    const { serviceWorker } = navigator;
    sessionStorage.setItem(TRIED, 'yes');
    const takenOver = new Promise<void>((resolve) => {
      serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true });
      setTimeout(resolve, MOST_WAIT_MS);
    });
    const registration = await serviceWorker.register('./service_worker.js');
    if (serviceWorker.controller === null) await takenOver;
    // One that is active but late takes over the next page; one that is kept from starting never does.
    if (registration.active === null) return false;
    location.reload();
    return true;
  } catch {
    return false; // denied: as above
  }
}
