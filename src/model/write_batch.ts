/** Writes each host array of a batch to its input slot. */
import { BackendError } from '../errors.ts';
import type { Engine } from '../kernels/engine.ts';
import type { Slot } from '../kernels/memory.ts';
import type { PackedBatch } from './batch.ts';
import type { Capacity } from './memory/capacity.ts';
import type { PolicyPlan } from './memory/plan.ts';
import { COUNTS } from './memory/slots.ts';
import { scoredRows } from './scored/scored_rows.ts';
import { windowWithin, writeIntervals } from './window.ts';

/** @throws BackendError where a sequence of the batch is longer than the policy was opened for */
export function requireContext({ positions }: PackedBatch, { context }: Capacity): void {
  const last = positions.reduce((most, position) => Math.max(most, position), 0);
  if (last < context) return;
  const opened = `this policy was opened for ${context} tokens`;
  throw new BackendError('context', `a sequence of ${last + 1} tokens — ${opened}; open it with a larger context.`);
}

export function writeBatch(
  engine: Engine,
  { slots: { inputs, results }, shape, capacity }: Pick<PolicyPlan, 'slots' | 'shape' | 'capacity'>,
  batch: PackedBatch,
  temperature: number,
): void {
  const size = windowWithin(shape, capacity.context);
  const write = (slot: Slot, values: ArrayLike<number>): void => engine.write(slot, values);
  write(inputs.tokens, batch.tokens);
  write(inputs.positions, batch.positions);
  write(inputs.kvRows, batch.kvRows);
  writeIntervals(engine, inputs, batch.intervals, size);
  write(inputs.prefixGroups, batch.prefixGroups);
  write(inputs.sortedRows, batch.sortedRows);
  write(inputs.bucketTokens, batch.bucketTokens);
  write(inputs.bucketOffsets, batch.bucketOffsets);
  const { openings } = batch;
  engine.write(inputs.openingFrom, openings.from, openings.begin);
  write(inputs.openingRows, openings.rows);
  write(inputs.openingCopies, openings.copies);
  write(inputs.openingOffsets, openings.offsets);
  const scored = scoredRows(batch);
  write(inputs.scoredIndex, scored.index);
  write(inputs.scoredOffsets, scored.offsets);
  const scoredInputs = { intervals: inputs.scoredIntervals, windowIntervals: inputs.scoredWindowIntervals };
  writeIntervals(engine, scoredInputs, scored.intervals, size);
  write(inputs.scoredGroups, scored.groups);
  write(inputs.lossIndex, scored.lossIndex);
  write(inputs.lossOffsets, scored.lossOffsets);
  write(inputs.targets, batch.targets);
  write(results.temperature, [temperature]);
  const counts = new Int32Array(COUNTS.length);
  counts[COUNTS.rows] = batch.rowCount;
  counts[COUNTS.lossRows] = batch.lossRowCount;
  counts[COUNTS.prefixGroups] = batch.prefixGroups.length - 1;
  counts[COUNTS.buckets] = batch.bucketTokens.length;
  counts[COUNTS.kvRows] = batch.kvRowCount;
  counts[COUNTS.openingBegin] = openings.begin;
  counts[COUNTS.openingEnd] = openings.begin + openings.from.length;
  counts[COUNTS.openingRows] = openings.rows.length;
  counts[COUNTS.scoredRows] = scored.index.length;
  write(inputs.counts, counts);
}
