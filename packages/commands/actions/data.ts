/** `rlvr-train data show`: problems as the model will see them, before anything is trained. */

import { announceFile } from '../../../src/cli/display/announce_file.ts';
import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { commandParts } from '../../../src/cli/parts.ts';
import { type LoadedRun, loadRun } from '../../../src/cli/runs/load_run.ts';
import type { RunFlags } from '../../../src/cli/training/train_options.ts';
import type { Problem } from '../../../src/config/problems.ts';
import { verdictsOf } from '../../../src/data/judging/judged.ts';
import type { Demonstration } from '../../../src/data/prompts/dialogue_tokens.ts';
import type { TaskItem } from '../../../src/data/task.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import { ConfigError } from '../../../src/errors.ts';
import { counted, printable, printableLines } from '../../../src/format.ts';
import { completionText } from '../../../src/grpo/rollout/complete.ts';
import { fewHeldOut } from '../../../src/methods/statistics.ts';
import { TOKEN } from '../../../src/token_kinds.ts';
import { openConfiguredModel } from '../../models/run/model/configured_model.node.ts';
import { approval } from '../process/trust.ts';
import { configOf } from '../runs/config_of.ts';
import { fittingItems } from '../runs/fitting_items.ts';

interface DataFlags {
  readonly config?: string;
  readonly set?: readonly string[];
  readonly count?: number;
  readonly trust?: readonly string[];
  readonly tokens?: boolean;
  readonly json?: boolean;
}

/** Messages name it where they otherwise name a config's file. */
const HERE = 'data show';

/** Steps of a stage that does not say how many it has. */
const STEPS = 1_000_000;

/** @throws ConfigError, DataError, CheckpointError */
export async function showData(rows: string | undefined, flags: DataFlags): Promise<void> {
  const { count = 3, json = false, tokens: withTokens = false, trust } = flags;
  const { loaded, file } = await load(rows, flags);
  const { problems } = loaded;
  const pretrained = await openConfiguredModel(loaded, file);
  const approve = approval({ file, problems, trust, isDry: true });
  const { codec } = pretrained ?? {};
  const plugins = await commandParts().openConfig(loaded, {
    file,
    announce: announceFile,
    approve,
    rewards: 'unused',
    codec,
  });
  try {
    const { config, tasks, notes } = plugins;
    const items = fittingItems(tasks, config.seed, count);
    const showing = items.map(({ item, index }) => shownProblem(tasks, config.seed, item, index, withTokens));
    const shown = await Promise.all(showing);
    if (json) {
      for (const problem of shown) printJson(JSON.stringify(problem));
      return;
    }
    for (const note of notes) print(colors.yellow(printable(note)));
    for (const problem of shown) for (const line of problemLines(problem)) print(line);
    const train = tasks.trainProblems();
    const heldOut = tasks.heldOutItems().length;
    const few = fewHeldOut(heldOut);
    print(colors.dim(`${train === undefined ? 'an endless stream' : train} to train on, ${heldOut} held out`));
    if (few !== undefined) print(colors.yellow(few));
  } catch (error) {
    throw problems.placed(error);
  } finally {
    await plugins.close();
  }
}

async function load(rows: string | undefined, { config, set = [] }: DataFlags) {
  if (rows === undefined || config !== undefined) {
    const own = rows === undefined ? [] : [`task.train=${JSON.stringify([rows])}`];
    const loaded = await loadShown({ ...(config !== undefined && { config }), set: [...set, ...own] });
    return { loaded, file: loaded.file };
  }
  const task = { flag: HERE, assignment: `task=${JSON.stringify({ name: 'dataset', train: [rows] })}` };
  return { loaded: await configOf('max_steps: 1\n', HERE, [task, ...set]), file: HERE };
}

/** Nothing is trained, so a config need not say for how long. */
async function loadShown(flags: RunFlags & { readonly set: readonly string[] }): Promise<LoadedRun> {
  try {
    return await loadRun(flags);
  } catch (error) {
    const found = error instanceof ConfigError ? error.facts.problems : undefined;
    const missing = (Array.isArray(found) ? (found as Problem[]) : []).filter(({ path }) => /\bmax_steps$/.test(path));
    if (missing.length === 0) throw error;
    return loadRun({ ...flags, set: [...missing.map(({ path }) => `${path}=${STEPS}`), ...flags.set] });
  }
}

