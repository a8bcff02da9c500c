/** Runs opened for a comparison: their records, and their configs by single keys. */
import { resolve } from 'node:path';
import type { ComparedRun } from '../../compare/compare.ts';
import { flatTree } from '../../run/flat_config.ts';
import type { KeptMoment } from '../../run/logs/kept_moments.ts';
import { readRecords } from '../../run/logs/read_records.ts';
import { recordedTree } from '../../run/recorded_config.ts';
import { fileStore } from '../../run/store/files.node.ts';

/** @param name  what it is called @throws CheckpointError where it has no records of that evaluation */
export async function openCompared(name: string, directory: string, moment: KeptMoment): Promise<ComparedRun> {
  const store = fileStore(resolve(directory));
  const records = await readRecords(store, moment, directory);
  const config = await recordedTree(store);
  return { name, records, config: config === undefined ? {} : flatTree(config) };
}
