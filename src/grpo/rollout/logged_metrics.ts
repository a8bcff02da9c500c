/** Metrics that reward functions log over a step's rounds of sampling, each averaged by name. */
import { PluginError } from '../../errors.ts';
import { meanOf } from '../../methods/statistics.ts';
import type { RewardLogs } from '../../rewards/reward_log.ts';

export class LoggedMetrics {
  readonly #values = new Map<string, number[]>();
  readonly #methods: ReadonlySet<string>;

  /** @param methods  ids of the stage's methods, which log under `<id>/…` */
  constructor(methods: readonly string[]) {
    this.#methods = new Set(methods);
  }

  /** @throws PluginError if a name belongs to a method's metrics */
  add({ metrics }: RewardLogs): void {
    for (const [name, values] of metrics) {
      const [first = '', rest] = name.split('/');
      if (rest !== undefined && this.#methods.has(first)) {
        const rule = `a reward logs the metric ${JSON.stringify(name)}, and ${first}/… is what the method ${first} logs`;
        throw new PluginError('reward-failed', `${rule} — give it another name.`);
      }
      this.#values.set(name, [...(this.#values.get(name) ?? []), ...values]);
    }
  }

  /** By name; undefined: nothing was logged. */
  get means(): Readonly<Record<string, number>> | undefined {
    if (this.#values.size === 0) return undefined;
    return Object.fromEntries([...this.#values].map(([name, values]) => [name, meanOf(values)]));
  }
}
