/** `rlvr-train tasks`: the tasks there are, problems of one with verdicts, and the check that every task passes. */
import { commandName } from '../../command_name.ts';
import { checkTask, settingsOf } from '../../data/check/check_task.ts';
import { findingText } from '../../data/check/findings.ts';
import { bindTask } from '../../data/create_task.ts';
import { type AnyTaskDefinition, listedCards, registeredTask } from '../../data/registry.ts';
import type { Task, TaskItem } from '../../data/task.ts';
import { ConfigError, PluginError } from '../../errors.ts';
import { rngFor } from '../../kernels/philox.ts';
import { moduleReference } from '../../plugins/module.node.ts';
import { guardProcess } from '../../plugins/process_guard.node.ts';
import { loadTaskDefinition } from '../../plugins/task_module.node.ts';
import { isModuleFile } from '../../rewards/module_file.ts';
import { colors } from '../display/colors.ts';
import { print, printError, printJson } from '../display/output.ts';

/** Seconds that a call into a file of the user's may take. */
const CALL_SECONDS = 60;
/** Near misses of a problem that are shown. */
const MOST_MISSES = 12;

export function listTasks({ json = false }: { readonly json?: boolean }): void {
  const cards = listedCards();
  if (json) {
    const facts = cards.map(({ name, does, category, tier, levels, example }) => ({
      name,
      does,
      category,
      tier,
      levels: levels.length,
      example,
    }));
    printJson(JSON.stringify(facts));
    return;
  }
  const width = Math.max(...cards.map(({ name }) => name.length));
  const categories = [...new Set(cards.map(({ category }) => category))].sort();
  for (const category of categories) {
    print(colors.bold(category));
    for (const { name, does, tier, levels } of cards.filter((card) => card.category === category)) {
      const facts = levels.length === 0 ? `tier ${tier}` : `tier ${tier}, levels 0 to ${levels.length - 1}`;
      print(`  ${name.padEnd(width)}  ${does} ${colors.dim(facts)}`);
    }
  }
  print(colors.dim(`problems of one, with verdicts: ${commandName()} tasks show NAME --level 1`));
}

export interface TaskFlags {
  readonly level?: number;
  readonly style?: string;
  /** Further knobs, `name=value` each. */
  readonly set?: readonly string[];
  readonly count?: number;
  readonly seed?: number;
  readonly json?: boolean;
}

/** Some problems with a right answer, and near misses with what the verifier says of each. */
export async function showTask(name: string, flags: TaskFlags): Promise<void> {
  await withTask(
    name,
    (definition) => {
      const task = bindTask(definition, givenKnobs(flags));
      const { count = 3, seed = 0, json = false } = flags;
      const items = Array.from({ length: count }, (_, index) => task.trainItem(seed, index));
      const shown = items.map((item, index) => ({ item, tries: triesOf(definition, task, item, index) }));
      if (json) {
        for (const { item, tries } of shown) printJson(JSON.stringify({ ...item, tries }));
        return;
      }
      for (const { item, tries } of shown) print([colors.bold(item.prompt), ...tries.map(tryLine)].join('\n'));
      const { promptTokens, completionTokens } = task.language;
      const facts = [
        `chance ${(100 * task.chance).toFixed(1)} %`,
        `${task.heldOutItems().length} held-out problems`,
        `prompts of at most ${promptTokens} tokens, completions of ${completionTokens}`,
        `knobs ${JSON.stringify(task.knobs)}`,
      ];
      print(colors.dim(facts.join('; ')));
    },
    givenKnobs(flags),
  );
}

interface Try {
  readonly name: string;
  readonly completion: string;
  readonly score: number | null;
  readonly reason: string;
}

function triesOf(definition: AnyTaskDefinition, task: Task, item: TaskItem, index: number): Try[] {
  const { fixedCompletionTokens } = task.language;
  const finishReason = fixedCompletionTokens === undefined ? 'eos' : 'stop';
  const tried = (name: string, completion: string): Try => {
    const { score, reason } = task.verify(item, completion, { finishReason });
    return { name, completion, score, reason };
  };
  const misses = definition.mutants?.(item.identity, task.knobs, rngFor(`shown ${index}`)) ?? [];
  const tagged = (text: string): string => (task.style === 'plain' ? `<answer>${text}</answer>` : text);
  return [
    tried('right', item.answer),
    ...misses.slice(0, MOST_MISSES).map(({ name, text }) => tried(name, tagged(text))),
  ];
}

function tryLine({ name, completion, score, reason }: Try): string {
  const text = JSON.stringify(completion.length > 60 ? `${completion.slice(0, 59)}…` : completion);
  return `  ${score === 1 ? '1' : String(score ?? '–')}  ${text.padEnd(24)}  ${colors.dim(`${name}: ${reason}`)}`;
}

export interface CheckFlags extends TaskFlags {
  readonly attempts?: number;
}

/** Checks a task; what is broken is printed, and makes the exit status 1. */
export async function checkTaskCommand(name: string, flags: CheckFlags): Promise<void> {
  await withTask(
    name,
    (definition) => {
      const own = givenKnobs(flags);
      const settings = Object.keys(own).length === 0 ? settingsOf(definition) : [own];
      const { count: items = 200, attempts = 5000, json = false } = flags;
      const check = checkTask(definition, { items, attempts, settings });
      if (check.count > 0) process.exitCode = 1;
      if (json) {
        printJson(JSON.stringify(check));
        return;
      }
      for (const { name: setting, chance, commonest, heldOut, verdicts } of check.settings) {
        const facts = [
          `${verdicts} verdicts`,
          `${heldOut} held-out problems`,
          `chance ${(100 * chance).toFixed(1)} %`,
          `commonest answer ${(100 * commonest).toFixed(1)} %`,
        ];
        print(`${setting}  ${colors.dim(facts.join('; '))}`);
      }
      for (const finding of check.findings) print(findingText(finding));
      const more = check.count - check.findings.length;
      if (more > 0) print(`and ${more} more of the same rules`);
      print(
        check.count === 0
          ? `${definition.name} keeps every rule`
          : `${definition.name} breaks ${check.count} times what a task keeps`,
      );
    },
    givenKnobs(flags),
  );
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
  use: (definition: AnyTaskDefinition) => void,
  given: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (!isModuleFile(name)) {
    use(await registeredTask(name).load(given));
    return;
  }
  const reference = moduleReference(name, undefined, '.');
  printError(`runs code from ${reference.shown}, with your rights`);
  const guard = guardProcess();
  try {
    guard.know({ name: reference.shown, path: reference.path, limitSeconds: CALL_SECONDS }, []);
    use(await loadTaskDefinition(reference, CALL_SECONDS));
  } catch (error) {
    if (!(error instanceof PluginError) || error.code !== 'bad-module') throw error;
    throw new ConfigError('bad-module', `${reference.shown} — ${error.message}.`, { file: reference.shown });
  } finally {
    guard.close();
  }
}
