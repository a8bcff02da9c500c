/** How much something still moves: a reward, or how often a task is solved, over its last means. */
import type { Stateful } from '../../../../../src/methods/stateful.ts';
import { deviationOf, type Json, meanOf } from '../../kit.ts';

/** Below it a mean divides nothing: a reward about 0 would seem wild. */
const LEAST_MEAN = 0.1;

/** The last means of several things, by name. */
export class Movements implements Stateful {
  #means = new Map<string, readonly number[]>();
  readonly #window: number;

  /** @param window  means of each that are remembered */
  constructor(window: number) {
    this.#window = window;
  }

  get names(): readonly string[] {
    return [...this.#means.keys()];
  }

  add(name: string, mean: number): void {
    this.#means.set(name, [...(this.#means.get(name) ?? []), mean].slice(-this.#window));
  }

  /**
   * |mean of the newer half − mean of the older half| + deviation/max(|mean|, 0.1): what has converged and is steady has 0.
   * With fewer than two means nothing is known, and it is 1.
   */
  of(name: string): number {
    const means = this.#means.get(name) ?? [];
    if (means.length < 2) return 1;
    const half = Math.floor(means.length / 2);
    const gap = Math.abs(meanOf(means.slice(half)) - meanOf(means.slice(0, half)));
    return gap + deviationOf(means) / Math.max(LEAST_MEAN, Math.abs(meanOf(means)));
  }

  /** softmax(movement/temperature) of some of them, in order. */
  shares(names: readonly string[], temperature: number): readonly number[] {
    const scaled = names.map((name) => this.of(name) / temperature);
    const most = Math.max(...scaled);
    const powers = scaled.map((value) => Math.exp(value - most));
    const sum = powers.reduce((all, power) => all + power, 0);
    return powers.map((power) => power / sum);
  }

  state(): Json {
    return [...this.#means] as unknown as Json; // plain data
  }

  restore(state: Json): void {
    this.#means = new Map(state as unknown as readonly (readonly [string, readonly number[]])[]); // written by `state`
  }
}
