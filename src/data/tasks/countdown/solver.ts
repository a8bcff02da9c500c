/**
 * Every valid way to combine a handful of numbers, step by step, into one.
 *
 * A trace takes two numbers out of the pool and puts the result of + - * / back, until one number is left. Every
 * result is an integer in 1..99; divisions are exact. The larger operand comes first, so `3 + 5` and `5 + 3` are one
 * trace. No pool is a dead end: the difference of two different numbers, or the quotient of two equal ones, fits.
 */

import { MAX_VALUE } from './card.ts';

export const OPERATORS = ['+', '-', '*', '/'] as const;

/** Bytes of one step: left operand, index of the operator, right operand, result. */
const STEP_BYTES = 4;
/** The cache is emptied when it outgrows this; what it holds can be computed again. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

export interface CountdownStep {
  readonly left: number;
  readonly operator: (typeof OPERATORS)[number];
  readonly right: number;
  readonly result: number;
}

/** Steps as answers have them. */
export function stepsText(trace: readonly CountdownStep[]): string {
  return trace.map(({ left, operator, right, result }) => `${left} ${operator} ${right} = ${result}`).join(' , ');
}

/** All traces of one multiset of numbers, sorted by the value that they end in. */
class TraceTable {
  readonly #numSteps: number;
  /** [traces, numSteps, 4] */
  readonly #bytes: Uint8Array;
  /** [101]; the traces that end in v are [offsets[v], offsets[v + 1]) */
  readonly #offsets: Int32Array;

  constructor(numSteps: number, traces: readonly Uint8Array[]) {
    this.#numSteps = numSteps;
    this.#offsets = new Int32Array(MAX_VALUE + 2);
    const lastValue = (trace: Uint8Array) => trace[trace.length - 1];
    for (const trace of traces) this.#offsets[lastValue(trace) + 1]++;
    for (let value = 0; value <= MAX_VALUE; value++) this.#offsets[value + 1] += this.#offsets[value];
    this.#bytes = new Uint8Array(traces.length * numSteps * STEP_BYTES);
    const next = this.#offsets.slice();
    for (const trace of traces) this.#bytes.set(trace, next[lastValue(trace)]++ * trace.length);
  }

  get byteLength(): number {
    return this.#bytes.byteLength + this.#offsets.byteLength;
  }

  get numTraces(): number {
    return this.#offsets[MAX_VALUE + 1];
  }

  /** Index of the first trace that ends in this value. */
  firstIndex(value: number): number {
    return this.#offsets[value];
  }

  /** How many traces end in this value. */
  count(value: number): number {
    return this.#offsets[value + 1] - this.#offsets[value];
  }

  /** The value that a trace ends in, by its index. */
  lastValue(index: number): number {
    return this.#bytes[(index + 1) * this.#numSteps * STEP_BYTES - 1];
  }

  /** Trace by index, in order of the values that they end in. */
  trace(index: number): CountdownStep[] {
    return Array.from({ length: this.#numSteps }, (_, step) => {
      const at = (index * this.#numSteps + step) * STEP_BYTES;
      const [left, operator, right, result] = this.#bytes.subarray(at, at + STEP_BYTES);
      return { left, operator: OPERATORS[operator], right, result };
    });
  }
}

/** Calls `visit` with each operator that gives an integer in 1..99 for left >= right, and its result. */
export function forEachResult(left: number, right: number, visit: (operator: number, result: number) => void): void {
  if (left + right <= MAX_VALUE) visit(0, left + right);
  if (left > right) visit(1, left - right);
  if (left * right <= MAX_VALUE) visit(2, left * right);
  if (left % right === 0) visit(3, left / right);
}

/** Extends `prefix` by every distinct trace of `pool` (sorted, descending). */
function collectTraces(pool: readonly number[], prefix: readonly number[], into: Uint8Array[]): void {
  if (pool.length === 1) {
    into.push(Uint8Array.from(prefix));
    return;
  }
  const pairsSeen = new Set<number>();
  for (let i = 0; i < pool.length - 1; i++) {
    for (let j = i + 1; j < pool.length; j++) {
      const pair = pool[i] * (MAX_VALUE + 1) + pool[j];
      if (pairsSeen.has(pair)) continue; // equal numbers are one and the same choice
      pairsSeen.add(pair);
      const rest = pool.filter((_, index) => index !== i && index !== j);
      forEachResult(pool[i], pool[j], (operator, result) => {
        const next = [...rest, result].sort((a, b) => b - a);
        collectTraces(next, [...prefix, pool[i], operator, pool[j], result], into);
      });
    }
  }
}

const cache = new Map<string, TraceTable>();
let cacheBytes = 0;

/** All traces of these numbers (1..99 each, any order); computed once per multiset. */
export function tracesOf(numbers: readonly number[]): TraceTable {
  const pool = [...numbers].sort((a, b) => b - a);
  const key = pool.join(',');
  const cached = cache.get(key);
  if (cached) return cached;
  const traces: Uint8Array[] = [];
  collectTraces(pool, [], traces);
  const table = new TraceTable(pool.length - 1, traces);
  if (cacheBytes + table.byteLength > MAX_CACHE_BYTES) {
    cache.clear();
    cacheBytes = 0;
  }
  cache.set(key, table);
  cacheBytes += table.byteLength;
  return table;
}
