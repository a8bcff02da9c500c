/** The groups of runs that are compared, as a table: how good each is at a step of all, and in which keys they differ. */
import { counted } from '../../../../src/format.ts';
import type { Interval } from '../../data.ts';
import { formatValue } from '../../format.ts';
import { element } from '../dom.ts';
import { colorOf } from './palette.ts';
import { type ComparedRun, commonStep, lastStep, type RunGroup } from './run_groups.ts';
import { meanInterval } from './seed_bands.ts';

const ACCURACIES = ['greedy', 'sampled'] as const;
type Accuracy = (typeof ACCURACIES)[number];

/** A row per group; accuracies are means over its seeds, with the 95 % interval of that mean. */
export function groupTable(groups: readonly RunGroup[]): HTMLElement {
  const finished = groups.filter(({ isFinished }) => isFinished);
  const step = commonStep((finished.length > 0 ? finished : groups).flatMap(({ runs }) => runs));
  const keys = [...new Set(groups.flatMap(({ runs }) => runs.flatMap(({ run }) => Object.keys(run.differs))))].filter(
    (key) => new Set(groups.map(({ runs }) => runs[0]?.run.differs[key])).size > 1,
  );
  const heads = ['run', 'seeds', 'steps', ...ACCURACIES, ...keys];
  const row = (group: RunGroup, i: number): HTMLElement => {
    const cells = [
      seedLinks(group.runs),
      [stepsText(group)],
      ...ACCURACIES.map((of) => accuracyCell(group, of, step)),
      ...keys.map((key) => [group.runs[0]?.run.differs[key] ?? '–']),
    ];
    return element(
      'tr',
      {},
      element(
        'th',
        { scope: 'row' },
        element('i', { class: 'key', style: `color: var(${colorOf({}, i)})` }),
        group.name,
        ...notes(group),
      ),
      ...cells.map((cell, column) => element('td', { 'data-head': heads[column + 1] }, ...cell)),
    );
  };
  const head = element('tr', {}, ...heads.map((name) => element('th', { scope: 'col' }, ...atDots(name))));
  return element(
    'div',
    {},
    element(
      'div',
      { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Table of groups' },
      element('table', { class: 'runs' }, element('thead', {}, head), element('tbody', {}, ...groups.map(row))),
    ),
    element('p', { class: 'quiet' }, explanation(groups, step)),
  );
}

/** A key that may be broken after each dot: many of them side by side need the room. */
function atDots(key: string): (HTMLElement | string)[] {
  return key.split(/(?<=\.)/).flatMap((part, i) => (i === 0 ? [part] : [element('wbr'), part]));
}

function explanation(groups: readonly RunGroup[], step: number | undefined): string {
  const apart = groups.some(({ isFinished }) => !isFinished) ? ' Runs that have not finished are apart.' : '';
  const many = groups.some(({ runs }) => runs.length > 1)
    ? ' Of several seeds it is the mean, with its 95 % interval.'
    : '';
  const at =
    step === undefined ? '' : ` at step ${step}, the last that all ${apart === '' ? '' : 'finished '}runs evaluated`;
  return `Accuracy on held-out problems${at}: greedy is the best guess, sampled the mean of the tries.${many}${apart}`;
}

function notes({ isFinished, leftOut }: RunGroup): HTMLElement[] {
  const shorter = leftOut.map(
    ({ run, curves }) => `${run.title} (seed ${run.seed}, ${counted(lastStep(curves), 'step')})`,
  );
  return [
    ...(isFinished ? [] : [element('small', {}, 'not finished')]),
    ...(shorter.length === 0
      ? []
      : [element('small', {}, `not counted, a longer run has the seed: ${shorter.join(', ')}`)]),
  ];
}

function stepsText({ runs, isFinished }: RunGroup): string {
  const steps = runs.map(({ curves }) => lastStep(curves));
  const [least, most] = [Math.min(...steps), Math.max(...steps)];
  if (least < most) return `${least}–${most}`;
  const planned = runs[0]?.run.outline.stages.reduce((sum, { max_steps }) => sum + max_steps, 0) ?? 0;
  return isFinished ? String(most) : `${most} of ${planned}`;
}

/** What a group had at a step, and below it what its last evaluations had where those came later. */
function accuracyCell({ runs }: RunGroup, of: Accuracy, most: number | undefined): (HTMLElement | string)[] {
  const at = commonStep(runs, most);
  const [values, last] = [
    runs.flatMap((run) => valueAt(run, of, at)),
    runs.flatMap(({ curves }) => curves.data.evaluations.findLast((each) => each[of] !== null)?.[of]?.[0] ?? []),
  ];
  const shown = intervalText(meanInterval(values), values.length);
  const isLater = runs.some(({ curves }) => (curves.evaluations.step.at(-1) ?? 0) > (at ?? 0));
  return [
    shown,
    ...(at !== undefined && most !== undefined && at < most ? [element('small', {}, `at step ${at}`)] : []),
    ...(isLater && last.length > 0
      ? [element('small', {}, `at its end ${formatValue(meanInterval(last)?.[0] ?? 0, 'share')}`)]
      : []),
  ];
}

function valueAt({ curves }: ComparedRun, of: Accuracy, step: number | undefined): number[] {
  const at = step === undefined ? -1 : curves.evaluations.step.lastIndexOf(step);
  const value = curves.data.evaluations[at]?.[of]?.[0];
  return value === undefined ? [] : [value];
}

function seedLinks(runs: readonly ComparedRun[]): (HTMLElement | string)[] {
  const inOrder = runs.map(({ run }) => run).sort((a, b) => (a.seed ?? 0) - (b.seed ?? 0));
  return inOrder.flatMap(({ name, title, seed }, i) => [
    i === 0 ? '' : ', ',
    element('a', { href: `run?run=${encodeURIComponent(name)}`, title }, String(seed ?? title)),
  ]);
}

function intervalText(interval: Interval | null, seeds: number): string {
  if (interval === null) return '–';
  const [mean, low, high] = interval;
  if (seeds > 1 && high - low >= 1) return `${formatValue(mean, 'share')} (too few seeds to tell)`;
  const range = seeds > 1 ? ` (${(100 * Math.max(0, low)).toFixed(1)}–${(100 * Math.min(1, high)).toFixed(1)})` : '';
  return `${formatValue(mean, 'share')}${range}`;
}
