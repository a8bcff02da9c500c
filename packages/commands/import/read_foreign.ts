/** A config of another trainer from its file: YAML, a command line, a Python script or a notebook; and whose it is. */
import { ConfigError } from '../../../src/errors.ts';
import { AXOLOTL } from '../../zoo/elsewhere/foreign/axolotl.ts';
import type { ForeignMap } from '../../zoo/elsewhere/foreign/fate.ts';
import { TRL } from '../../zoo/elsewhere/foreign/trl.ts';
import { UNSLOTH } from '../../zoo/elsewhere/foreign/unsloth.ts';
import { VERL } from '../../zoo/elsewhere/foreign/verl.ts';
import type { FormName } from '../../zoo/elsewhere/stage_forms.ts';
import { type ForeignKey, readCommandKeys, readYamlKeys } from './foreign_file.ts';
import { OTHER_TRAININGS, readPythonKeys } from './python_calls.ts';

/** By the word of `--from`. */
export const MAPS: Readonly<Record<string, ForeignMap>> = { trl: TRL, verl: VERL, axolotl: AXOLOTL, unsloth: UNSLOTH };

export interface ReadConfig {
  readonly map: ForeignMap;
  readonly keys: readonly ForeignKey[];
  /** It trains on rows alone. */
  readonly isSupervised: boolean;
  /** The stage of preferences that it is. */
  readonly form?: FormName | undefined;
}

/** Keys that only a training by rewards has. */
const OF_REWARDS =
  /^(trl\.)?(reward_funcs|reward_weights|num_generations|max_completion_length|rl|beta|num_iterations)$/;
const OF_ROWS =
  /^(packing|max_seq_length|assistant_only_loss|completion_only_loss|dataset_text_field|max_length|sample_packing|sequence_len)$/;

/**
 * @param from  whose it is; default: what its keys say
 * @throws ConfigError where nothing of it can be read, or it is a training of another kind
 */
export function readForeign(text: string, file: string, from?: string): ReadConfig {
  const isScript = /\.(py|ipynb)$/.test(file);
  const source = file.endsWith('.ipynb') ? notebookText(text, file) : text;
  if (isScript) refuseOtherTraining(source, file);
  const read = (maps: readonly ForeignMap[]): ForeignKey[] => {
    if (isScript) return readPythonKeys(source);
    return isCommand(text, file) ? readCommandKeys(text) : readYamlKeys(text, file, sectionsOf(maps));
  };
  const found = read(Object.values(MAPS));
  if (found.length === 0) {
    const rule = 'no key of a training; give the YAML, the command line, or the script that makes its config';
    throw new ConfigError('foreign-config', `${file}  holds ${rule}.`, { file });
  }
  const map = from === undefined ? whose(found, source, isScript) : MAPS[from];
  const keys = read([map]);
  const has = (pattern: RegExp): boolean => keys.some(({ path }) => pattern.test(path));
  const form = map.isTrl || map === TRL ? preferenceStage(source, has) : undefined;
  const isSupervised =
    map !== VERL &&
    !has(/^teacher_model_name_or_path$/) &&
    form === undefined &&
    (/\bSFTConfig\(|\btrl sft\b/.test(source) || (has(OF_ROWS) && !has(OF_REWARDS) && !/\bGRPO/.test(source)));
  return { map, keys, isSupervised, form };
}

/** By the class or the command that makes it, or else by keys that no other training has. */
function preferenceStage(source: string, has: (pattern: RegExp) => boolean): FormName | undefined {
  const [, called] =
    /\b(DPO|KTO|ORPO|CPO)(?:Config|Trainer)\(/.exec(source) ?? /\btrl\s+(dpo|kto|orpo|cpo)\b/.exec(source) ?? [];
  if (called !== undefined) return called.toLowerCase() as FormName; // one of the four
  if (has(/^(un)?desirable_weight$/)) return 'kto';
  if (has(/^(cpo_alpha|simpo_gamma)$/)) return 'cpo';
  return has(/^(f_divergence_type|ld_alpha|use_weighting|discopop_tau|loss_weights|precompute_ref_log_probs)$/)
    ? 'dpo'
    : undefined;
}

/** Mappings that hold keys of these maps are sections; the others are values. */
function sectionsOf(maps: readonly ForeignMap[]): (path: string) => boolean {
  const paths = maps.flatMap(({ keys }) => Object.keys(keys));
  const isBelow = (path: string): boolean =>
    paths.some((key) => key.endsWith('.*') && `${path}.`.startsWith(key.slice(0, -1)));
  return (path) => path === 'trl' || isBelow(path) || paths.some((key) => key.startsWith(`${path}.`));
}

/** A file of words such as `data.train_batch_size=1024` and `--learning_rate 1e-6`. */
function isCommand(text: string, file: string): boolean {
  return (
    /\.(sh|bash)$/.test(file) ||
    /^#!.*sh\b/.test(text) ||
    /(^|\s)(main_ppo|trl\s+(grpo|sft|dpo|kto|orpo|cpo))(\s|$)/m.test(text)
  );
}

/** The code of a notebook. */
function notebookText(text: string, file: string): string {
  try {
    const { cells = [] } = JSON.parse(text) as { cells?: { cell_type?: string; source?: string | string[] }[] };
    return cells
      .filter((cell) => cell.cell_type === 'code')
      .map(({ source = '' }) => [source].flat().join(''))
      .join('\n');
  } catch {
    throw new ConfigError('foreign-config', `${file}  is no notebook, which is JSON; give the .ipynb file.`, { file });
  }
}

function refuseOtherTraining(source: string, file: string): void {
  const [, kind] = OTHER_TRAININGS.exec(source) ?? [];
  if (kind === undefined || /\b(GRPO|SFT)Config\(/.test(source)) return;
  const rule = `a training by ${kind}; here there are GRPO, preferences and supervised stages, and \`rlvr-train list methods\``;
  throw new ConfigError('foreign-config', `${file}  is ${rule}.`, { file });
}

function whose(keys: readonly ForeignKey[], source: string, isScript: boolean): ForeignMap {
  const has = (pattern: RegExp): boolean => keys.some(({ path }) => pattern.test(path));
  if (has(/^(actor_rollout_ref|algorithm|trainer|data|critic)\./)) return VERL;
  if (isScript) return /\bunsloth\b|\bFast\w*Model\b/.test(source) ? UNSLOTH : TRL;
  return has(/^(base_model|micro_batch_size|sequence_len|trl\.|adapter$)/) ? AXOLOTL : TRL;
}
