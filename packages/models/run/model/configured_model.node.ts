/** The model that a config or a flag names: a pretrained one, or that of an earlier run. */
import { join } from 'node:path';
import { printError } from '../../../../src/cli/display/output.ts';
import type { ConfiguredBase } from '../../../../src/cli/parts.ts';
import type { LoadedConfig } from '../../../../src/config/load.ts';
import type { RunConfig } from '../../../../src/config/run_config.ts';
import { CheckpointError } from '../../../../src/errors.ts';
import { type Fingerprint, readFingerprint } from '../../../../src/run/fingerprint/fingerprint.ts';
import { fileStore } from '../../../../src/run/store/files.node.ts';
import { asksInWords } from '../../../../src/text/codec.ts';
import { otherKeys } from '../../config/other_keys.ts';
import { findModel, findWithAdapter } from './find_model.node.ts';
import { adapterPath, furtherPath, modelPath } from './model_paths.node.ts';
import { merged, openPretrained } from './open_pretrained.ts';
import type { ModelPlace, Pretrained } from './pretrained.ts';

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
 * @param own  the directory of the run, where it has begun already
 * @throws CheckpointError, DataError, ConfigError
 */
export async function openConfiguredModel(
  loaded: LoadedConfig,
  file: string,
  own?: string,
): Promise<Pretrained | undefined> {
  const path = modelPath(loaded, file);
  if (path === undefined) return undefined;
  const { modelNameOrPath = path, adapterNameOrPath, chatTemplateKwargs } = loaded.config;
  const recorded = own === undefined ? undefined : await readFingerprint(fileStore(own));
  const shown = (adapterNameOrPath === undefined ? recorded?.start : undefined) ?? modelNameOrPath;
  const open = (place: ModelPlace): Promise<Pretrained> =>
    openPretrained(place, chatTemplateKwargs && { chatTemplateKwargs });
  let place: ModelPlace;
  try {
    const base = findModel(path, '.', shown);
    const beside = adapterPath(loaded, file);
    place = beside === undefined ? base : findWithAdapter(base, beside, '.', adapterNameOrPath);
  } catch (error) {
    if (own === undefined || recorded === undefined || !(error instanceof CheckpointError)) throw error;
    return openOwn({ loaded, own, recorded, shown, open, lost: error });
  }
  const pretrained = await open(place);
  refuseOthers(loaded, pretrained);
  return pretrained;
}

interface Begun {
  readonly loaded: LoadedConfig;
  readonly own: string;
  readonly recorded: Fingerprint;
  readonly shown: string;
  readonly open: (place: ModelPlace) => Promise<Pretrained>;
  /** Why what the run began with cannot be opened. */
  readonly lost: CheckpointError;
}

/**
 * What a run began with is gone: one that trains all weights has shape, vocabulary and weights of its own by then. They
 * count as what is gone, so that the run resumes as the one that it is.
 *
 * @throws CheckpointError where it needs what is gone
 */
async function openOwn({ loaded, own, recorded, shown, open, lost }: Begun): Promise<Pretrained> {
  const gone = (rule: string): CheckpointError => {
    const message = `${lost.message}\n  ${own} began with it, and ${rule}.`;
    return new CheckpointError(lost.code, message, lost.facts);
  };
  const { base } = recorded;
  if (loaded.config.adapter !== undefined) throw gone('its adapter means nothing without it; bring it back');
  if (base === undefined) throw gone('needs it; bring it back');
  try {
    const { checkpoint, ...place } = findModel(own, '.', shown);
    const pretrained = await open({ ...place, ...(checkpoint && { checkpoint: { ...checkpoint, isChosen: false } }) });
    printError(`${shown}, with which ${own} began, is gone; the run has all that it needs of it`);
    return { ...pretrained, hashes: async () => base };
  } catch (error) {
    if (error instanceof CheckpointError)
      throw gone('has no weights of its own yet; bring it back, or start a new run');
    throw error;
  }
}

/** What is written beside a model that is there already says the same, or is not written. */
function refuseOthers({ config, problems }: LoadedConfig, pretrained: Pretrained): void {
  const { name, codec } = pretrained;
  for (const { key, value, rule } of otherKeys(config, pretrained)) {
    if (problems.written(key) !== undefined) problems.add(key, value, rule);
  }
  if (config.chatTemplateKwargs !== undefined && !asksInWords(codec)) {
    const rule = `${name} has no chat template: its vocabulary is closed, and problems are asked as their task writes them`;
    problems.add('chat_template_kwargs', config.chatTemplateKwargs, `${rule}; leave it out`);
  }
  problems.throwIfAny();
}

/** For the command: the models, and the config that names them. */
export async function openBase(loaded: LoadedConfig, file: string, own?: string): Promise<ConfiguredBase | undefined> {
  const base = await openConfiguredModel(loaded, file, own);
  const models = await openFurtherModels(loaded, file);
  if (base === undefined && models === undefined) return undefined;
  const config = base === undefined ? loaded.config : withChosen(loaded.config, base);
  return { ...(base && { base }), ...(models && { models }), config: models ? withChosenOf(config, models) : config };
}

/**
 * The further models of a run, such as its teacher: headers and tokenizers are read, and adapters merged.
 *
 * @throws CheckpointError, DataError
 */
async function openFurtherModels(loaded: LoadedConfig, file: string): Promise<Record<string, Pretrained> | undefined> {
  const { models, chatTemplateKwargs } = loaded.config;
  if (models === undefined) return undefined;
  const opened: Record<string, Pretrained> = {};
  for (const [name, { path }] of Object.entries(models)) {
    const place = findModel(furtherPath(loaded, file, name, path), '.', path);
    opened[name] = merged(await openPretrained(place, chatTemplateKwargs && { chatTemplateKwargs }));
  }
  return opened;
}

/** A model by its checkpoint, where that was chosen. */
function chosen(path: string, checkpoint: ModelPlace['checkpoint']): string {
  return checkpoint?.isChosen ? join(path, checkpoint.path) : path;
}

/** As `withChosen`, for further models. */
function withChosenOf(config: RunConfig, opened: Readonly<Record<string, Pretrained>>): RunConfig {
  const named = Object.entries(config.models ?? {}).map(([name, { path }]) => {
    const { checkpoint, adapter } = opened[name].place;
    return [name, { path: chosen(path, adapter?.checkpoint ?? checkpoint) }] as const;
  });
  return { ...config, models: Object.fromEntries(named) };
}

/** The config with the checkpoint that was chosen of a run: the newest one is another soon. */
function withChosen(config: RunConfig, { place }: Pretrained): RunConfig {
  const { modelNameOrPath, adapterNameOrPath } = config;
  // A run with an adapter is named as the model.
  const [model, adapter] =
    adapterNameOrPath === undefined
      ? [modelNameOrPath && chosen(modelNameOrPath, place.adapter?.checkpoint ?? place.checkpoint), undefined]
      : [
          modelNameOrPath && chosen(modelNameOrPath, place.checkpoint),
          chosen(adapterNameOrPath, place.adapter?.checkpoint),
        ];
  return {
    ...config,
    ...(model !== undefined && { modelNameOrPath: model }),
    ...(adapter !== undefined && { adapterNameOrPath: adapter }),
  };
}
