/** The page without a network: once a visitor has opened a run, its service worker keeps the files of this build. */

/** Nothing is fetched for it before a click, nor where the page is part of another one. */
export async function keepForOffline(): Promise<void> {
  if (!import.meta.env.PROD || window !== window.top || !('serviceWorker' in navigator)) return;
  try {
    const { installing, waiting, active } = await navigator.serviceWorker.register('./service_worker.js');
    const newest = installing ?? waiting ?? active;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      document.body.dataset.offline = 'kept';
    };
    newest?.postMessage('keep', [port2]);
  } catch {
    // Denied by the browser: the page works, and needs the network at its next visit.
  }
}
