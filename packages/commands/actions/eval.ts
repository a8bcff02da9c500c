import { print, printJson } from '../../../src/cli/display/output.ts';
import { evaluationLine, exampleLine } from '../../../src/cli/display/reporter.ts';
import type { Override } from '../../../src/config/overrides.ts';
import { isMapping } from '../../../src/config/yaml/yaml_tree.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import { ConfigError } from '../../../src/errors.ts';
import { printable } from '../../../src/format.ts';
import { evaluationMetrics } from '../../../src/grpo/metrics.ts';
import type { Evaluation } from '../../../src/methods/records.ts';
import type { InferenceLoad } from '../../../src/planning/capacity.ts';
import { recordedTree } from '../../../src/run/recorded_config.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { askedPolicy, refuseFurther } from '../commands/required_run.ts';
import { averagedWith } from '../runs/average_weights.ts';
import { type AskedFlags, openAsked } from '../runs/open_asked.ts';
import { type InferenceFlags, type OpenedModel, openTrained } from '../runs/open_trained.ts';
import { evaluateSuite } from './eval_suite.ts';
import { type EvaluatedFlags, evaluated } from './evaluated.ts';

/** Those of the command that say what is evaluated. */
export type EvalFlags = InferenceFlags &
  Omit<AskedFlags, 'model' | 'task'> &
  EvaluationFlags & {
    readonly run?: string;
    readonly model?: string;
    readonly task?: string;
    readonly suite?: string;
    /** Models whose weights are averaged with those. */
    readonly average?: readonly string[];
  };

interface EvaluationFlags extends EvaluatedFlags {
  readonly json?: boolean;
}

/**
 * A run's policy on its own problems, or a model on those of a task.
 *
 * @param words  the run or the model, unless flags say it
 * @throws ConfigError where it is not said what is evaluated, or on what
 */
export async function evaluateGiven(words: readonly string[], given: EvalFlags): Promise<void> {
  const { task, suite, samples, average = [] } = given;
  const { kind, path, words: others } = askedPolicy(words, given);
  refuseFurther(others, 'one run or model at a time; leave it out');
  // Asked something else than its own task, a run is a model like any other.
  const isRun = kind === 'run' && (suite ?? task) === undefined;
  const supervised = isRun && given.figures !== undefined ? await supervisedAlone(path) : [];
  const figures = given.figures === undefined ? [] : figuresOverrides(given.figures, samples, isRun, supervised);
  const flags = { ...given, set: [...figures, ...(given.set ?? [])] };
  if (suite !== undefined) return evaluateSuite({ ...flags, model: path, suite });
  if (isRun) {
    const load = (tasks: TaskSet): InferenceLoad => ({ prompts: tasks.heldOutItems().length, samples });
    const opened = await openTrained(path, { ...flags, overrides: flags.set }, load);
    const keepsProblems = flags.set.some((set) => typeof set === 'string' && /(^|\.)eval_samples=/.test(set));
    // The stage that was added for its figures is not the one that the run ended with.
    const stageIndex = Math.min(opened.stageIndex, (supervised.length || opened.model.config.stages.length) - 1);
    return evaluateOpened(await averagedWith({ ...opened, stageIndex }, average), { ...flags, keepsProblems });
  }
  if (task === undefined) {
    const rule = 'missing — what the model is asked; for example --task reverse_text';
    throw new ConfigError('missing-flag', `--task: ${rule}.`, { flag: 'task' });
  }
  const opened = await averagedWith(await openAsked({ ...flags, model: path, task }), average);
  return evaluateOpened(opened, { ...flags, keepsProblems: true });
}

/**
 * Figures, and what they are of: a run's stages of reinforcement, or one that is added where all are supervised; a model has one.
 *
 * @param supervised  the stages of such a run, as its config has them
 */
function figuresOverrides(names: string, samples: number, ofRun: boolean, supervised: readonly unknown[]): Override[] {
  if (supervised.length > 0) {
    const asked = `{stage: grpo, max_steps: 1, num_generations_eval: ${samples}, evaluation_figures: [${names}]}`;
    const stages = [...supervised.map((stage) => JSON.stringify(stage)), asked];
    return [{ flag: '--figures', assignment: `stages=[${stages.join(', ')}]` }];
  }
  const at = ofRun ? 'grpo.' : '';
  return [
    { flag: '--samples', assignment: `${at}num_generations_eval=${samples}` },
    { flag: '--figures', assignment: `${at}evaluation_figures=[${names}]` },
  ];
}

/** The stages of a run that has no other than supervised ones, which have no figures; else none. */
async function supervisedAlone(directory: string): Promise<readonly unknown[]> {
  const { stages } = (await recordedTree(fileStore(directory))) ?? {};
  const isSupervised = (stage: unknown): boolean => isMapping(stage) && stage.stage === 'sft';
  return Array.isArray(stages) && stages.every(isSupervised) ? stages : [];
}

/** Asks problems, prints the figures, and closes the model. */
export async function evaluateOpened(opened: OpenedModel, { json, ...asked }: EvaluationFlags): Promise<void> {
  const { name } = opened.model.engine.tasks;
  const evaluation = await evaluated(opened, asked);
  if (json) {
    printJson(JSON.stringify(evaluationMetrics(evaluation)));
    return;
  }
  const problems = asked.split === 'train' ? 'problems of training' : 'held-out problems';
  print(`${printable(`${opened.from}: ${name}`)}, ${evaluation.accuracy.count} ${problems}`);
  print(evaluationLine(evaluation));
  for (const line of figureLines(evaluation)) print(line);
  for (const example of evaluation.examples) print(exampleLine(example));
}

/** Further figures, one under the other: means with intervals, in the units of each. */
function figureLines({ figures = {} }: Pick<Evaluation, 'figures'>): string[] {
  const width = Math.max(...Object.keys(figures).map(({ length }) => length));
  return Object.entries(figures).map(([name, { mean, low, high }]) => {
    const [value, from, to] = [mean, low, high].map((one) => Number(one.toPrecision(3)));
    return `  ${printable(name.padEnd(width))}  ${value} [${from}–${to}]`;
  });
}
