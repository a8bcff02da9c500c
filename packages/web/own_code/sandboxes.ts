/**
 * The workers of visitors' rewards, which only a page can shut off as they are. Three walls, each of which would do:
 *
 * 1. The worker's address is a `data:` URL, so its origin is none: the browser gives it no storage and no cookie.
 * 2. It is started from a frame with a Content-Security-Policy of its own, which workers with such an address inherit:
 *    no connection, no font, no module, no text as code, whatever the page's policy is, and where a page has none.
 * 3. All that is not the language itself is taken from it before the code is read (`sandbox_program.ts`).
 *
 * The program refuses to read code where it finds that the first two are not so.
 */
import { ECMASCRIPT_GLOBALS } from '../../zoo/rewards/sandbox/sandbox.ts';
import { sandboxSource } from './sandbox_program.ts';

/** The code itself is a script from a blob: that it may load, and nothing else. */
const POLICY = "default-src 'none'; script-src blob:; worker-src data:";

/** A sandbox that was started: it gets questions at the other end of its port. */
export interface SandboxWorker {
  terminate(): void;
}

/** A `MessagePort`, as the declarations of the package name it: they hold without the DOM's types. */
export interface SandboxPort {
  postMessage(message: unknown): void;
  close(): void;
}

/**
 * Starts a sandbox that answers at `port`'s other end. Returns at once; what is asked meanwhile is answered later.
 *
 * @param ended  called with the reason why it can answer nothing more
 */
export type StartSandbox = (port: SandboxPort, ended: (reason: string) => void) => SandboxWorker;

/** A browser now and then loses a worker as it starts, without a word or with an error that has none. */
const MOST_STARTS = 3;
/** Milliseconds after which another worker is started beside one that has not reported. */
const PATIENCE_MS = 4000;

/** Starts a sandbox from this page: of the workers that it takes, the first that reports gets the port. */
export const startSandbox: StartSandbox = (port, ended) => {
  const workers = new Set<Worker>();
  let starts = 0;
  let isSettled = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const terminate = (): void => {
    isSettled = true;
    clearTimeout(timer);
    for (const worker of workers) worker.terminate();
    workers.clear();
  };
  const end = (reason: string): void => {
    terminate();
    ended(reason);
  };
  const serve = (worker: Worker): void => {
    workers.delete(worker);
    terminate(); // the others
    workers.add(worker);
    worker.onmessage = null;
    worker.onerror = ({ message }) => end(`failed outside of a call (${message || 'without a message'})`);
    worker.postMessage(undefined, [port as MessagePort]);
  };
  const begin = async (): Promise<void> => {
    const isFirst = starts++ === 0;
    clearTimeout(timer);
    if (starts < MOST_STARTS) timer = setTimeout(begin, PATIENCE_MS);
    try {
      const { Worker: PolicedWorker } = await policedWindow({ anew: !isFirst });
      if (isSettled) return;
      const source = encodeURIComponent(sandboxSource(ECMASCRIPT_GLOBALS));
      const worker = new PolicedWorker(`data:text/javascript;charset=utf-8,${source}`);
      workers.add(worker);
      worker.onmessage = () => serve(worker);
      worker.onerror = ({ message }) => {
        worker.terminate();
        workers.delete(worker);
        if (starts < MOST_STARTS) void begin();
        else if (workers.size === 0) end(`was not started by the browser${message ? ` (${message})` : ''}`);
      };
    } catch (error) {
      if (!isSettled) end(`has no place to run: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  void begin();
  return { terminate };
};

type PolicedWindow = Window & { readonly Worker: typeof Worker };

let policed: Promise<PolicedWindow> | undefined;

/** The window of an empty, hidden frame under the policy. One per page, unless another is asked for: it has nothing in it. */
function policedWindow({ anew }: { readonly anew: boolean }): Promise<PolicedWindow> {
  if (anew) policed = undefined;
  policed ??= new Promise((resolve, reject) => {
    if (globalThis.document === undefined) return reject(new Error('a reward of your own needs a page'));
    const frame = document.createElement('iframe');
    frame.hidden = true;
    frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
    frame.addEventListener('load', () => {
      if (frame.contentWindow === null) return reject(new Error('the page allows no frame'));
      resolve(frame.contentWindow as PolicedWindow);
    });
    document.documentElement.append(frame);
  });
  return policed;
}
