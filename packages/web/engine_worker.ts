/** The worker's entry: opens one run, and serves a page's calls on it. Bundled by tools/build_web.mjs. */
import type { Message } from '../../src/text/codec.ts';
import type { AskedPolicy, GeneratedToken } from '../models/asked/asked_policy.ts';
import type { BrowserRun } from './browser_run.ts';
import type { LendingNews } from './lending_messages.ts';
import { errorRecord, type FromWorker, type ToWorker } from './messages.ts';
import { openRunHere } from './open_local_run.ts';
import type { StartSandbox } from './own_code/sandboxes.ts';

const say = (message: FromWorker, transfer: Transferable[] = []): void => globalThis.postMessage(message, { transfer });

/** By number: who is notified of the end of a sandbox. */
const sandboxes = new Map<number, (reason: string) => void>();
let started = 0;

/** A sandbox is started by the page: a worker of this one's would not have its walls. */
const startSandbox: StartSandbox = (end, ended) => {
  const port = end as MessagePort; // which alone can be given to a page
  const sandbox = started++;
  sandboxes.set(sandbox, ended);
  say({ type: 'start-sandbox', sandbox, port }, [port]);
  return {
    terminate: () => {
      sandboxes.delete(sandbox);
      say({ type: 'end-sandbox', sandbox });
    },
  };
};

let run: BrowserRun | undefined;
let policy: AskedPolicy | undefined;

type AskedOf = Extract<ToWorker, { readonly type: 'policy' }>;

function askOf(
  opened: AskedPolicy | undefined,
  { call, method, texts, options, isWatched }: AskedOf,
): Promise<unknown> {
  if (opened === undefined) throw new RangeError(`${method} was asked of a worker without a policy`);
  if (method === 'close') return opened.close();
  const given = {
    ...options,
    ...(isWatched && { onToken: (token: GeneratedToken) => say({ type: 'token', call, token }) }),
  };
  if (method === 'chat') return opened.chat(texts as readonly Message[], given); // the client is typed
  return opened.generate(texts as readonly string[], given);
}

async function serve(message: ToWorker): Promise<void> {
  if (message.type === 'sandbox-ended') return sandboxes.get(message.sandbox)?.(message.reason);
  if (message.type === 'lend') {
    const tell = (news: LendingNews): void => say({ type: 'lent', news });
    const { lend } = await import('./lent_worker.ts');
    return lend(message.options, tell).catch((error) => tell({ state: 'failed', line: errorRecord(error).message }));
  }
  if (message.type === 'stop-keeping') return keeping.abort();
  if (message.type === 'keep') return keep(message);
  const { call } = message;
  try {
    if (message.type === 'open') {
      await run?.close();
      run = await openRunHere(message.options, startSandbox);
      run.listen((event) => say({ type: 'event', event }));
      say({ type: 'opened', call, opened: run.opened });
      return;
    }
    if (message.type === 'open-policy') {
      const { openPolicyHere } = await import('./open_policy_here.ts');
      policy = await openPolicyHere(message.name, message.options);
      return say({ type: 'result', call, result: policy.name });
    }
    if (message.type === 'policy') return say({ type: 'result', call, result: await askOf(policy, message) });
    if (message.type === 'plan') {
      const { planRun, planSketches } = await import('./plan_run.ts');
      const { options } = message;
      say({ type: 'result', call, result: await ('models' in options ? planSketches(options) : planRun(options)) });
      return;
    }
    if (run === undefined) throw new RangeError(`${message.method} was asked of a worker without a run`);
    const method = run[message.method] as (...args: readonly unknown[]) => Promise<unknown>; // the client is typed
    say({
      type: 'result',
      call,
      result: await method.apply(run, [...message.args] satisfies Parameters<typeof method>),
    });
  } catch (error) {
    say({ type: 'error', call, error: errorRecord(error) });
  }
}

const keeping = new AbortController();

async function keep({ name, origin, options }: Extract<ToWorker, { readonly type: 'keep' }>): Promise<void> {
  const onProgress = (have: number, bytes: number): void => say({ type: 'keeping', have, bytes });
  try {
    const { keepModel } = await import('./pretrained/keep_model.ts');
    const model = await keepModel(name, origin, { ...options, onProgress, signal: keeping.signal });
    say({ type: 'kept', model });
  } catch (error) {
    say({ type: 'not-kept', error: errorRecord(error) });
  }
}

globalThis.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => void serve(data));
