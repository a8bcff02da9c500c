/** The metrics that the terms of a loss measure, over the micro-batches of an optimizer step. */
import type { Meter } from '../../methods/points.ts';

export class StepMeter implements Meter {
  readonly #means = new Map<string, { sum: number; count: number }>();
  readonly #values = new Map<string, number>();

  mean(name: string, sum: number, count: number): void {
    const entry = this.#means.get(name);
    if (entry === undefined) {
      this.#means.set(name, { sum, count });
      return;
    }
    entry.sum += sum;
    entry.count += count;
  }

  sum(name: string, value: number): void {
    this.#values.set(name, (this.#values.get(name) ?? 0) + value);
  }

  least(name: string, value: number): void {
    this.#values.set(name, Math.min(this.#values.get(name) ?? value, value));
  }

  most(name: string, value: number): void {
    this.#values.set(name, Math.max(this.#values.get(name) ?? value, value));
  }

  /** What was measured so far, by name; a mean over nothing is 0. */
  measured(): Record<string, number> {
    const means = [...this.#means].map(([name, { sum, count }]) => [name, sum / Math.max(1, count)] as const);
    return Object.fromEntries([...means, ...this.#values]);
  }
}
