/** Plain lines on standard output: what the run does, how far it is, how well, and where everything lies. */
import pc from 'picocolors';
import type { Evaluation, Example } from '../grpo/evaluate.ts';
import type { StepMetrics } from '../grpo/events.ts';
import type { TrainingRun } from '../grpo/run.ts';
import type { SessionEvent } from '../run/session.ts';
import { MODEL_FOLDER } from '../run/session.ts';
import type { Summary } from '../run/summary.ts';
import { duration, megabytes, percent, percentWithInterval, thousands } from './format.ts';

/** Seconds between two progress lines. */
const PROGRESS_SECONDS = 5;
const EXAMPLES = 5;

export interface ReporterOptions {
  readonly run: TrainingRun;
  readonly directory: string;
  readonly print: (line: string) => void;
}

interface Pace {
  step: number;
  tokens: number;
  at: number;
}

export class Reporter {
  readonly #options: ReporterOptions;
  #maxSteps = 0;
  #start: Pace = { step: 0, tokens: 0, at: 0 };
  #printedAt = 0;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** What will run, on what, in how much memory. */
  opening(backendLine: string, plannedBytes: ReadonlyMap<string, number>): void {
    const { run, print, directory } = this.#options;
    const { task, config, policy } = run;
    const parameters = policy.parameters.reduce((sum, { slot }) => sum + slot.shape.reduce((a, b) => a * b, 1), 0);
    const total = [...plannedBytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    const parts = [...plannedBytes].map(([purpose, bytes]) => `${purpose} ${megabytes(bytes)}`).join(', ');
    print(`${pc.bold('task')}     ${task.name} — ${task.heldOutItems().length} held-out problems, never trained on`);
    print(`${pc.bold('policy')}   ${thousands(parameters)} parameters, seed ${config.seed}`);
    print(`${pc.bold('backend')}  ${backendLine}`);
    print(`${pc.bold('memory')}   ${megabytes(total)}: ${parts}`);
    print(`${pc.bold('run')}      ${directory}`);
  }

  handle(event: SessionEvent): void {
    const { print, run } = this.#options;
    switch (event.type) {
      case 'stage':
        this.#maxSteps = event.maxSteps;
        this.#start = { step: event.step, tokens: run.position.tokens, at: run.clock() };
        print(
          `${pc.bold(event.stage)}      ${event.maxSteps} steps${event.step > 0 ? `, from step ${event.step}` : ''}`,
        );
        break;
      case 'step':
        this.#step(event.stage, event.step, event.metrics);
        break;
      case 'evaluation':
        print(
          `  ${pc.cyan('eval')} ${event.moment === 'periodic' ? `step ${event.step}` : event.moment}: ${evaluationLine(event.evaluation)}`,
        );
        break;
      case 'diagnosis':
        if (event.diagnosis.level !== 'stop') print(pc.yellow(diagnosisLine(event))); // else the error says it
        break;
      case 'note':
        print(event.message);
        break;
      case 'stopped':
        print(`saved at step ${event.step}.`);
        break;
      case 'finished':
        this.#closing(event.summary);
        break;
      case 'rollouts':
      case 'checkpoint':
      case 'end':
        break;
    }
  }

  #step(stage: string, step: number, metrics: StepMetrics): void {
    const { run, print } = this.#options;
    const now = run.clock();
    if (step < this.#maxSteps && now - this.#printedAt < PROGRESS_SECONDS * 1000) return;
    this.#printedAt = now;
    const seconds = Math.max(1e-3, (now - this.#start.at) / 1000);
    const rate = (run.position.tokens - this.#start.tokens) / seconds;
    const left = ((this.#maxSteps - step) * seconds) / Math.max(1, step - this.#start.step);
    const place = `${String(step).padStart(String(this.#maxSteps).length)}/${this.#maxSteps}`;
    const number = (key: string, digits: number): string => Number(metrics[key] ?? Number.NaN).toFixed(digits);
    const figures =
      stage === 'sft'
        ? `loss ${number('loss', 3)}`
        : `reward ${number('reward', 3)}  entropy ${number('entropy', 3)}  length ${number('completions/mean_length', 1)}` +
          `  dead ${percent(Number(metrics.frac_reward_zero_std ?? 0))}`;
    print(`  ${stage} ${place}  ${figures}  ${thousands(rate)} tokens/s  ${duration(left)} left`);
  }

  #closing(summary: Summary): void {
    const { run, print, directory } = this.#options;
    const { baseline, final } = run.position;
    print('');
    for (const example of (final ?? baseline)?.examples.slice(0, EXAMPLES) ?? []) print(exampleLine(example));
    print('');
    if (baseline && final) {
      print(pc.bold(`greedy   ${percent(baseline.accuracy.mean)} → ${percentWithInterval(final.accuracy)}`));
      print(pc.bold(`sampled  ${percent(baseline.meanAtK.mean)} → ${percentWithInterval(final.meanAtK)}`));
    }
    if (summary.diagnoses.length > 0) print(saidLine(summary.diagnoses));
    const split = Object.entries(summary.split).map(([name, seconds]) => `${name} ${duration(seconds)}`);
    print(`${duration(summary.wallSeconds)} (${split.join(', ')}), ${thousands(summary.tokensPerSecond)} tokens/s`);
    print(`model    ${directory}/${MODEL_FOLDER}`);
    print(`figures  ${directory}/summary.json, metrics.jsonl, completions.jsonl`);
    print(`ask it   npx rlvr-train sample --run ${directory}`);
  }
}

/** `  step 12, entropy-collapse (warning): …`; the name is an anchor in docs/diagnostics.md. */
function diagnosisLine({ step, diagnosis }: Extract<SessionEvent, { type: 'diagnosis' }>): string {
  return `  step ${step}, ${diagnosis.code} (${diagnosis.level}): ${diagnosis.message}`;
}

/** `said during the run: all-right (2 times), plateau — docs/diagnostics.md`. */
function saidLine(diagnoses: Summary['diagnoses']): string {
  const names = diagnoses.map(({ code, times }) => (times === 1 ? code : `${code} (${times} times)`));
  return `said during the run: ${names.join(', ')} — what each means: docs/diagnostics.md`;
}

export function evaluationLine({ accuracy, meanAtK, passAtK, samples }: Evaluation): string {
  const best = passAtK[samples];
  const pass = best && samples > 1 ? `  pass@${samples} ${percent(best.mean)}` : '';
  return `greedy ${percentWithInterval(accuracy)}  sampled ${percentWithInterval(meanAtK)}${pass}`;
}

export function exampleLine({ prompt, completion, verdict }: Example): string {
  const mark = verdict.score === 1 ? pc.green('right') : pc.red('wrong');
  return `  ${mark}  ${prompt} ${completion}${verdict.score === 1 ? '' : pc.dim(`  — ${verdict.reason}`)}`;
}
