/** Runs opened for a comparison: their records, their configs by single keys, and the methods of their stages. */
import { resolve } from 'node:path';
import { library } from '../../../src/cli/parts.ts';
import { flatTree } from '../../../src/run/flat_config.ts';
import type { KeptMoment } from '../../../src/run/logs/kept_moments.ts';
import { recordedConfig, recordedText, recordedTree } from '../../../src/run/recorded_config.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import type { Store } from '../../../src/run/store/store.ts';
import type { ComparedRun } from '../../compare/compare.ts';
import { type SpelledMethods, spelledMethods } from '../../compare/same_methods.ts';
import { readRecords } from './read_records.ts';

/** @param name  what it is called @throws CheckpointError where it has no records of that evaluation */
export async function openCompared(name: string, directory: string, moment: KeptMoment): Promise<ComparedRun> {
  const store = fileStore(resolve(directory));
  const records = await readRecords(store, moment, directory);
  const config = await recordedTree(store);
  return { name, records, config: config === undefined ? {} : flatTree(config), methods: await methodsOf(store) };
}

/** [stages] undefined for a supervised one; empty where the config cannot be read. */
async function methodsOf(store: Store): Promise<(SpelledMethods | undefined)[]> {
  const registries = await library().naming((await recordedText(store)) ?? '');
  const config = await recordedConfig(store, registries);
  return (config?.stages ?? []).map((stage) =>
    stage.stage === 'grpo' ? spelledMethods(stage.methods, registries.methods) : undefined,
  );
}
