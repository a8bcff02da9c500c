/** What the top of a run's page says: its figures, its tasks, what was diagnosed. Made alike by the server and by the page. */
import { thousands } from '../../src/format.ts';
import { type Reached, RISE_WORDS, riseOf } from '../../src/methods/support/figures/rise.ts';
import { byTask } from './by_task.ts';
import type { EvaluationData, Interval } from './data.ts';
import { figure } from './figure.ts';
import { fleetFigures } from './fleet.ts';
import { duration, formatValue } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { RunRecords } from './read_run.ts';
import { timeLeft } from './time_left.ts';

/** What of a run's records it needs. */
export interface Said extends Pick<RunRecords, 'outline' | 'summary' | 'failure' | 'curves' | 'evaluations' | 'fleet'> {
  /** Whether a process works on it. */
  readonly isRunning?: boolean;
}

/** Figures, a table of several tasks, and diagnostics. */
export function renderSaid(run: Said): Markup {
  return html`${figures(run)}
  ${byTask(run)}
  ${fleetFigures(run.fleet)}
  ${notices(run)}`;
}

/** `grpo step 12 of 600`. */
export function placeText({ outline, curves: { stages } }: Pick<Said, 'outline' | 'curves'>): string {
  const current = stages.at(-1);
  if (current === undefined) return 'no step yet';
  return `${current.stage} step ${current.taken} of ${outline.stages[current.index]?.max_steps}`;
}

function figures(run: Said): Markup {
  const { summary, outline, isRunning } = run;
  const { stages, evaluations } = run.curves;
  const seconds = summary?.wallSeconds ?? stages.at(-1)?.seconds.at(-1) ?? 0;
  const steps = stages.map(({ taken }) => taken);
  const byStage = stages.map(({ stage, index }, i) => {
    const most = outline.stages[index]?.max_steps ?? 0;
    const taken = stages.length === 1 ? '' : `${thousands(steps[i] ?? 0)} `; // the figure itself
    return `${taken}${summary || steps[i] === most ? '' : `of ${thousands(most)} `}${stage}`;
  });
  const pace = summary ? `${thousands(summary.tokensPerSecond)} tokens/s on average` : 'without evaluations';
  const samples = evaluations.at(-1)?.samples ?? 1;
  const tries = samples === 1 ? 'one try' : `mean of ${samples} tries`;
  return html`
  <dl class="figures">
    ${accuracy('Greedy accuracy', 'best guess', evaluations, ({ greedy }) => greedy)}
    ${accuracy('Sampled accuracy', tries, evaluations, ({ sampled }) => sampled)}
    ${accuracy(`Solved in ${samples} tries`, `pass@${samples}`, evaluations, ({ pass }) => pass)}
    ${riseFigure(evaluations)}
    ${bestFigure(summary)}
    ${isRunning && !summary ? progressFigures(run) : undefined}
    ${figure(summary ? 'Time' : 'Time in training steps', duration(seconds), pace)}
    ${figure('Optimizer steps', thousands(steps.reduce((sum, count) => sum + count, 0)), byStage.join(', '))}
    ${summary && figure('Parameters', thousands(summary.parameters), `seed ${summary.seed}`)}
  </dl>`;
}

/** Points whose mean is the pace. */
const PACE_POINTS = 20;

/** How long it will still take, and the newest point of the curve of tokens per second. */
function progressFigures({ outline, curves: { stages, evaluations } }: Said): Markup {
  const current = stages.at(-1);
  const numbers = (metric: string): readonly number[] => {
    const column = current?.metrics[metric] ?? [];
    return typeof column === 'number' ? [column] : column.filter((value) => value !== null);
  };
  const last = numbers('step_time').slice(-PACE_POINTS);
  const left = timeLeft(outline.stages, {
    stage: current?.index ?? 0,
    step: current?.taken ?? 0,
    secondsPerStep: last.length === 0 ? undefined : last.reduce((sum, value) => sum + value, 0) / last.length,
    secondsPerEvaluation: evaluations.findLast(({ runtime }) => runtime !== null)?.runtime ?? undefined,
  });
  const rate = numbers('tokens_per_second').at(-1);
  const whose =
    left?.next === undefined ? 'at the pace of the last steps' : `of ${current?.stage}; ${left.next} follows`;
  return html`
    ${figure('Time left', left ? duration(left.seconds) : '–', left ? whose : 'known after the first steps')}
    ${figure('Tokens per second', rate === undefined ? '–' : thousands(rate), 'of completions, in the last steps')}`;
}

