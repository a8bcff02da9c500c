/** A WebSocket client of a few lines, by RFC 6455. */
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { SocketEvents } from '../../../../../src/http/servers.ts';
import { frame, LoopbackOpenEnv, unmasked } from '../../../../../test/support/loopback_openenv.ts';
import { connectWebSocket } from '../../../websocket.node.ts';

/** A server that sends these bytes at once, after the handshake of RFC 6455, 1.3, and keeps what comes. */
async function sending(...pieces: readonly Buffer[]): Promise<{ readonly url: string; readonly came: Buffer[] }> {
  const came: Buffer[] = [];
  const server = createServer((stream) => {
    stream.on('error', () => undefined);
    stream.once('data', async (request: Buffer) => {
      const key = /Sec-WebSocket-Key: (\S+)/i.exec(request.toString())?.[1] ?? '';
      const { createHash } = await import('node:crypto');
      const accepted = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      stream.on('data', (data: Buffer) => came.push(data));
      stream.write(
        `HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
      );
      for (const piece of pieces) {
        stream.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { url: `ws://127.0.0.1:${port}/ws`, came };
}

interface Heard {
  readonly texts: string[];
  readonly ends: string[];
  readonly until: (count: number) => Promise<void>;
  readonly events: SocketEvents;
}

function heard(): Heard {
  const texts: string[] = [];
  const ends: string[] = [];
  const until = async (count: number): Promise<void> => {
    while (texts.length + ends.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  return {
    texts,
    ends,
    until,
    events: { message: (text) => void texts.push(text), closed: (why) => void ends.push(why) },
  };
}

it('reads texts of every length of head, in pieces of any size, and answers a ping between the parts of one', async () => {
  const long = 'ä'.repeat(40_000);
  const bytes = Buffer.concat([
    frame('short'),
    frame('x'.repeat(300)),
    frame(long),
    frame('in ', 1, false),
    frame('are you there', 9),
    frame('parts', 0),
  ]);
  const cuts = Array.from({ length: 40 }, (_, i) => bytes.subarray(i * 7, (i + 1) * 7));
  const { url, came } = await sending(...cuts, bytes.subarray(280));
  const { texts, until, events } = heard();
  const socket = await connectWebSocket(url, {}, events);
  await until(4);
  expect(texts).toEqual(['short', 'x'.repeat(300), long, 'in parts']);
  while (came.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const pong = unmasked(Buffer.concat(came));
  expect(pong).toMatchObject({ opcode: 10, text: 'are you there' });
  socket.close();
});

it('says why a server closed, and takes no message that would fill the memory', async () => {
  const code = Buffer.from([0x88, 2 + 4, 0x03, 0xf4, ...Buffer.from('late')]);
  const closing = heard();
  await connectWebSocket((await sending(code)).url, {}, closing.events);
  await closing.until(1);
  expect(closing.ends).toEqual(['it closed the connection, code 1012, late']);
  const endless = Buffer.from([0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0]);
  const large = heard();
  await connectWebSocket((await sending(endless)).url, {}, large.events);
  await large.until(1);
  expect(large.ends).toEqual(['it sent more than 16777216 bytes at once']);
});

it('masks what it sends, whatever its length, and sends the headers that it was given', async () => {
  const { url, came } = await sending();
  const { events } = heard();
  const socket = await connectWebSocket(url, { Authorization: 'Bearer secret' }, events);
  const texts = ['', 'short', 'x'.repeat(300), 'y'.repeat(70_000)];
  for (const text of texts) socket.send(text);
  let rest = Buffer.alloc(0);
  const read: string[] = [];
  while (read.length < texts.length) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    rest = Buffer.concat(came);
    read.length = 0;
    for (let next = unmasked(rest); next !== undefined; next = unmasked(rest)) {
      read.push(next.text);
      rest = rest.subarray(next.end);
    }
  }
  expect(read).toEqual(texts);
  socket.close();
});

it('says why there is none', async () => {
  const server = new LoopbackOpenEnv();
  server.status = 404;
  await server.start();
  const { events } = heard();
  await expect(connectWebSocket(`${server.url}/ws`, {}, events)).rejects.toThrow('HTTP status 404');
  await server.stop();
  await expect(connectWebSocket(`${server.url}/ws`, {}, events)).rejects.toThrow('ECONNREFUSED');
});
