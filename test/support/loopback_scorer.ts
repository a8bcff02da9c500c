/** A server on this machine that scores completions, by default by their length, and can do all that a server can do wrong. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Asked {
  readonly id: number;
  readonly prompt: string;
  readonly completion: string;
}

export interface ScorerRequest {
  readonly headers: IncomingHttpHeaders;
  readonly completions: readonly Asked[];
}

/** What is answered in the place of scores; undefined: scores. */
type Instead = (response: ServerResponse, request: ScorerRequest, number: number) => boolean | undefined;

export class LoopbackScorer {
  /** Requests for scores, without those that ask whether it is there. */
  readonly requests: ScorerRequest[] = [];
  /** Requests of any kind. */
  connections = 0;
  instead: Instead = () => undefined;
  score: (asked: Asked) => unknown = ({ completion }) => completion.length / 8;
  readonly #server = createServer((request, response) => {
    this.connections++;
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const completions = JSON.parse(Buffer.concat(pieces).toString()) as Asked[];
      const asked = { headers: request.headers, completions };
      if (completions.length > 0) this.requests.push(asked);
      if (completions.length > 0 && this.instead(response, asked, this.requests.length)) return;
      const scores = completions.map((one) => ({ id: one.id, score: this.score(one) })).reverse();
      response.end(JSON.stringify(scores));
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/score`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export async function startedScorer(): Promise<LoopbackScorer> {
  const server = new LoopbackScorer();
  await server.start();
  onTestFinished(() => server.stop().catch(() => undefined));
  return server;
}