interface ShownProblem {
  readonly item: TaskItem;
  /** As the model reads it, special tokens as their text. */
  readonly prompt: string;
  readonly promptTokens: number;
  readonly demonstration: string;
  readonly demonstrationTokens: number;
  /** Prompt and demonstration, where they are asked for. */
  readonly tokens?: readonly ShownToken[];
  /** What the verifier says of the answer alone. */
  readonly verdict: { readonly score: number | null; readonly reason: string };
}

interface ShownToken {
  readonly id: number;
  readonly text: string;
  readonly hasLoss: boolean;
}

async function shownProblem(
  tasks: TaskSet,
  seed: number,
  item: TaskItem,
  index: number,
  withTokens: boolean,
): Promise<ShownProblem> {
  const prompt = tasks.promptTokens(item);
  const shown = tasks.demonstrationTokens(item, seed, index);
  const finishReason = tasks.fixedCompletionTokens === undefined ? 'eos' : 'stop';
  // As the tokenizer gives it back, which is what the verifier sees of a policy's answers.
  const completion =
    tasks.codec.joint === undefined ? tasks.codec.decode(tasks.codec.encode(item.answer)) : item.answer;
  const given = { item, completion, context: { finishReason } } as const;
  const [{ score, reason }] = await verdictsOf(tasks, [given]);
  return {
    item,
    prompt: tasks.codec.decode(prompt),
    promptTokens: prompt.length,
    demonstration: completionText(tasks, { tokens: shown, finishReason }),
    demonstrationTokens: shown.length,
    ...(withTokens && { tokens: tokensOf(tasks, tasks.demonstration(item, seed, index)) }),
    verdict: { score, reason },
  };
}

function tokensOf({ codec }: TaskSet, { prompt, tokens, labels }: Demonstration): ShownToken[] {
  const shown = (id: number, hasLoss: boolean): ShownToken => ({ id, text: codec.tokenText(id), hasLoss });
  const learned = Array.from(tokens, (id, i) => shown(id, labels === undefined || labels[i] !== TOKEN.given));
  return [...Array.from(prompt, (id) => shown(id, false)), ...learned];
}

/** Tokens on one line as long as all of them have a loss, or none has. */
function tokenLines(tokens: readonly ShownToken[]): string[] {
  const lines: { readonly hasLoss: boolean; readonly texts: string[] }[] = [];
  for (const { text, hasLoss } of tokens) {
    const last = lines[lines.length - 1];
    const seen = printable(text.replaceAll('\n', '⏎').replaceAll(' ', '␣'));
    if (last?.hasLoss === hasLoss) last.texts.push(seen);
    else lines.push({ hasLoss, texts: [seen] });
  }
  return lines.map(({ hasLoss, texts }) =>
    hasLoss ? `  ${colors.green('+')} ${colors.bold(texts.join('│'))}` : `  ${colors.dim(`- ${texts.join('│')}`)}`,
  );
}

function problemLines({
  item,
  prompt,
  promptTokens,
  demonstration,
  demonstrationTokens,
  tokens,
  verdict,
}: ShownProblem): string[] {
  const judged = verdict.score === 1 ? '' : colors.yellow(`  alone it is not right: ${printable(verdict.reason)}`);
  return [
    `${colors.bold(printable(item.id))}  ${colors.dim(`prompt ${counted(promptTokens, 'token')}`)}`,
    ...printableLines(prompt)
      .split('\n')
      .map((line) => `  ${line}`),
    `  ${colors.dim('right  ')} ${printable(item.answer)}${judged}`,
    `  ${colors.dim('shown  ')} ${printable(demonstration)} ${colors.dim(`${counted(demonstrationTokens, 'token')}`)}`,
    ...tokenLines(tokens ?? []),
  ];
}
