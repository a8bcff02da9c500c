/** The context of each of a method's calls for one batch. */
import type { StepContext } from '../../methods/method.ts';
import type { Step } from '../step.ts';

/** Each call has random numbers of its own; a number that several calls log is their mean. */
export class CallContexts {
  readonly #step: Pick<Step, 'context'>;
  readonly #id: string;
  readonly #logged = new Map<string, { readonly sum: number; readonly weight: number }>();
  #calls = 0;

  constructor(step: Pick<Step, 'context'>, id: string) {
    this.#step = step;
    this.#id = id;
  }

  /** The context of the next call. @param weight  of what it logs: the problems or groups that it is about */
  next(weight: number): StepContext {
    const context = this.#step.context(this.#id, this.#calls++);
    return {
      ...context,
      metric: (name, value) => {
        const entry = this.#logged.get(name);
        const all = { sum: (entry?.sum ?? 0) + value * weight, weight: (entry?.weight ?? 0) + weight };
        this.#logged.set(name, all);
        context.metric(name, entry === undefined || all.weight === 0 ? value : all.sum / all.weight);
      },
    };
  }
}
