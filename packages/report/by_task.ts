/**
 * The tasks of a run, each by itself: accuracy on its held-out problems before the last stage and at the end, as a table.
 * A task that is listed at several levels has a row for each.
 */
import type { JsonObject } from '../../src/run/json.ts';
import type { Interval } from './data.ts';
import { formatValue } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { RunRecords } from './read_run.ts';
import { interval } from './series.ts';

/** What the keys of an evaluation name a task by: `eval_accuracy/gcd`, beside `eval_accuracy/gcd_low` and `…_high`. */
const GREEDY = 'eval_accuracy';

/** Nothing for a run of one task without a level: the figures above are its own. */
export function byTask({ evaluations, outline }: Pick<RunRecords, 'evaluations' | 'outline'>): Markup | undefined {
  const after = evaluations.at(-1);
  if (after === undefined) return undefined;
  const before = evaluations.findLast(({ evaluation }) => evaluation === 'baseline');
  const { task, tasks = task === undefined ? [] : [task] } = outline;
  const labels = labelsOf(after);
  const level = typeof task === 'object' ? task.level : undefined;
  if (labels.length === 0 && level === undefined) return undefined;
  const rows = (labels.length === 0 ? [undefined] : labels).map((label, index) => {
    // Labels are in the order of the config.
    const written = labels.length === tasks.length || label === undefined ? tasks[index] : undefined;
    return rowOf(written === undefined ? String(label) : settingText(written), label, before, after);
  });
  return html`
  <section aria-labelledby="tasks-title"><h2 id="tasks-title">By task</h2>
  <p class="quiet">Accuracy on the held-out problems of each, before the last stage and at the end, with the 95 % interval.</p>
  <div class="wide"><table class="tasks">
  <thead><tr><th scope="col">task</th><th scope="col">greedy, before</th><th scope="col">after</th><th scope="col">sampled, before</th><th scope="col">after</th></tr></thead>
  <tbody>${rows}</tbody>
  </table></div>
  </section>`;
}

function labelsOf(line: JsonObject): string[] {
  const keys = Object.keys(line).filter((key) => key.startsWith(`${GREEDY}/`) && `${key}_low` in line);
  return keys.map((key) => key.slice(GREEDY.length + 1));
}

/** @param label  undefined: the run has this task alone */
function rowOf(name: string, label: string | undefined, before: JsonObject | undefined, after: JsonObject): Markup {
  const sampled = Object.keys(after).find((key) => /^eval_mean@\d+$/.test(key));
  const cells = [GREEDY, ...(sampled === undefined ? [] : [sampled])].flatMap((metric) =>
    [before, after].map((line) => line && interval(line, label === undefined ? metric : `${metric}/${label}`)),
  );
  return html`<tr><th scope="row">${name}</th>${cells.map((value) => html`<td>${value ? intervalText(value) : '–'}</td>`)}</tr>`;
}

function intervalText([mean, low, high]: Interval): Markup {
  return html`${formatValue(mean, 'share')} <span class="note">${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}</span>`;
}

/** `gcd`, `gcd: level 1`; how often it is drawn says nothing of what it asks. */
export function settingText(task: NonNullable<RunRecords['outline']['task']>): string {
  if (typeof task === 'string') return task;
  const { name, weight: _, ...knobs } = task;
  const text = Object.entries(knobs).map(([knob, value]) => `${knob} ${value}`);
  return text.length === 0 ? name : `${name}: ${text.join(', ')}`;
}
