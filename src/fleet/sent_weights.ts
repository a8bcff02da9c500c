/** The weights that tasks name, as the learner sends them: in parts, hashed, and the newest versions alone. */
import type { Policy } from '../model/policy.ts';
import { sha256Hex } from '../run/fingerprint/sha256.ts';
import type { LearnerBus } from './bus.ts';
import { MESSAGE_BYTES, type WeightsName } from './protocol.ts';
import { readWeights } from './weights.ts';

/** Versions that workers may still read. */
const KEPT_VERSIONS = 2;

/** What weights are called on a bus. */
export function weightsKey({ sha256 }: Pick<WeightsName, 'sha256'>): string {
  return sha256.slice(0, 32);
}

export class SentWeights {
  readonly #bus: Pick<LearnerBus, 'putWeights' | 'dropWeights'>;
  #current: { readonly name: WeightsName; readonly bytes: Uint8Array } | undefined;
  #sentParts = 0;
  readonly #keys: string[] = [];

  constructor(bus: Pick<LearnerBus, 'putWeights' | 'dropWeights'>) {
    this.#bus = bus;
  }

  /** The name of the weights that are sent. */
  get name(): WeightsName {
    if (this.#current === undefined) throw new RangeError('no weights were taken');
    return this.#current.name;
  }

  /** Takes the policy's weights, where they are of another version than those at hand. */
  async take(policy: Policy, version: number): Promise<void> {
    if (this.#current?.name.version === version) return;
    const bytes = await readWeights(policy);
    const name: WeightsName = { version, sha256: await sha256Hex(bytes), bytes: bytes.length };
    this.#current = { name, bytes };
    this.#sentParts = 0;
  }

  /** Sends the parts that the server may not have. @returns bytes of them @throws FleetError where it does not store one */
  async send(): Promise<number> {
    if (this.#current === undefined) return 0;
    const { name, bytes } = this.#current;
    const key = weightsKey(name);
    const parts = Math.ceil(bytes.length / MESSAGE_BYTES);
    const before = this.#sentParts;
    while (this.#sentParts < parts) {
      const from = this.#sentParts * MESSAGE_BYTES;
      await this.#bus.putWeights(key, this.#sentParts, bytes.subarray(from, from + MESSAGE_BYTES));
      this.#sentParts++;
    }
    const sent =
      Math.min(bytes.length, this.#sentParts * MESSAGE_BYTES) - Math.min(bytes.length, before * MESSAGE_BYTES);
    if (this.#keys.at(-1) === key) return sent;
    if (!this.#keys.includes(key)) this.#keys.push(key);
    for (const old of this.#keys.splice(0, Math.max(0, this.#keys.length - KEPT_VERSIONS)))
      await this.#bus.dropWeights(old);
    return sent;
  }

  /** What the server held may be gone. */
  sendAgain(): void {
    this.#sentParts = 0;
  }
}
