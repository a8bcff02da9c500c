/** Shows a run in plain lines: what it does, its progress and results, and where its files are. */

import { commandName } from '../../command_name.ts';
import type { TaskSet } from '../../data/task_set.ts';
import { counted, duration, percent, printable, printableLines, shellQuoted, thousands } from '../../format.ts';
import type { EvaluationMoment } from '../../grpo/events.ts';
import { evaluationMetrics, meanOverBatches } from '../../grpo/metrics.ts';
import type { ConfiguredModel, Progress } from '../../grpo/run.ts';
import { usesOfStages } from '../../grpo/run.ts';
import type { Collected, Evaluation, Example, StepMetrics } from '../../methods/records.ts';
import { RISE_WORDS } from '../../methods/support/figures/rise.ts';
import { countParameters } from '../../model/parameters.ts';
import { lackOfRoom } from '../../planning/require_memory.ts';
import type { Fingerprint } from '../../run/fingerprint/fingerprint.ts';
import { resumeCommand } from '../../run/resume_command.ts';
import type { SessionEvent } from '../../run/session.ts';
import { MODEL_FOLDER } from '../../run/session.ts';
import type { Summary } from '../../run/summary.ts';
import { colors } from './colors.ts';
import type { Display, Shown } from './display.ts';
import { megabytes, percentWithInterval } from './format.ts';

/** Seconds between two progress lines. */
const PROGRESS_SECONDS = 5;
const EXAMPLES = 5;
/** The width of `61.2 % [57–65]`, mostly. */
const INTERVAL_COLUMNS = 15;
/** Purposes of the memory plan that are shown. */
const LARGEST_PURPOSES = 2;

export interface ReporterOptions extends Shown {
  readonly print: (line: string) => void;
  /** Whether to print a line every few seconds; a live region shows as much. */
  readonly progress: boolean;
}

interface Pace {
  step: number;
  tokens: number;
  at: number;
}

export class Reporter implements Display {
  readonly #options: ReporterOptions;
  #maxSteps = 0;
  #start: Pace = { step: 0, tokens: 0, at: 0 };
  #printedAt = 0;
  /** Latest value of every metric of this stage: a step on the rollouts of an earlier one has no reward of its own. */
  #metrics: StepMetrics = {};
  /** Lines of the batches that were drawn for the next step. */
  #batches: StepMetrics[] = [];

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  opening(fingerprint: Fingerprint, plannedBytes: ReadonlyMap<string, number>): void {
    const { run, print, directory } = this.#options;
    print(`${colors.bold('task')}     ${taskLine(run.engine.tasks)}`);
    print(`${colors.bold('policy')}   ${policyLine(run)}, seed ${run.config.seed}`);
    print(`${colors.bold('backend')}  ${backendLine(fingerprint)}`);
    print(
      `${colors.bold('memory')}   ${memoryLine(plannedBytes, lackOfRoom(run.config, run.engine, usesOfStages(run)))}`,
    );
    print(`${colors.bold('run')}      ${printable(directory)}`);
  }

