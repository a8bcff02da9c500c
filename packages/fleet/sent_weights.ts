/**
 * The weights that tasks name, as the learner sends them: in parts, hashed, and the newest versions alone. Where a step from
 * weights that were sent whole is much smaller, that is sent in their place; once steps have grown, weights are sent whole again.
 */
import type { Policy } from '../../src/model/policy.ts';
import { sha256Hex } from '../../src/run/fingerprint/sha256.ts';
import type { LearnerBus } from './bus.ts';
import { MESSAGE_BYTES, type WeightsName } from './protocol.ts';
import { readWeights } from './weights.ts';
import { type Deflate, packStep } from './weights_step.ts';

/** Versions that workers may still read. */
const KEPT_VERSIONS = 2;
/** A step of more than this share of the weights is not sent: workers that have just come read both. */
const MOST_STEP = 0.75;

/** What weights are called on a bus. */
export function weightsKey({ sha256 }: Pick<WeightsName, 'sha256'>): string {
  return sha256.slice(0, 32);
}

/** Bytes under one key, of which the first parts are there. */
interface Sending {
  readonly sha256: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  sentParts: number;
}

export class SentWeights {
  readonly #bus: Pick<LearnerBus, 'putWeights' | 'dropWeights'>;
  readonly #deflate: Deflate | undefined;
  #name: WeightsName | undefined;
  /** The newest weights that are sent as they are. */
  #whole: Sending | undefined;
  /** From them to the current ones, where those are not sent whole. */
  #step: Sending | undefined;
  /** Keys of each of the versions that may be read. */
  readonly #kept: (readonly string[])[] = [];

  /** @param deflate  for steps; absent: all weights are sent whole */
  constructor(bus: Pick<LearnerBus, 'putWeights' | 'dropWeights'>, deflate?: Deflate) {
    this.#bus = bus;
    this.#deflate = deflate;
  }

  /** The name of the weights that are sent. */
  get name(): WeightsName {
    if (this.#name === undefined) throw new RangeError('no weights were taken');
    return this.#name;
  }

  /** Takes the policy's weights, where they are of another version than those at hand. */
  async take(policy: Policy, version: number): Promise<void> {
    if (this.#name?.version === version) return;
    const bytes = await readWeights(policy);
    const name: WeightsName = { version, sha256: await sha256Hex(bytes), bytes: bytes.length };
    const { sha256 } = name;
    const packed = await this.#stepTo(bytes);
    this.#step = packed && { sha256, bytes: packed, sentParts: 0 };
    if (packed === undefined) this.#whole = { sha256, bytes, sentParts: 0 };
    const from = this.#whole?.sha256;
    this.#name = packed && from ? { ...name, step: { from, bytes: packed.length } } : name;
  }

  /** Sends the parts that the server may not have. @returns bytes of them @throws FleetError where it does not store one */
  async send(): Promise<number> {
    const all = [this.#whole, this.#step].flatMap((sending) => sending ?? []);
    let sent = 0;
    for (const sending of all) sent += await this.#send(sending);
    const keys = all.map(weightsKey);
    if (keys.length === 0 || keys.at(-1) === this.#kept.at(-1)?.at(-1)) return sent;
    this.#kept.push(keys);
    const old = this.#kept.splice(0, Math.max(0, this.#kept.length - KEPT_VERSIONS)).flat();
    const needed = new Set(this.#kept.flat());
    for (const key of new Set(old)) if (!needed.has(key)) await this.#bus.dropWeights(key);
    return sent;
  }

  /** What the server held may be gone. */
  sendAgain(): void {
    for (const sending of [this.#whole, this.#step]) if (sending !== undefined) sending.sentParts = 0;
  }

  /** Undefined where the weights are better sent whole. */
  async #stepTo(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const whole = this.#whole?.bytes;
    if (this.#deflate === undefined || whole?.length !== bytes.length) return undefined;
    const packed = await packStep(bytes, whole, this.#deflate);
    return packed.length <= MOST_STEP * bytes.length ? packed : undefined;
  }

  async #send(sending: Sending): Promise<number> {
    const { bytes } = sending;
    const before = Math.min(bytes.length, sending.sentParts * MESSAGE_BYTES);
    while (sending.sentParts * MESSAGE_BYTES < bytes.length) {
      const from = sending.sentParts * MESSAGE_BYTES;
      await this.#bus.putWeights(weightsKey(sending), sending.sentParts, bytes.subarray(from, from + MESSAGE_BYTES));
      sending.sentParts++;
    }
    return bytes.length - before;
  }
}
