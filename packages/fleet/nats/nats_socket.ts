/**
 * As much of NATS's client protocol over a WebSocket as a worker in a browser needs: subscriptions, requests, and a connection
 * that comes back. The packages for it are six times as large as this and the fleet's own code together, which every
 * visitor would load. Protocol: https://docs.nats.io/reference/reference-protocols/nats-protocol
 */
import { FleetError } from '../../../src/errors.ts';
import { randomHex } from '../random_hex.ts';
import type { WorkerConnection, WorkerMessage } from './nats_worker_bus.ts';

/** Milliseconds between two attempts to connect. */
const RETRY_MS = 1000;
/** Longest line of the protocol, and longest message: the server's own limits are 4 kB and 1 MB. */
const MOST_LINE = 4096;
const MOST_MESSAGE = 2 ** 21;
const INBOX_BYTES = 8;
const [CR, LF] = [0x0d, 0x0a];

/** Where a server is, from an address like `wss://visitor:password@host:4223`. */
export interface SocketPlace {
  /** Without secrets. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** @throws FleetError for what is no address of a server that a page can reach */
export function socketPlace(given: string, pageProtocol: string): SocketPlace {
  const address = URL.canParse(given) ? new URL(given) : undefined;
  if (address === undefined || !['ws:', 'wss:'].includes(address.protocol) || address.hostname === '') {
    throw new FleetError('fleet-address', 'the link has no address of a fleet, as wss://visitor:password@host:4223.');
  }
  const { protocol, host, hostname } = address;
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (protocol === 'ws:' && pageProtocol === 'https:' && !isHere) {
    const rule = 'a page that came by https: may not open ws:; the server needs a certificate, and the link wss:';
    throw new FleetError('fleet-address', `${protocol}//${host} — ${rule}.`);
  }
  const [user, password] = [address.username, address.password].map(decodeURIComponent);
  return { url: `${protocol}//${host}`, user, password };
}

/** What a socket says of itself. */
export interface SocketEars {
  readonly connected: () => void;
  /** It will be tried again. */
  readonly away: () => void;
  /** It will not. */
  readonly refused: (reason: string) => void;
}

type Hear = (error: null, message: WorkerMessage) => void;

/** A connection to a NATS server; calls before it is there wait, or are void. */
export class NatsSocket implements WorkerConnection {
  readonly #place: SocketPlace;
  readonly #inbox: string;
  readonly #ears: SocketEars;
  readonly #subscriptions = new Map<number, { readonly subject: string; readonly hear: Hear }>();
  #socket: WebSocket | undefined;
  #isReady = false;
  #isClosed = false;
  #next = 1;
  #unread: Uint8Array = new Uint8Array(0);

  /** @param inbox  prefix of the subjects that replies come to */
  constructor(place: SocketPlace, inbox: string, ears: SocketEars) {
    this.#place = place;
    this.#inbox = inbox;
    this.#ears = ears;
    this.#connect();
  }

  subscribe(subject: string, { callback }: { readonly callback: Hear }): void {
    this.#subscribe(subject, callback);
  }

  publish(subject: string, payload: Uint8Array | string = ''): void {
    this.#send(`PUB ${subject}`, payload);
  }

  request(
    subject: string,
    payload: Uint8Array | string,
    { timeout }: { readonly timeout: number },
  ): Promise<WorkerMessage> {
    return new Promise((resolve, reject) => {
      const reply = `${this.#inbox}.${randomHex(INBOX_BYTES)}`;
      const done = (): void => {
        clearTimeout(timer);
        this.#subscriptions.delete(number);
        if (this.#isReady) this.#socket?.send(`UNSUB ${number}\r\n`);
      };
      const number = this.#subscribe(reply, (_, message) => {
        done();
        if (message.headers?.code === 503) reject(new Error('no responders'));
        else resolve(message);
      });
      const timer = setTimeout(() => {
        done();
        reject(new Error('timeout'));
      }, timeout);
      this.#send(`PUB ${subject} ${reply}`, payload);
    });
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isReady = false;
    this.#socket?.close();
  }

