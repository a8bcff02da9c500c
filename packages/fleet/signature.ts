/**
 * Results that are signed by a key of the worker's own, for workers that nobody vouches for. The id of such a worker is a hash
 * of its public key, so nobody else can answer in its name, not even one that has the same password and knows the id; what was
 * signed for one session is no answer in another. The key is made when the worker begins, never leaves it, and is gone with it.
 *
 * ECDSA on P-256 with SHA-256 (FIPS 186-5), as Web Crypto has it in Node 20 and in all browsers: Ed25519 is an experiment in
 * the one and missing in some of the others. A signature takes 0.1 ms.
 */
import { FleetError } from '../../src/errors.ts';
import { sha256Hex } from '../../src/run/fingerprint/sha256.ts';
import { MESSAGE_BYTES, PROTOCOL, readResultHead, WORKER_ID_BYTES } from './protocol.ts';

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
/** A point of the curve, uncompressed; and two numbers. */
const KEY_BYTES = 65;
const SIGNATURE_BYTES = 64;
/** Protocol, key, signature; the result follows. */
const HEAD_BYTES = 2 + KEY_BYTES + SIGNATURE_BYTES;

/** A key that a worker signs its results with. */
export interface ResultKey {
  /** The id that follows from it, in hexadecimal digits. */
  readonly id: string;
  /** @param session  of the learner @param result  as `encodeResult` gives it, with the key's id as its worker */
  sign(session: string, result: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
}

export async function makeResultKey(): Promise<ResultKey> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(CURVE, false, ['sign', 'verify']);
  const key = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey));
  return {
    id: await idOf(key),
    async sign(session, result) {
      const signature = await crypto.subtle.sign(SIGNING, privateKey, signedText(session, result));
      const message = new Uint8Array(HEAD_BYTES + result.length);
      new DataView(message.buffer).setUint16(0, PROTOCOL, true);
      message.set(key, 2);
      message.set(new Uint8Array(signature), 2 + KEY_BYTES);
      message.set(result, HEAD_BYTES);
      return message;
    },
  };
}

/** @returns the result of a signed message @throws FleetError where nobody, or somebody else, has signed it */
export async function openSigned(session: string, message: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  if (message.length <= HEAD_BYTES || message.length > MESSAGE_BYTES) throw wrong(`it has ${message.length} bytes`);
  const bytes = Uint8Array.from(message);
  const protocol = new DataView(bytes.buffer).getUint16(0, true);
  if (protocol !== PROTOCOL) throw wrong(`of protocol ${protocol}, and this program speaks ${PROTOCOL}`);
  const key = bytes.subarray(2, 2 + KEY_BYTES);
  const signature = bytes.subarray(2 + KEY_BYTES, HEAD_BYTES);
  const result = bytes.slice(HEAD_BYTES);
  const publicKey = await crypto.subtle.importKey('raw', key, CURVE, false, ['verify']).catch(() => undefined);
  if (publicKey === undefined) throw wrong('its key is none');
  if (!(await crypto.subtle.verify(SIGNING, publicKey, signature, signedText(session, result))))
    throw wrong('its signature is not that of its key, its result and this session');
  const { worker } = readResultHead(result);
  if (worker !== (await idOf(key))) throw wrong('it is signed by another key than that of the worker it names');
  return result;
}

/** What a signature is of: nothing else that the same key might sign begins like it. */
function signedText(session: string, result: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`rlvr-train fleet result ${PROTOCOL} ${session}\n`);
  const text = new Uint8Array(head.length + result.length);
  text.set(head);
  text.set(result, head.length);
  return text;
}

async function idOf(key: Uint8Array<ArrayBuffer>): Promise<string> {
  return (await sha256Hex(key)).slice(0, 2 * WORKER_ID_BYTES);
}

function wrong(rule: string): FleetError {
  return new FleetError('fleet-signature', `signed result: ${rule}.`);
}
