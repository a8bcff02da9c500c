/** What a command is given to look at or to ask: the directory of a run, or a model, as a word or by a flag. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandName } from '../../../src/command_name.ts';
import { ConfigError } from '../../../src/errors.ts';
import { shellQuoted } from '../../../src/format.ts';

/** The one run of a command, as a word or by --run. @throws ConfigError where there is none, or two */
export function onlyRun(words: readonly string[], run: string | undefined): string {
  const [directory, ...others] = run === undefined ? words : [run, ...words];
  if (directory === undefined) throw missingRun();
  refuseFurther(others, 'one run at a time; leave it out');
  return directory;
}

export interface Asked {
  readonly kind: 'run' | 'model';
  readonly path: string;
  /** The words after it. */
  readonly words: readonly string[];
}

/** Which policy is asked: the first word, unless --run or --model says it. @throws ConfigError where nothing does */
export function askedPolicy(
  words: readonly string[],
  { run, model }: { readonly run?: string; readonly model?: string },
): Asked {
  if (run !== undefined) return { kind: 'run', path: run, words };
  if (model !== undefined) return { kind: 'model', path: model, words };
  const [first, ...others] = words;
  if (first === undefined) throw missingRun();
  if (isModel(first)) return { kind: 'model', path: first, words: others };
  if (existsSync(first) || !/[\s=?]/.test(first)) return { kind: 'run', path: first, words: others };
  const rule = `no run directory; the run comes before the prompts, as in runs/countdown ${shellQuoted(first)}`;
  throw new ConfigError('missing-word', `${first} — ${rule}.`, { words });
}

/** Whether it is a model, and no run: a .gguf file, or a folder as transformers or PEFT write it. */
function isModel(path: string): boolean {
  if (path.endsWith('.gguf')) return true;
  const has = (file: string): boolean => existsSync(join(path, file));
  return !has('config.yaml') && (has('config.json') || has('adapter_config.json'));
}

/** @throws ConfigError for any word */
export function refuseFurther([word]: readonly string[], rule: string): void {
  if (word !== undefined) throw new ConfigError('unknown-word', `${word} — ${rule}.`, { word });
}

function missingRun(): ConfigError {
  const rule = 'which run? Give the directory that its training printed, for example runs/countdown';
  return new ConfigError('missing-word', `${rule}; ${commandName()} runs lists them.`, {});
}