  #connect(): void {
    const socket = new WebSocket(this.#place.url);
    this.#socket = socket;
    this.#unread = new Uint8Array(0);
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) =>
      this.#read(typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data as ArrayBuffer));
    socket.onclose = () => {
      this.#isReady = false;
      if (this.#isClosed || this.#socket !== socket) return;
      this.#ears.away();
      setTimeout(() => this.#isClosed || this.#connect(), RETRY_MS);
    };
  }

  #subscribe(subject: string, hear: Hear): number {
    const number = this.#next++;
    this.#subscriptions.set(number, { subject, hear });
    if (this.#isReady) this.#socket?.send(`SUB ${subject} ${number}\r\n`);
    return number;
  }

  #send(command: string, payload: Uint8Array | string): void {
    if (!this.#isReady) return;
    const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
    const head = new TextEncoder().encode(`${command} ${bytes.length}\r\n`);
    const all = new Uint8Array(head.length + bytes.length + 2);
    all.set(head);
    all.set(bytes, head.length);
    all.set([CR, LF], head.length + bytes.length);
    this.#socket?.send(all);
  }

  /** Messages do not end where frames do. */
  #read(frame: Uint8Array): void {
    const all = new Uint8Array(this.#unread.length + frame.length);
    all.set(this.#unread);
    all.set(frame, this.#unread.length);
    let at = 0;
    for (;;) {
      const end = all.indexOf(LF, at);
      if (end < 0) break;
      const line = new TextDecoder().decode(all.subarray(at, end)).trimEnd();
      const used = this.#take(line, all.subarray(end + 1));
      if (used === undefined) break; // the rest of its message is still to come
      at = end + 1 + used;
    }
    this.#unread = all.slice(at);
    if (this.#unread.length > MOST_MESSAGE + MOST_LINE) this.#socket?.close();
  }

  /** @returns bytes of `rest` that belong to the line; undefined where they are not all there */
  #take(line: string, rest: Uint8Array): number | undefined {
    const [command = '', ...words] = line.split(/\s+/);
    switch (command.toUpperCase()) {
      case 'INFO':
        this.#greet();
        return 0;
      case 'PING':
        this.#socket?.send('PONG\r\n');
        return 0;
      case '-ERR':
        this.#fails(line);
        return 0;
      case 'MSG':
      case 'HMSG': {
        const hasHeaders = command.toUpperCase() === 'HMSG';
        const sizes = words.slice(hasHeaders ? -2 : -1).map(Number);
        const [total, headers] = [sizes[sizes.length - 1], hasHeaders ? sizes[0] : 0];
        if (!(total >= headers && total <= MOST_MESSAGE)) {
          this.#socket?.close();
          return undefined;
        }
        if (rest.length < total + 2) return undefined;
        const code = hasHeaders ? statusOf(rest.subarray(0, headers)) : undefined;
        const data = rest.slice(headers, total);
        this.#subscriptions
          .get(Number(words[1]))
          ?.hear(null, { data, ...(code !== undefined && { headers: { code } }) });
        return total + 2;
      }
      default:
        return 0; // +OK, PONG
    }
  }

  #greet(): void {
    if (this.#isReady) return; // the server tells more of itself
    const { user, password } = this.#place;
    const about = {
      user,
      pass: password,
      verbose: false,
      pedantic: false,
      lang: 'rlvr-train',
      version: '1',
      protocol: 1,
    };
    this.#socket?.send(`CONNECT ${JSON.stringify({ ...about, headers: true, no_responders: true })}\r\n`);
    this.#isReady = true;
    for (const [number, { subject }] of this.#subscriptions) this.#socket?.send(`SUB ${subject} ${number}\r\n`);
    this.#ears.connected();
  }

  #fails(line: string): void {
    if (!/authorization|authentication/i.test(line)) return; // one right less ends no connection
    this.#ears.refused('the server refuses the password of the link');
    void this.close();
  }
}

/** The number in `NATS/1.0 404 No Messages`; 0 where there is none. */
function statusOf(headers: Uint8Array): number {
  return Number(/^NATS\/1\.0\s+(\d+)/.exec(new TextDecoder().decode(headers))?.[1] ?? 0);
}
