/**
 * A WebSocket over a stream of Node, at either end: texts, without extensions.
 * A socket keeps no process alive; who waits for an answer does so with a timer.
 *
 * @see RFC 6455
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Socket, SocketEvents } from '../../src/http/servers.ts';

/** What the key of a handshake is hashed with. @see RFC 6455, 1.3 */
const HANDSHAKE = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const OPCODE = { continued: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const NORMAL = 1000;
/** A longer message would take all memory. */
const MOST_BYTES = 16 * 1024 ** 2;
const TOO_MUCH = `it sent more than ${MOST_BYTES} bytes at once`;

/**
 * Takes a client's handshake: the other end of `connectWebSocket`.
 *
 * @param key  its header `Sec-WebSocket-Key` @param head  what has come after it
 */
export function acceptWebSocket(key: string, stream: Duplex, head: Buffer, events: SocketEvents): Socket {
  const fields = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${acceptanceOf(key)}`];
  stream.write(`HTTP/1.1 101 Switching Protocols\r\n${fields.join('\r\n')}\r\n\r\n`);
  return new NodeSocket(stream, head, events, 'server');
}

/** What a server answers to the key of a handshake. */
export function acceptanceOf(key: string): string {
  return createHash('sha1').update(`${key}${HANDSHAKE}`).digest('base64');
}

export class NodeSocket implements Socket {
  readonly #stream: Duplex & { unref?(): void; setNoDelay?(on: boolean): void };
  readonly #events: SocketEvents;
  /** A client masks its frames, and a server does not. */
  readonly #end: 'client' | 'server';
  #received: Buffer;
  /** Frames of a text that is not whole yet. */
  #parts: Buffer[] = [];
  #isClosed = false;

  constructor(stream: Duplex, head: Buffer, events: SocketEvents, end: 'client' | 'server') {
    this.#end = end;
    this.#stream = stream;
    this.#events = events;
    this.#received = head;
    this.#stream.unref?.();
    this.#stream.setNoDelay?.(true);
    stream.on('data', (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#readFrames();
    });
    stream.on('error', (error) => this.#closed(error.message));
    stream.on('close', () => this.#closed('the connection was closed'));
    if (head.length > 0) setImmediate(() => this.#readFrames());
  }

  send(text: string): void {
    this.#write(OPCODE.text, Buffer.from(text));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#write(OPCODE.close, Buffer.from([NORMAL >> 8, NORMAL & 255]));
    this.#stream.end();
  }

  #closed(why: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream.destroy();
    this.#events.closed(why);
  }

  #readFrames(): void {
    for (;;) {
      const frame = frameOf(this.#received);
      if (frame === undefined || this.#isClosed) return;
      if ((frame.mask !== undefined) !== (this.#end === 'server')) {
        this.#closed('its frames are not masked as those of its end must be');
        return;
      }
      if (frame.end > MOST_BYTES) {
        this.#closed(TOO_MUCH);
        return;
      }
      if (this.#received.length < frame.end) return;
      const payload = masked(this.#received.subarray(frame.begin, frame.end), frame.mask);
      this.#received = this.#received.subarray(frame.end);
      this.#take(frame, payload);
    }
  }

  #take({ opcode, isLast }: Frame, payload: Buffer): void {
    if (opcode === OPCODE.ping) this.#write(OPCODE.pong, payload);
    if (opcode === OPCODE.close) {
      const code = payload.length >= 2 ? `, code ${payload.readUInt16BE(0)}` : '';
      const reason = payload.length > 2 ? `, ${payload.toString('utf8', 2)}` : '';
      this.#closed(`it closed the connection${code}${reason}`);
    }
    if (opcode >= OPCODE.close) return;
    this.#parts.push(payload);
    if (this.#parts.reduce((sum, { length }) => sum + length, 0) > MOST_BYTES) {
      this.#closed(TOO_MUCH);
    } else if (isLast) {
      const whole = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#events.message(whole);
    }
  }

  #write(opcode: number, payload: Buffer): void {
    if (this.#isClosed) return;
    const { length } = payload;
    const head = length < 126 ? Buffer.alloc(2) : Buffer.alloc(length < 65_536 ? 4 : 10);
    head[0] = 128 | opcode;
    const isMasked = this.#end === 'client';
    head[1] = (isMasked ? 128 : 0) | (length < 126 ? length : length < 65_536 ? 126 : 127);
    if (head.length === 4) head.writeUInt16BE(length, 2);
    if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
    const mask = isMasked ? randomBytes(4) : undefined;
    this.#stream.write(Buffer.concat([head, mask ?? Buffer.alloc(0), masked(payload, mask)]));
  }
}

/** To mask twice is to unmask. @param mask  four bytes; absent: there is none */
function masked(payload: Buffer, mask: Buffer | undefined): Buffer {
  return mask === undefined ? payload : Buffer.from(payload.map((byte, i) => byte ^ mask[i & 3]));
}

interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly mask?: Buffer;
  /** Its payload is [begin, end). */
  readonly begin: number;
  readonly end: number;
}

/** The frame that bytes begin with; undefined where its head is not whole yet. */
function frameOf(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1] & 127;
  const isMasked = (bytes[1] & 128) !== 0;
  const sized = short < 126 ? 2 : short === 126 ? 4 : 10;
  const begin = sized + (isMasked ? 4 : 0);
  if (bytes.length < begin) return undefined;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const mask = isMasked ? bytes.subarray(sized, begin) : undefined;
  return { opcode: bytes[0] & 15, isLast: (bytes[0] & 128) !== 0, mask, begin, end: begin + length };
}
