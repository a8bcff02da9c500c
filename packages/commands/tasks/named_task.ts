/** The task that a command names, registered or in a file of the user's, with the knobs of its flags. */

import { printError } from '../../../src/cli/display/output.ts';
import { library } from '../../../src/cli/parts.ts';
import { loadTask } from '../../../src/data/registered_task.ts';
import { type Repeat, repeatPlainly } from '../../../src/data/repeat.ts';
import type { AnyTaskDefinition } from '../../../src/data/task.ts';
import { ConfigError, PluginError } from '../../../src/errors.ts';
import { isModuleFile } from '../../../src/rewards/module_file.ts';
import { repeatWithin } from '../../plugins/calls.node.ts';
import { moduleReference } from '../../plugins/module.node.ts';
import { loadOwnTask } from '../../plugins/own_exports.node.ts';

/** Seconds that a call into a file of the user's may take. */
const CALL_SECONDS = 60;

export interface TaskFlags {
  readonly level?: number;
  readonly style?: string;
  /** Further knobs, `name=value` each. */
  readonly set?: readonly string[];
  readonly count?: number;
  readonly seed?: number;
  readonly json?: boolean;
}

export function givenKnobs({ level, style, set = [] }: TaskFlags): Record<string, unknown> {
  const knobs = set.map((text) => {
    const equals = text.indexOf('=');
    if (equals > 0) return [text.slice(0, equals), knobValue(text.slice(equals + 1))] as const;
    throw new ConfigError('bad-option', `--set ${text} — not a knob with its value; write for example --set max=99.`, {
      text,
    });
  });
  return { ...(level !== undefined && { level }), ...(style !== undefined && { style }), ...Object.fromEntries(knobs) };
}

/** A number or a truth value where it reads as one, else the text. */
function knobValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** A registered task, or one of a file, which is code that was typed here and so may run. */
export async function withTask(
  name: string,
  use: (definition: AnyTaskDefinition, repeat: Repeat) => void | Promise<void>,
  given: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (!isModuleFile(name)) {
    const { tasks } = await library().naming(name, JSON.stringify(given));
    await use(await loadTask(tasks, name, given), repeatPlainly);
    return;
  }
  const reference = moduleReference(name, undefined, '.');
  printError(`runs code from ${reference.shown}, with your rights`);
  try {
    await use(await loadOwnTask(reference, CALL_SECONDS), repeatWithin(CALL_SECONDS));
  } catch (error) {
    if (!(error instanceof PluginError) || error.code !== 'bad-module') throw error;
    throw new ConfigError('bad-module', `${reference.shown} — ${error.message}.`, { file: reference.shown });
  }
}
