/** Which runs may be trained on other machines: the learner of a series asks it of what it gives, and a worker of what it is given. */

import type { LoadedConfig } from '../../../src/config/load.ts';
import { DATASET } from '../../../src/data/data_files.ts';
import { ConfigError } from '../../../src/errors.ts';
import { readHubName } from '../../models/hub/names.ts';
import { asksOf, serversOf } from '../../plugins/asks.node.ts';
import { namedFiles } from '../../plugins/named_entries.ts';
import { configOf } from '../runs/config_of.ts';

/** Messages name it where they otherwise name a config's file. */
const GIVEN = 'config of the run';

/**
 * What keeps a run on this machine, in words; undefined where nothing does: a worker has the package, models of the hub, and
 * nothing else.
 *
 * @param modules  the files of the user's that the config names
 */
export function whyNotGiven(
  { config, registries }: Pick<LoadedConfig, 'config' | 'registries'>,
  modules: Readonly<Record<string, string>>,
): string | undefined {
  const { modelNameOrPath: model, adapterNameOrPath: adapter, models = {}, reporters = [] } = config;
  const [file] = [...Object.keys(modules), ...reporters.map(({ name }) => name)];
  if (file !== undefined) return `${file} is a file of yours, which is not sent to other machines`;
  if (model !== undefined && readHubName(model) === undefined)
    return `model_name_or_path: ${model} is a folder of this machine; a model of the hub could be given out`;
  if (adapter !== undefined) return `adapter_name_or_path: ${adapter} is a folder of this machine`;
  const [further] = Object.entries(models);
  if (further !== undefined) return `models.${further[0]}: ${further[1].path} is opened on this machine alone`;
  const [server] = serversOf(config, registries);
  if (server !== undefined) return `${server} is a server that this machine alone asks`;
  return undefined;
}

/** Why a worker does not train what it is given; undefined where it does. @param text  of a config that anyone may have written */
export async function whyNotTaken(text: string): Promise<string | undefined> {
  try {
    const loaded = await configOf(text, GIVEN);
    const { config } = loaded;
    const files = namedFiles(loaded, {}).map(({ plugin }) => plugin.name);
    const asked = asksOf(loaded, { file: GIVEN }).map(({ name }) => name);
    const rows = [
      ...config.tasks.map(({ task }) => task.name),
      ...config.stages.map((stage) => 'rows' in stage && stage.rows),
    ];
    const named = [
      ...files,
      ...asked,
      ...rows.flatMap((row) => (row === DATASET || typeof row === 'object' ? ['its rows'] : [])),
    ];
    if (config.reportTo !== undefined && config.reportTo.length > 0) return 'report_to names servers of this machine';
    return whyNotGiven(loaded, Object.fromEntries(named.map((name) => [name, ''])));
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