/** From the first evaluation of the last stage (its baseline) to the last one; of held-out problems. */
function accuracy(
  title: string,
  what: string,
  evaluations: readonly EvaluationData[],
  of: (evaluation: EvaluationData) => Interval | null,
): Markup | undefined {
  const [final, first] = endsOf(evaluations);
  const value = final && of(final);
  if (!value) return undefined;
  const start = first && of(first);
  const [mean, low, high] = value;
  const before = start ? html`<span class="before">${formatValue(start[0], 'share')} →</span> ` : undefined;
  const range = html`<span class="whole">95 %: ${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}</span>`;
  return figure(title, html`${before}${formatValue(mean, 'share')}`, html`held-out, ${what}; ${range}`);
}

/** Whether the policy solves more by now, or is surer of what it could do. */
function riseFigure(evaluations: readonly EvaluationData[]): Markup | undefined {
  const [after, before] = endsOf(evaluations).map((one) => one && reachedBy(one));
  if (!before || !after) return undefined;
  const rise = riseOf(before, after);
  return figure('What rose', rise, RISE_WORDS[rise]);
}

/** The last evaluation, and the first one of its stage where that is another. */
function endsOf(evaluations: readonly EvaluationData[]): [EvaluationData | undefined, EvaluationData | undefined] {
  const final = evaluations.at(-1);
  const first = final && evaluations.find(({ stage }) => stage === final.stage);
  return [final, first === final ? undefined : first];
}

function reachedBy({ greedy, sampled, pass }: EvaluationData): Reached | undefined {
  return greedy && sampled
    ? { greedy: shareOf(greedy), sampled: shareOf(sampled), pass: pass && shareOf(pass) }
    : undefined;
}

function shareOf([mean, low, high]: Interval): Reached['greedy'] {
  return { mean, low, high };
}

/** The best evaluation of a finished run, and whether its weights are the model. */
function bestFigure(summary: Said['summary']): Markup | undefined {
  if (!summary?.best) return undefined;
  const { stage, step, metric, metrics } = summary.best;
  const value = metrics[metric] ?? Number.NaN;
  const whose = summary.model === 'best' ? 'its weights are the model' : 'the model has the last weights';
  const name = metric === 'eval_accuracy' ? 'greedy' : metric;
  const format = metric === 'eval_completions/mean_length' ? 'number' : 'share';
  return figure('Best evaluation', formatValue(value, format), `${name}, ${stage} step ${step}; ${whose}`);
}

/** A run without any says so in a line. */
function notices({ failure, summary, isRunning, curves: { stages, diagnoses } }: Said): Markup {
  const over = diagnoses.filter(({ withdrawn }) => withdrawn !== undefined);
  const standing = diagnoses.filter(({ withdrawn }) => withdrawn === undefined);
  const items = standing.map(({ code, stage, firstStep, lastStep, times, message }) => {
    const place = firstStep === lastStep ? `step ${firstStep}` : `steps ${firstStep}–${lastStep}, ${times} times`;
    return html`<li class="notice"><p><strong>${code}</strong> <span>${stages[stage]?.stage} ${place}</span></p><p>${message}</p></li>`;
  });
  const isStopped = failure !== undefined && summary === undefined && !isRunning; // it can be older than a resume
  const stop = !isStopped
    ? []
    : [html`<li class="notice failed"><p><strong>stopped</strong></p><p>${failure}</p></li>`];
  const all = [...stop, ...items];
  const was = over.map(({ code, stage, firstStep, withdrawn }) => {
    return `${code} (${stages[stage]?.stage} step ${firstStep}, withdrawn at ${withdrawn})`;
  });
  const past = was.length === 0 ? undefined : html`<p class="quiet">No longer so: ${was.join(', ')}.</p>`;
  if (all.length === 0) {
    const none = over.length > 0 ? ' that hold' : '';
    return html`<p class="quiet none">Diagnostics${none}: none${isRunning ? ' so far' : ''}.</p>${past}`;
  }
  return html`
  <section aria-labelledby="notices-title"><h2 id="notices-title">Diagnostics</h2>
  <ul class="notices">${all}</ul>
  ${past}
  </section>`;
}
