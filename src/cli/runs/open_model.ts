/** The pretrained model that a config or a flag names. */
import { otherAdapterKeys } from '../../config/keys/adapter_keys.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { adapterPath, modelPath } from '../../plugins/found_files.node.ts';
import { findModel, findWithAdapter } from '../../run/model/find_model.node.ts';
import { merged, openPretrained, type Pretrained } from '../../run/model/pretrained.ts';
import { printError } from '../display/output.ts';

/** Flags of the commands that use a model which is not that of a run. */
export interface ModelFlags {
  readonly model: string;
  /** A folder of PEFT's layout, where `model` is not one itself. */
  readonly adapter?: string;
}

/** With its adapter merged, where it has one. @throws CheckpointError, DataError */
export async function openTypedModel({ model, adapter }: ModelFlags): Promise<Pretrained> {
  const place = findModel(model);
  const pretrained = await openPretrained(adapter === undefined ? place : findWithAdapter(place, adapter));
  for (const note of pretrained.adapter?.notes ?? []) printError(`${pretrained.name}: ${note}`);
  return merged(pretrained);
}

/**
 * Reads headers and tokenizer; undefined where the run starts from random weights.
 *
 * @param file  the config's
 * @throws CheckpointError, DataError
 */
export async function openConfiguredModel(loaded: LoadedConfig, file: string): Promise<Pretrained | undefined> {
  const path = modelPath(loaded, file);
  if (path === undefined) return undefined;
  const { modelNameOrPath = path, adapterNameOrPath, chatTemplateKwargs } = loaded.config;
  const base = findModel(path, '.', modelNameOrPath);
  const beside = adapterPath(loaded, file);
  const place = beside === undefined ? base : findWithAdapter(base, beside, '.', adapterNameOrPath);
  const pretrained = await openPretrained(place, chatTemplateKwargs && { chatTemplateKwargs });
  refuseOtherAdapter(loaded, pretrained);
  return pretrained;
}

/** What is written beside an adapter that is there already says the same, or is not written. */
function refuseOtherAdapter({ config, problems }: LoadedConfig, { adapter }: Pretrained): void {
  if (adapter === undefined) return;
  for (const { key, value, rule } of otherAdapterKeys(config.adapter, adapter.config)) {
    if (problems.written(key) !== undefined) problems.add(key, value, rule);
  }
  problems.throwIfAny();
}