  handle(event: SessionEvent): void {
    const { print, run, directory } = this.#options;
    switch (event.type) {
      case 'stage':
        this.#maxSteps = event.maxSteps;
        [this.#metrics, this.#batches] = [{}, []];
        this.#start = { step: event.step, tokens: run.journal.state.tokens, at: run.journal.clock() };
        print(
          `${colors.bold(event.stage)}      ${counted(event.maxSteps, 'step')}${event.step > 0 ? `, from step ${event.step}` : ''}`,
        );
        break;
      case 'step':
        this.#metrics = { ...this.#metrics, ...meanOverBatches([...this.#batches, event.metrics]) };
        this.#batches = [];
        if (this.#options.progress) this.#step(event.stage, event.step, this.#metrics);
        break;
      case 'batch':
        this.#batches.push(event.metrics);
        break;
      case 'evaluation':
        print(`  ${colors.cyan(momentOf(event.moment, event.step).padEnd(9))} ${evaluationLine(event.evaluation)}`);
        if (event.moment !== 'baseline') break;
        for (const line of startLines(event.evaluation)) print(line);
        if (isNoneRight(event.evaluation)) {
          for (const example of event.evaluation.examples.slice(0, EXAMPLES)) print(exampleLine(example));
        }
        break;
      case 'diagnosis':
        if (event.diagnosis.level === 'withdrawn') print(colors.dim(withdrawnLine(event)));
        else if (event.diagnosis.level !== 'stop') print(colors.yellow(diagnosisLine(event))); // else the error says it
        break;
      case 'note':
        print(printableLines(event.message));
        break;
      case 'stopped':
        print(`${stoppedLine(event)} Resume with: ${resumeCommand(directory)}`);
        break;
      case 'finished':
        this.#closing(event.summary);
        break;
      case 'rollouts':
        for (const line of excludedLines(event.step, event.collected)) print(line);
        break;
      case 'resumed':
      case 'checkpoint':
      case 'end':
        break;
    }
  }

  say(message: string): void {
    this.#options.print(printableLines(message));
  }

  close(): void {}

  #step(stage: string, step: number, metrics: StepMetrics): void {
    const { run, print } = this.#options;
    const now = run.journal.clock();
    if (step < this.#maxSteps && now - this.#printedAt < PROGRESS_SECONDS * 1000) return;
    this.#printedAt = now;
    const seconds = Math.max(1e-3, (now - this.#start.at) / 1000);
    const rate = (run.journal.state.tokens - this.#start.tokens) / seconds;
    const left = ((this.#maxSteps - step) * seconds) / Math.max(1, step - this.#start.step);
    const place = `${String(step).padStart(String(this.#maxSteps).length)}/${this.#maxSteps}`;
    const number = (key: string, digits: number): string =>
      metrics[key] === undefined ? '–' : Number(metrics[key]).toFixed(digits);
    const figures =
      stage === 'sft'
        ? `loss ${number('loss', 3)}`
        : `reward ${number('reward', 3)}  entropy ${number('entropy', 3)}  length ${number('completions/mean_length', 1)}` +
          `  dead ${percent(Number(metrics.frac_reward_zero_std ?? 0))}`;
    print(`  ${stage} ${place}  ${figures}  ${thousands(rate)} tokens/s  ${duration(left)} left`);
  }

  #closing(summary: Summary): void {
    const { run, print } = this.#options;
    const directory = printable(this.#options.directory);
    const { baseline, final, best } = run.journal.state;
    const model = summary.model === 'best' ? best?.evaluation : final;
    print('');
    for (const example of (model ?? baseline)?.examples.slice(0, EXAMPLES) ?? []) print(exampleLine(example));
    print('');
    if (baseline && model) {
      print('accuracy on held-out problems before → after, with the 95 % interval');
      print(
        colors.bold(`greedy   ${percent(baseline.accuracy.mean).padStart(6)} → ${percentWithInterval(model.accuracy)}`),
      );
      print(
        colors.bold(`sampled  ${percent(baseline.meanAtK.mean).padStart(6)} → ${percentWithInterval(model.meanAtK)}`),
      );
      const { samples } = model;
      const [before, after] = [baseline.passAtK[samples], model.passAtK[samples]];
      if (samples > 1 && before && after)
        print(`${`pass@${samples}`.padEnd(9)}${percent(before.mean).padStart(6)} → ${percentWithInterval(after)}`);
      if (summary.rise) print(`so       ${RISE_WORDS[summary.rise]}`);
    }
    for (const line of taskLines(run, baseline, model)) print(line);
    for (const line of bestLines(run, summary, this.#options.directory)) print(line);
    for (const line of saidLines(summary.diagnoses)) print(line);
    const split = Object.entries(summary.split)
      .filter(([, seconds]) => seconds > 0) // a stage that the run does not have
      .map(([name, seconds]) => `${name} ${duration(seconds)}`);
    print(`${duration(summary.wallSeconds)} (${split.join(', ')}), ${thousands(summary.tokensPerSecond)} tokens/s`);
    const shareLine = evaluationShare(summary.split);
    if (shareLine !== undefined) print(colors.yellow(shareLine));
    print(`model    ${directory}/${MODEL_FOLDER}`);
    print(`figures  ${directory}/summary.json, metrics.jsonl, completions.jsonl`);
    print(`look     ${commandName()} report ${shellQuoted(this.#options.directory)}`);
    print(`ask it   ${commandName()} sample ${shellQuoted(this.#options.directory)}`);
  }
}

/** Whether there is something to reinforce, in problems; where nothing is right, a diagnosis says so. */
export function startLines({ reach, samples }: Pick<Evaluation, 'reach' | 'samples'>): string[] {
  if (reach === undefined || reach.once === 0) return [];
  const { problems, once, always } = reach;
  const by = samples === 1 ? 'by one sample each' : `at least once by ${samples} samples`;
  const often = samples === 1 ? '' : `, ${always === 0 ? 'none' : thousands(always)} of them always`;
  const verdict = always === problems ? 'nothing is left to learn of them' : 'there is something to learn';
  return [`  start     ${thousands(once)} of ${counted(problems, 'problem')} are solved ${by}${often}: ${verdict}`];
}

/** If so, the user wants to see the answers before anything is trained. */
function isNoneRight({ accuracy, meanAtK }: Evaluation): boolean {
  return accuracy.mean === 0 && meanAtK.mean === 0;
}

/** Evaluations that take more of the time than this are worth a word. */
const MUCH_EVALUATION = 1 / 3;
/** Shorter evaluations are not worth a remark. */
const SHORT_SECONDS = 10;

/** The time that evaluations took, and the keys that shorten them; undefined if it was little. */
export function evaluationShare(split: Summary['split']): string | undefined {
  const all = Object.values(split).reduce((sum, seconds) => sum + seconds, 0);
  if (split.eval < SHORT_SECONDS || split.eval <= MUCH_EVALUATION * all) return undefined;
  const share = `${Math.round((100 * split.eval) / all)} %`;
  return `evaluations took ${share} of the time: eval_samples asks fewer problems, eval_steps asks them more seldom`;
}

/** `  step 12, entropy-collapse (warning): …`; the name is an anchor in docs/diagnostics.md. */
function diagnosisLine({ step, diagnosis }: Extract<SessionEvent, { type: 'diagnosis' }>): string {
  return `  step ${step}, ${diagnosis.code} (${diagnosis.level}): ${printableLines(diagnosis.message)}`;
}

/** `  step 750, below-best is no longer so: …`. */
function withdrawnLine({ step, diagnosis }: Extract<SessionEvent, { type: 'diagnosis' }>): string {
  return `  step ${step}, ${printableLines(diagnosis.message)}`;
}

/** A line for each of several tasks, with the level if a task occurs at several. */
function taskLines({ config }: Progress, baseline: Evaluation | undefined, model: Evaluation | undefined): string[] {
  const tasks = Object.entries(model?.byTask ?? {});
  const names = tasks.map(([label], index) => {
    const level = config.tasks.length === tasks.length ? config.tasks[index]?.task.level : undefined;
    return printable(level === undefined ? label : `${label} level ${level}`);
  });
  const columns = Math.max(...names.map(({ length }) => length));
  return tasks.flatMap(([label, after], index) => {
    const before = baseline?.byTask?.[label];
    if (before === undefined) return [];
    const [greedy, sampled] = (['accuracy', 'meanAtK'] as const).map(
      (figure) => `${percent(before[figure].mean).padStart(6)} → ${percentWithInterval(after[figure])}`,
    );
    return [
      `  ${(names[index] as string).padEnd(columns)}  greedy ${greedy?.padEnd(9 + INTERVAL_COLUMNS)}  sampled ${sampled}`,
    ];
  });
}

/** The best evaluation, if it was not the last one: it is the model, or how to make it so. */
function bestLines({ journal: { state } }: Progress, { model }: Summary, directory: string): string[] {
  const { best, final, stageIndex, step } = state;
  if (!best || !final || (best.stageIndex === stageIndex && best.step === step)) return [];
  const metric = best.metric === 'eval_accuracy' ? 'greedy accuracy' : best.metric;
  const [then, last] = [best.value, evaluationMetrics(final)[best.metric] ?? Number.NaN].map((value) =>
    best.metric === 'eval_completions/mean_length' ? value.toFixed(1) : percent(value),
  );
  const place = `best     ${metric} ${then} at ${best.stage} step ${best.step}, ${last} at the end`;
  if (model === 'best') return [`${place}: the model is that of step ${best.step}`];
  if (then === last) return [];
  return [`${place}; to make it the model:`, `         ${resumeCommand(directory)} --set load_best_model_at_end=true`];
}

/** Completions that a failed reward left out, and why. */
function excludedLines(step: number, { excluded }: Collected): string[] {
  if (excluded === undefined) return [];
  const reasons = excluded.reasons.map(printableLines).join('; ');
  return [`  step ${step}: completions left out of the step: ${excluded.count} (reward_on_error: exclude). ${reasons}`];
}

/** `said during the run: all-right (2 times), plateau — docs/diagnostics.md`, and which were withdrawn. */
function saidLines(diagnoses: Summary['diagnoses']): string[] {
  const names = (diagnosed: Summary['diagnoses']): string =>
    diagnosed.map(({ code, times }) => (times === 1 ? code : `${code} (${times} times)`)).join(', ');
  const holding = diagnoses.filter(({ withdrawn }) => withdrawn === undefined);
  const over = diagnoses.filter(({ withdrawn }) => withdrawn !== undefined);
  return [
    ...(holding.length === 0 ? [] : [`said during the run: ${names(holding)} — what each means: docs/diagnostics.md`]),
    ...(over.length === 0 ? [] : [`said, and no longer so: ${names(over)}`]),
  ];
}

/** `countdown — 571 held-out problems, never trained on`. */
function taskLine(tasks: TaskSet): string {
  const dropped = tasks.droppedHeldOut?.() ?? 0;
  const without = dropped === 0 ? '' : ` (${thousands(dropped)} more have prompts that are too long, and are left out)`;
  return `${printable(tasks.name)} — ${thousands(tasks.heldOutItems().length)} held-out problems, never trained on${without}`;
}

/** `saved at step 12; its evaluation is done again.` */
export function stoppedLine({ step, isSaved, again }: Extract<SessionEvent, { readonly type: 'stopped' }>): string {
  if (!isSaved) return 'stopped before there was anything to save.';
  const repeated = again === 'step' ? `; step ${step + 1} is done again.` : '; its evaluation is done again.';
  return `saved at step ${step}${again === undefined ? '.' : repeated}`;
}

/** `wasm, 2 threads, fma relaxed-simd`. */
export function backendLine({ backend, threads, backendFeatures }: Fingerprint): string {
  const features = Object.entries(backendFeatures).map(([name, value]) => `${name} ${value}`);
  return [backend, threads === 1 ? '1 thread' : `${threads} threads`, ...features].join(', ');
}

/** Describes the policy; with an adapter, that is what is trained. */
export function policyLine({ engine: { policy }, base }: ConfiguredModel): string {
  const { parameters, adapterParameters } = policy;
  const [all, own] = [parameters, adapterParameters].map((each) => thousands(countParameters(each)));
  const adapter = adapterParameters.length > 0 ? ` that stay, and an adapter of ${own}` : '';
  return `${all} parameters${adapter}${base === undefined ? '' : `, from ${printable(base.shown)}`}`;
}

/** Total bytes, then those of the largest purposes. @param lack  says what is recomputed for lack of memory */
export function memoryLine(plannedBytes: ReadonlyMap<string, number>, lack: string | undefined): string {
  const sum = (parts: readonly (readonly [string, number])[]): number =>
    parts.reduce((all, [, bytes]) => all + bytes, 0);
  const largest = [...plannedBytes].sort((a, b) => b[1] - a[1]);
  const rest = ['other', sum(largest.splice(LARGEST_PURPOSES))] as const;
  const parts = [...largest, rest].map(([purpose, bytes]) => `${purpose} ${megabytes(bytes)}`).join(', ');
  return `${megabytes(sum([...largest, rest]))}: ${parts}${lack === undefined ? '' : `; ${lack}`}`;
}

/** `baseline`, `step 46`, `final`. */
function momentOf(moment: EvaluationMoment, step: number): string {
  return moment === 'periodic' || moment === 'requested' ? `step ${step}` : moment;
}

export function evaluationLine({ accuracy, byTask = {}, meanAtK, passAtK, samples }: Evaluation): string {
  const best = passAtK[samples];
  const pass = best && samples > 1 ? `  pass@${samples} ${percent(best.mean)}` : '';
  // One under the other, the figures of several evaluations form columns.
  const [greedy, sampled] = [accuracy, meanAtK].map((share) => percentWithInterval(share).padEnd(INTERVAL_COLUMNS));
  const ofTasks = Object.entries(byTask).map(([task, own]) => `  ${printable(task)} ${percent(own.accuracy.mean)}`);
  return `greedy ${greedy}  sampled ${sampled}${pass}${ofTasks.join('')}`.trimEnd();
}

/** Whether an answer was right, in a word of five letters. */
export function markOf({ score }: Pick<Example['verdict'], 'score'>): string {
  return score === 1 ? colors.green('right') : colors.red('wrong');
}

export function exampleLine({ prompt, completion, verdict }: Example): string {
  const text = `${printable(prompt)} ${printable(completion)}`;
  return `  ${markOf(verdict)}  ${text}${verdict.score === 1 ? '' : colors.dim(`  — ${printable(verdict.reason)}`)}`;
}
