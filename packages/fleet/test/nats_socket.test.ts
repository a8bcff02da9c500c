/** A worker's connection in a browser: the protocol's messages, however frames cut them, and a server that goes and comes back. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NatsSocket, socketPlace } from '../nats/nats_socket.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The socket of a browser, with a server's hand on its other end. */
class FakeSocket {
  static newest: FakeSocket;
  readonly sent: string[] = [];
  binaryType = '';
  onmessage: ((event: { readonly data: ArrayBuffer }) => void) | undefined;
  onclose: (() => void) | undefined;

  constructor(readonly url: string) {
    FakeSocket.newest = this;
  }
  send(data: string | Uint8Array): void {
    this.sent.push(typeof data === 'string' ? data : new TextDecoder().decode(data));
  }
  close(): void {
    this.onclose?.();
  }
  /** A server's words, in frames of so many bytes. */
  says(text: string, length = text.length): void {
    const bytes = bytesOf(text);
    for (let at = 0; at < bytes.length; at += length) {
      this.onmessage?.({ data: bytes.slice(at, at + length).buffer as ArrayBuffer });
    }
  }
}

const said: string[] = [];
function opened(): NatsSocket {
  return new NatsSocket(socketPlace('ws://visitor:se%20cret@host:4223', 'http:'), '_INBOX_visitor', {
    connected: () => said.push('connected'),
    away: () => said.push('away'),
    refused: (reason) => said.push(reason),
  });
}
/** Subject to reply to, and number of the subscription, of the request that was sent last. */
function lastRequest(): { readonly reply: string; readonly number: string } {
  const [, reply] = /^PUB \S+ (\S+) /.exec(FakeSocket.newest.sent.at(-1) ?? '') ?? [];
  const [, number] = new RegExp(`SUB ${reply} (\\d+)`).exec(FakeSocket.newest.sent.join('')) ?? [];
  return { reply, number };
}

beforeEach(() => {
  said.length = 0;
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('says who it is once the server has greeted, and answers its pings', () => {
  opened();
  const { newest } = FakeSocket;
  expect([newest.url, newest.sent]).toEqual(['ws://host:4223', []]);
  newest.says('INFO {"version":"2.15.1"}\r\nPING\r\n');
  expect(newest.sent[0]).toMatch(
    /^CONNECT \{"user":"visitor","pass":"se cret",.*"headers":true,"no_responders":true\}\r\n$/,
  );
  expect(newest.sent[1]).toBe('PONG\r\n');
  expect(said).toEqual(['connected']);
});

it.each([1, 2, 7, 1000])('reads messages that come in frames of %i bytes', async (length) => {
  const socket = opened();
  FakeSocket.newest.says('INFO {}\r\n');
  const heard: string[] = [];
  socket.subscribe('rlvr.card.*', { callback: (_, { data }) => heard.push(new TextDecoder().decode(data)) });
  const asked = socket.request('a.b', 'äx', { timeout: 1000 });
  expect(FakeSocket.newest.sent.at(-1)).toMatch(/^PUB a\.b _INBOX_visitor\.\w{16} 3\r\näx\r\n$/);
  const { reply, number } = lastRequest();
  FakeSocket.newest.says(
    `MSG rlvr.card.7 1 5\r\nö\r\nz\r\n+OK\r\nMSG rlvr.weights ${number} ${reply} 2\r\nhi\r\n`,
    length,
  );
  expect(heard).toEqual(['ö\r\nz']);
  expect(new TextDecoder().decode((await asked).data)).toBe('hi');
  expect(FakeSocket.newest.sent.at(-1)).toBe(`UNSUB ${number}\r\n`);
});

it('knows a status of JetStream, nobody who answers, and an answer that does not come', async () => {
  const socket = opened();
  FakeSocket.newest.says('INFO {}\r\n');
  const status = (code: number): string => {
    const headers = `NATS/1.0 ${code} Said\r\n\r\n`;
    const { reply, number } = lastRequest();
    return `HMSG ${reply} ${number} ${headers.length} ${headers.length + 1}\r\n${headers}x\r\n`;
  };
  const none = socket.request('a', '', { timeout: 1000 });
  FakeSocket.newest.says(status(404));
  expect((await none).headers).toEqual({ code: 404 });
  const nobody = socket.request('a', '', { timeout: 1000 });
  FakeSocket.newest.says(status(503));
  await expect(nobody).rejects.toThrow('no responders');
  const late = socket.request('a', '', { timeout: 1000 });
  vi.advanceTimersByTime(1001);
  await expect(late).rejects.toThrow('timeout');
});

it('comes back to a server that was away, with what it listens to', () => {
  const socket = opened();
  FakeSocket.newest.says('INFO {}\r\n');
  socket.subscribe('rlvr.card.*', { callback: () => undefined });
  const first = FakeSocket.newest;
  first.close();
  vi.advanceTimersByTime(1001);
  expect(FakeSocket.newest).not.toBe(first);
  FakeSocket.newest.says('INFO {}\r\n');
  expect(FakeSocket.newest.sent[1]).toBe('SUB rlvr.card.* 1\r\n');
  expect(said).toEqual(['connected', 'away', 'connected']);
});

it('ends where the password is refused, or a message is larger than any may be', () => {
  const socket = opened();
  FakeSocket.newest.says("INFO {}\r\n-ERR 'Permissions Violation for Publish'\r\n");
  expect(socket.isClosed()).toBe(false);
  FakeSocket.newest.says(`MSG a 1 ${2 ** 30}\r\n`);
  expect(said.at(-1)).toBe('away');
  vi.advanceTimersByTime(1001);
  FakeSocket.newest.says("INFO {}\r\n-ERR 'Authorization Violation'\r\n");
  expect([socket.isClosed(), said.at(-1)]).toEqual([true, 'the server refuses the password of the link']);
});

it.each([
  ['nats://host:4222', 'http:', 'no address of a fleet'],
  ['', 'http:', 'no address of a fleet'],
  ['ws://host:4223', 'https:', 'a page that came by https: may not open ws:'],
])('%j on a page that came by %s is no place', (address, protocol, message) => {
  expect(() => socketPlace(address, protocol)).toThrow(message);
});

it('this machine may be reached without TLS from any page', () => {
  expect(socketPlace('ws://visitor:x@localhost:4223', 'https:')).toMatchObject({ url: 'ws://localhost:4223' });
});
