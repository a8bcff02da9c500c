/**
 * A Trackio server on this machine, which answers as the real one did when test/golden/trackio.json was recorded
 * (packages/trackers/test/trackio.long.test.ts checks that). A test can make it fail or hang.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Entry {
  readonly run: string;
  readonly run_id: string;
  readonly step: number;
  readonly log_id: string;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly config?: object;
}
interface Alert {
  readonly run: string;
  readonly title: string;
  readonly text: string;
  readonly level: string;
  readonly step: number;
  readonly alert_id: string;
}

const REFUSED =
  'A write_token is required to log metrics or upload to this server. Use the write-access URL from trackio.show(), set TRACKIO_WRITE_TOKEN, or send header X-Trackio-Write-Token.';

export class LoopbackTrackio {
  /** By their ids: what comes twice is kept as it came first. */
  readonly logs = new Map<string, Entry>();
  readonly alerts = new Map<string, Alert>();
  readonly configs = new Map<string, object>();
  readonly asked: string[] = [];
  /** What the next answers are instead; `lost` is done and not told, and `none` is as ever. */
  readonly failures: (number | 'lost' | 'none')[] = [];
  isHanging = false;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #port = 0;

  get uri(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Again at the same place, where it was open before. */
  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** [step, value], in the order in which they came. */
  history(key: string): [number, unknown][] {
    return [...this.logs.values()].flatMap(({ step, metrics }) =>
      key in metrics ? [[step, metrics[key]] as [number, unknown]] : [],
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', headers } = request;
    this.asked.push(url);
    let body = '';
    for await (const piece of request) body += piece;
    if (this.isHanging) return;
    const failure = this.failures.shift();
    if (typeof failure === 'number') {
      response.writeHead(failure).end('busy');
      return;
    }
    const isAllowed = headers['x-trackio-write-token'] === 'secret' || !url.startsWith('/api/bulk_');
    const answer = isAllowed ? this.#do(url.replace('/api/', ''), JSON.parse(body)) : { error: REFUSED };
    const status = 'data' in answer ? 200 : isAllowed ? 404 : 400;
    if (failure === 'lost') response.destroy();
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  // biome-ignore lint/suspicious/noExplicitAny: the bodies are those that the client is known to send
  #do(name: string, given: any): { readonly data: unknown } | { readonly error: string } {
    const logs = [...this.logs.values()];
    switch (name) {
      case 'bulk_log':
        for (const entry of given.logs as readonly Entry[]) {
          if (!this.logs.has(entry.log_id)) this.logs.set(entry.log_id, entry);
          if (entry.config !== undefined) this.configs.set(entry.run_id, entry.config);
        }
        return { data: null };
      case 'bulk_alert':
        for (const alert of given.alerts as readonly Alert[]) {
          if (!this.alerts.has(alert.alert_id)) this.alerts.set(alert.alert_id, alert);
        }
        return { data: null };
      case 'get_runs_for_project': {
        const names = new Map(logs.map(({ run_id, run }) => [run_id, run]));
        return { data: [...names].map(([id, run]) => ({ id, name: run })) };
      }
      case 'get_logs': {
        const shown = (value: unknown): unknown => (value === 'NaN' ? null : value);
        return {
          data: logs.map(({ step, metrics }) => ({
            ...Object.fromEntries(Object.entries(metrics).map(([key, value]) => [key, shown(value)])),
            step,
          })),
        };
      }
      case 'get_alerts':
        return {
          data: [...this.alerts.values()].map(({ run, title, text, level, step }) => ({
            run,
            title,
            text,
            level,
            step,
          })),
        };
      case 'get_run_configs':
        return { data: Object.fromEntries(this.configs) };
      default:
        return { error: `Unknown API: ${name}` };
    }
  }
}
