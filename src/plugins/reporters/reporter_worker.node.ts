/** The thread that a user's reporter runs in: loads its file, then gets one event after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { PluginError } from '../../errors.ts';
import type { ModuleReference } from '../../run/opened_config.ts';
import type { Reporter, ReporterEvent } from '../../run/reporter_event.ts';
import { describeThrown, importExport } from '../module.node.ts';
import { sendWritesToStandardError } from '../process_guard.node.ts';
import { toReporter } from './reporter_module.ts';

/** What the thread is started with. */
export interface ReporterStart {
  readonly reference: ModuleReference;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What it says: first whether the file can be used, then that each event is done. */
export type ReporterReply =
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly rule: string }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly message: string };

sendWritesToStandardError();
const { reference, options } = workerData.start as ReporterStart; // reporter_thread.node.ts sends it
const say = (reply: ReporterReply): void => parentPort?.postMessage(reply);

async function load(): Promise<Reporter | undefined> {
  const called = reference.export === undefined ? 'its default export' : `its export ${reference.export}`;
  try {
    const reporter = toReporter(await importExport(reference), called, options);
    say({ type: 'ready' });
    return reporter;
  } catch (error) {
    const rule =
      error instanceof PluginError ? error.message : `fails: ${describeThrown(error, reference.path)}; correct it`;
    say({ type: 'refused', rule });
    return undefined;
  }
}

const reporter = await load();
let last: Promise<void> = Promise.resolve();

async function tell(event: ReporterEvent): Promise<void> {
  try {
    await reporter?.report(event);
    say({ type: 'done' });
  } catch (error) {
    say({ type: 'failed', message: describeThrown(error, reference.path) });
  }
}

parentPort?.on('message', (event: ReporterEvent) => {
  last = last.then(() => tell(event)); // in their order, however long each takes
});
