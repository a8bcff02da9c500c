/** A trained policy or a pretrained model of this disk, to be asked by a program. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../src/errors.ts';
import { closeEngine } from '../../src/grpo/engine.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { readFingerprint } from '../../src/run/fingerprint/fingerprint.ts';
import { fileStore } from '../../src/run/store/files.node.ts';
import type { AskedPolicy } from '../models/asked/asked_policy.ts';
import { type AskedModelOptions, openAskedModel } from '../models/asked/open_model.ts';
import { enginePolicy } from '../models/asked/run_policy.ts';
import { openConfiguredModel } from '../models/run/model/configured_model.node.ts';
import { findModel } from '../models/run/model/find_model.node.ts';
import { openPretrained } from '../models/run/model/open_pretrained.ts';
import { loadTrained } from '../plugins/asked/load_trained.node.ts';
import { openForInference } from '../plugins/asked/open_for_inference.ts';
import { openPlugins } from '../plugins/open_plugins.node.ts';
import { loadConfigFile } from '../zoo/api/configs.node.ts';

/** How a policy is opened to be asked. */
export interface OpenPolicyOptions extends AskedModelOptions {
  /** Default: WebAssembly, on all cores. */
  readonly backend?: Backend;
  /** Files of a task or a tokenizer that the run's config names may be loaded, and run with your rights. Default false. */
  readonly ownCode?: boolean;
  /** Called with a line that you should know of and that stops nothing, such as that a file has changed. Default: nothing is said. */
  readonly say?: (line: string) => void;
}

/** Answers of a run that are sampled side by side. */
const PARALLEL = 16;

/**
 * Opens a policy to be asked.
 *
 * ```ts
 * const policy = await openPolicy('runs/countdown');
 * const [answers] = await policy.generate(['3 7 2 = 13 ?']);
 * for (const { text, logprobs } of answers ?? []) console.log(text, logprobs);
 * await policy.close();
 * ```
 *
 * @param path  the directory of a run: its final model, else its newest checkpoint; or a model: its folder, a `.gguf`
 *   file, an adapter, or `owner/name` of the hub's cache
 * @throws CheckpointError where nothing of the kind is there; ConfigError where the run has code of its own
 */
export async function openPolicy(path: string, options: OpenPolicyOptions = {}): Promise<AskedPolicy> {
  const backend = options.backend ?? (await wasmBackend());
  if (existsSync(join(path, 'config.yaml'))) return openRunPolicy(path, backend, options);
  return openAskedModel(await openPretrained(findModel(path)), backend, options);
}

async function openRunPolicy(
  directory: string,
  backend: Backend,
  { ownCode = false, parallel = PARALLEL, say = () => undefined }: OpenPolicyOptions,
): Promise<AskedPolicy> {
  const store = fileStore(directory);
  const file = join(directory, 'config.yaml');
  const loaded = await loadConfigFile(file);
  const pretrained = await openConfiguredModel(loaded, file, directory);
  const plugins = await openPlugins(loaded, {
    file,
    directory,
    rewards: 'unused',
    announce: () => undefined,
    codec: pretrained?.codec,
    async approve(files) {
      if (ownCode || files.length === 0) return;
      const rule = 'the run has code of its own, which would run with your rights; look at it, then give ownCode: true';
      throw new ConfigError('own-code', `${files.map(({ name }) => name).join(', ')} — ${rule}.`, { directory });
    },
  });
  const closers = [() => plugins.close()];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.reverse()) await closeOne();
  };
  try {
    const { config, tasks, registries } = plugins;
    const load = { prompts: parallel, samples: 1 };
    const model = await openForInference(config, tasks, backend, { registries, load, pretrained });
    closers.push(() => closeEngine(model.engine));
    const recorded = await readFingerprint(store);
    const { place, stageIndex } = await loadTrained({ store, directory, model, recorded, force: false, say });
    return enginePolicy(model.engine, config.stages[stageIndex], `${directory}/${place}`, close);
  } catch (error) {
    await close();
    throw error;
  }
}
