/**
 * A head that reads one number from a hidden row: v = w·h + b, in float64 on the host, from w = 0 and b = 0. Adam moves it at
 * a rate of its own, so that neither the optimizer of the policy nor its random numbers know of it.
 */
import type { Json, LossContext } from '../../kit.ts';

/** Adam's. */
const [BETA1, BETA2, EPSILON] = [0.9, 0.999, 1e-8];

/** The head that the methods of a stage share under a name. */
export function headOf({ shared }: Pick<LossContext, 'shared'>, name = 'value-head'): ValueHead {
  return shared.get(name, () => new ValueHead());
}

interface State {
  /** [hidden size + 1], b last; empty before the first row is read. */
  readonly weights: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly steps: number;
}

export class ValueHead {
  #weights = new Float64Array(0);
  #first = new Float64Array(0);
  #second = new Float64Array(0);
  #gradient = new Float64Array(0);
  #steps = 0;

  /** w, which is also the derivative of a value by its hidden row. */
  get slopes(): Float64Array {
    return this.#weights.subarray(0, -1);
  }

  /** [rows] of as many hidden rows. @param hidden [rows × hidden size] */
  values(hidden: ArrayLike<number>, rows: number): Float64Array {
    const size = hidden.length / Math.max(1, rows);
    if (rows > 0) this.#grow(size);
    return Float64Array.from({ length: rows }, (_, row) => {
      let sum = this.#weights[size];
      for (let i = 0, at = row * size; i < size; i++, at++) sum += this.#weights[i] * hidden[at];
      return sum;
    });
  }

  /** Adds the derivatives of a loss whose derivative by the value of this row is `slope`. */
  addGradient(hidden: ArrayLike<number>, row: number, slope: number): void {
    const size = this.#weights.length - 1;
    for (let i = 0, at = row * size; i < size; i++, at++) this.#gradient[i] += slope * hidden[at];
    this.#gradient[size] += slope;
  }

  forgetGradient(): void {
    this.#gradient.fill(0);
  }

  /** One step of Adam, which uses the gradient up. */
  step(learningRate: number): void {
    this.#steps++;
    const [correction1, correction2] = [1 - BETA1 ** this.#steps, 1 - BETA2 ** this.#steps];
    this.#gradient.forEach((slope, i) => {
      this.#first[i] = BETA1 * this.#first[i] + (1 - BETA1) * slope;
      this.#second[i] = BETA2 * this.#second[i] + (1 - BETA2) * slope * slope;
      const divisor = Math.sqrt(this.#second[i] / correction2) + EPSILON;
      this.#weights[i] -= (learningRate * (this.#first[i] / correction1)) / divisor;
    });
    this.forgetGradient();
  }

  state(): Json {
    const [weights, first, second] = [this.#weights, this.#first, this.#second].map((values) => [...values]);
    return { weights, first, second, steps: this.#steps } satisfies State as unknown as Json; // plain lists of numbers
  }

  restore(state: Json): void {
    const { weights, first, second, steps } = state as unknown as State; // written by `state`
    this.#weights = Float64Array.from(weights);
    this.#first = Float64Array.from(first);
    this.#second = Float64Array.from(second);
    this.#gradient = new Float64Array(weights.length);
    this.#steps = steps;
  }

  #grow(size: number): void {
    if (this.#weights.length > 0) return;
    const none = Array<number>(size + 1).fill(0);
    this.restore({ weights: none, first: none, second: none, steps: 0 });
  }
}
