/** The weights that tasks name, as a worker reads them: whole, or as a step from weights that were sent whole, which it keeps. */
import { sha256Hex } from '../../src/run/fingerprint/sha256.ts';
import type { WorkerBus } from './bus.ts';
import type { RunCard } from './cards.ts';
import type { WeightsName } from './protocol.ts';
import { weightsKey } from './sent_weights.ts';
import { unpackStep } from './weights_step.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export class ReceivedWeights {
  readonly #bus: Pick<WorkerBus, 'readWeights'>;
  readonly #card: Pick<RunCard, 'run' | 'partBytes'>;
  /** The learner sends steps: what is read whole is kept for them. */
  #takesSteps = false;
  #whole: { readonly sha256: string; readonly bytes: Bytes } | undefined;

  constructor(bus: Pick<WorkerBus, 'readWeights'>, card: Pick<RunCard, 'run' | 'partBytes'>) {
    this.#bus = bus;
    this.#card = card;
  }

  /** Undefined where they are not there, or not what they are called: those of a task that is no longer wanted may be gone. */
  async read({ sha256, bytes, step }: WeightsName): Promise<Bytes | undefined> {
    if (step === undefined) return this.#readWhole(sha256, bytes);
    this.#takesSteps = true;
    const { from } = step;
    const before = this.#whole?.sha256 === from ? this.#whole.bytes : await this.#readWhole(from, bytes);
    const packed = before && (await this.#parts(sha256, step.bytes));
    const now = packed && (await unpackStep(packed, before));
    return now && (await sha256Hex(now)) === sha256 ? now : undefined;
  }

  async #readWhole(sha256: string, length: number): Promise<Bytes | undefined> {
    const bytes = await this.#parts(sha256, length);
    if (bytes === undefined || (await sha256Hex(bytes)) !== sha256) return undefined;
    this.#whole = this.#takesSteps ? { sha256, bytes } : undefined;
    return bytes;
  }

  async #parts(sha256: string, length: number): Promise<Bytes | undefined> {
    const { run, partBytes } = this.#card;
    const all = new Uint8Array(length);
    for (let part = 0; part * partBytes < length; part++) {
      const bytes = await this.#bus.readWeights(run, weightsKey({ sha256 }), part);
      if (bytes?.length !== Math.min(partBytes, length - part * partBytes)) return undefined;
      all.set(bytes, part * partBytes);
    }
    return all;
  }
}
