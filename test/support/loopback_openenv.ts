/**
 * An OpenEnv server on this machine, which says what the real one said when packages/zoo/test/openenv/messages.json was recorded
 * (`bash .ci/run openenv` records it again, and compares). It can be slow, gone, full, and say anything else.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

interface Recorded {
  /** [seed] */
  readonly reset: Readonly<Record<string, string>>;
  /** [seed/turn/guess] */
  readonly step: Readonly<Record<string, string>>;
  readonly invalid: string;
  readonly state: string;
  readonly unknown: string;
  readonly junk: string;
  readonly full: string;
  /** Of a server with tools: what it says to reset, to the list of them, and to calls. */
  readonly tools: Readonly<Record<'reset' | 'list' | 'put' | 'wrong' | 'unknown' | 'ship', string>>;
}

export const RECORDED = JSON.parse(
  readFileSync(new URL('../../packages/zoo/test/openenv/messages.json', import.meta.url), 'utf8'),
) as Recorded;

/** What a client sent, as far as a test asks. */
export interface Sent {
  readonly type: string;
  readonly data?: { readonly seed?: number; readonly guess?: unknown };
}

/** An answer in the place of the recorded one: a text; nothing at all; or the end of the connection. */
type Instead = string | 'nothing' | 'drop' | undefined;

export class LoopbackOpenEnv {
  /** Every message that came, of all sessions. */
  readonly asked: Sent[] = [];
  /** Decides what is said in the place of what was recorded. */
  instead: (message: Sent, recorded: string) => Instead = () => undefined;
  /** Milliseconds before an answer. */
  delay: () => number = () => 0;
  mostSessions = 16;
  /** Status of the answer to a handshake, where it is refused. */
  status: number | undefined;
  openSessions = 0;
  readonly #server = createServer((request, response) => {
    response.end(request.url === '/list_environments' ? '["guess_env"]' : '');
  });
  readonly #streams = new Set<Duplex>();
  #port = 0;
  #isUp = false;

  constructor() {
    this.#server.on('upgrade', (request, stream: Duplex) => {
      stream.on('error', () => undefined);
      if (!this.#isUp) stream.destroy();
      else if (this.status !== undefined || request.url !== '/ws') {
        stream.end(`HTTP/1.1 ${this.status ?? 403} Refused\r\nConnection: close\r\n\r\n`);
      } else this.#accept(request.headers['sec-websocket-key'] ?? '', stream);
    });
  }

  #accept(key: string, stream: Duplex): void {
    const accepted = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    const head = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}`;
    stream.write(`HTTP/1.1 101 Switching Protocols\r\n${head}\r\n\r\n`);
    this.#serve(stream);
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  /** Listens again at the same port where it was gone. */
  async start(): Promise<void> {
    this.#isUp = true;
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#isUp = false;
    for (const stream of this.#streams) stream.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(stream: Duplex): void {
    const session = { seed: 0, turn: 0 };
    this.#streams.add(stream);
    if (++this.openSessions > this.mostSessions) stream.end(frame(RECORDED.full));
    stream.on('close', () => {
      this.#streams.delete(stream);
      this.openSessions--;
    });
    let received = Buffer.alloc(0);
    stream.on('data', (data: Buffer) => {
      received = Buffer.concat([received, data]);
      for (let read = unmasked(received); read !== undefined; read = unmasked(received)) {
        received = received.subarray(read.end);
        if (read.opcode === 8) stream.end();
        if (read.opcode === 1) this.#answer(stream, session, read.text);
      }
    });
  }

  #answer(stream: Duplex, session: { seed: number; turn: number }, text: string): void {
    const message = JSON.parse(text) as Sent; // of the client under test
    this.asked.push(message);
    if (message.type === 'close') return;
    const recorded = this.#recorded(message, session);
    const said = this.instead(message, recorded) ?? recorded;
    if (said === 'nothing') return;
    if (said === 'drop') stream.destroy();
    else setTimeout(() => stream.writable && stream.write(frame(said)), this.delay());
  }

  #recorded({ type, data }: Sent, session: { seed: number; turn: number }): string {
    if (type === 'state') return RECORDED.state;
    if (type === 'reset') {
      Object.assign(session, { seed: data?.seed, turn: 0 });
      return RECORDED.reset[session.seed];
    }
    if (type !== 'step') return RECORDED.unknown;
    if (!Number.isInteger(data?.guess)) return RECORDED.invalid;
    // Above the hidden digits, one number is as another.
    return RECORDED.step[`${session.seed}/${session.turn++}/${Math.min(9, Number(data?.guess))}`];
  }
}

/** A text as a server sends it, without a mask. */
export function frame(text: string, opcode = 1, isLast = true): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = (isLast ? 128 : 0) | opcode;
  head[1] = payload.length < 126 ? payload.length : head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(payload.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

/** The first frame of a client; undefined where it is not whole yet. @throws where it has no mask */
export function unmasked(
  bytes: Buffer,
): { readonly opcode: number; readonly text: string; readonly end: number } | undefined {
  if (bytes.length < 2) return undefined;
  if ((bytes[1] & 128) === 0) throw new Error('a client must mask its frames');
  const short = bytes[1] & 127;
  const begin = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < begin + 4) return undefined;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const end = begin + 4 + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(begin, begin + 4);
  const payload = bytes.subarray(begin + 4, end).map((byte, i) => byte ^ mask[i & 3]);
  return { opcode: bytes[0] & 15, text: Buffer.from(payload).toString('utf8'), end };
}
