/** A compute thread of the profiled build: as the engine's own, with a clock at each command and barrier. */
import { workerData } from 'node:worker_threads';
import { Command } from '../../build/src/kernels/wasm/assembly/commands.js';
import { AMOUNT, CALLS, COLUMNS, COMMAND_BYTES, PAIRS, TABLE_COMMANDS, WAIT, WORK } from './columns.mjs';

const { module, memory, work, table, index } = workerData;
const ints = new Int32Array(memory.buffer);
const first = index * TABLE_COMMANDS;
let at = first * COLUMNS;
let mark = 0;

/** An argument, read through its address where the host said so. */
function argument(word, i) {
  const value = ints[word + 2 + i];
  return (ints[word + 1] >> i) & 1 ? ints[value >> 2] : value;
}

/** Pairs of a row and a key that it reads, of rows [begin, end). */
function pairsOf(intervals, begin, end) {
  let pairs = 0;
  for (let at = (intervals >> 2) + begin * 4; at < (intervals >> 2) + end * 4; at += 2) {
    pairs += Math.max(0, ints[at + 1] - ints[at]);
  }
  return pairs;
}

/** What the call at hand has to do. Kernels without rows have one number at most, in the place of the first row. */
function countWork(word) {
  const kernel = ints[word];
  const [from, to] = [argument(word, 0), argument(word, 1)];
  if (kernel === Command.attentionBackward) {
    const groups = ints[word + 3] >> 2;
    const [begin, end] = [ints[groups], ints[groups + from]];
    table[at + AMOUNT] += end - begin;
    table[at + PAIRS] += pairsOf(ints[word + 6], begin, end);
    return;
  }
  if (kernel === Command.attention) table[at + PAIRS] += pairsOf(ints[word + 6], from, to);
  table[at + AMOUNT] += Math.max(0, to - from);
}

const profile = {
  began(command) {
    at = (first + command / COMMAND_BYTES) * COLUMNS;
    table[at + CALLS]++;
    if (index === 0 && command !== 0) countWork(command >> 2);
    mark = performance.now();
  },
  reached() {
    const now = performance.now();
    table[at + WORK] += now - mark;
    mark = now;
  },
  passed() {
    const now = performance.now();
    table[at + WAIT] += now - mark;
    mark = now;
  },
};

const { exports } = new WebAssembly.Instance(module, { env: { memory }, profile });
exports.work(...work);
