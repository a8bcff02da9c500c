/** What the threads counted in each step, and the medians over the steps. */
import { quantile } from '../statistics.mjs';
import { COLUMNS, COMMAND_BYTES, TABLE_COMMANDS } from './columns.mjs';
import { workOf } from './work.mjs';

/** Label of commands outside of programs: weights that are packed before a program reads them. */
const PACKING = 'packing';
/** The row of what a thread does before the first command of a job. */
const WAKING = 0;

export class Snapshots {
  #profile;
  #threads;
  #last;
  #steps = [];

  /** Counts from now on. */
  constructor(profile, threads) {
    this.#profile = profile;
    this.#threads = threads;
    this.#last = profile.table.slice();
  }

  /** A step is over. */
  add(seconds) {
    const now = this.#profile.table.slice();
    const counted = now.map((value, i) => value - this.#last[i]);
    this.#last = now;
    this.#steps.push({ seconds, counted });
  }

  /** A row for each program and kernel: medians over the steps, milliseconds of each thread. */
  rows() {
    const keys = new Map();
    for (let index = WAKING + 1; index < TABLE_COMMANDS; index++) {
      if (this.#steps.every(({ counted }) => counted[index * COLUMNS] === 0)) continue;
      const { kernel } = workOf(this.#profile.command(index), { rows: 0, pairs: 0, calls: 0 });
      const program = this.#programOf(index);
      const key = `${program}: ${kernel}`;
      const row = keys.get(key) ?? { program, kernel, commands: [] };
      row.commands.push(index);
      keys.set(key, row);
    }
    const rows = [...keys.values()].map(({ program, kernel, commands }) => {
      const steps = this.#steps.map((step) => this.#sum(step, commands));
      const last = steps.at(-1);
      const ofThreads = (key) =>
        Array.from({ length: this.#threads }, (_, thread) =>
          quantile(
            steps.map((step) => step[key][thread]),
            0.5,
          ),
        );
      const { calls, flop, bytes } = last;
      return { program, kernel, calls, flop, bytes, workMs: ofThreads('workMs'), waitMs: ofThreads('waitMs') };
    });
    return rows.sort((a, b) => b.workMs[0] - a.workMs[0]);
  }

  /** The step as a whole: milliseconds of each thread at work, at barriers, and in neither. */
  whole() {
    const medianOf = (of) => quantile(this.#steps.map(of), 0.5);
    const threads = Array.from({ length: this.#threads }, (_, thread) => {
      const total = (step, column) => {
        let sum = 0;
        for (let index = 0; index < TABLE_COMMANDS; index++)
          sum += step.counted[(thread * TABLE_COMMANDS + index) * COLUMNS + column];
        return sum;
      };
      const [work, wait] = [(step) => total(step, 1), (step) => total(step, 2)];
      return {
        workMs: medianOf(work),
        waitMs: medianOf(wait),
        hostMs: medianOf((step) => 1000 * step.seconds - work(step) - wait(step)),
      };
    });
    const jobs = this.#steps.at(-1).counted[WAKING];
    return { stepMs: medianOf(({ seconds }) => 1000 * seconds), jobs, threads };
  }

  #programOf(index) {
    const address = index * COMMAND_BYTES;
    const inside = ({ address: first, commands }) => address >= first && address < first + commands * COMMAND_BYTES;
    return this.#profile.programs.find(inside)?.label ?? PACKING;
  }

  #sum({ counted }, commands) {
    const workMs = new Array(this.#threads).fill(0);
    const waitMs = new Array(this.#threads).fill(0);
    let [calls, flop, bytes] = [0, 0, 0];
    for (const index of commands) {
      for (let thread = 0; thread < this.#threads; thread++) {
        const at = (thread * TABLE_COMMANDS + index) * COLUMNS;
        workMs[thread] += counted[at + 1];
        waitMs[thread] += counted[at + 2];
      }
      const [own, , , rows, pairs] = counted.subarray(index * COLUMNS, (index + 1) * COLUMNS);
      const work = workOf(this.#profile.command(index), { rows, pairs, calls: own });
      calls += own;
      flop += work.flop;
      bytes += work.bytes;
    }
    return { workMs, waitMs, calls, flop, bytes };
  }
}
