/** `rlvr-train compare A B`: what one method does better than another, problem by problem. */
import { basename, dirname, resolve } from 'node:path';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { ConfigError } from '../../../src/errors.ts';
import { printable } from '../../../src/format.ts';
import type { KeptMoment } from '../../../src/run/logs/kept_moments.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { type ComparedRun, type Comparison, compareRuns } from '../../compare/compare.ts';
import { figureCells, greedyWords, reachWords } from '../../compare/words.ts';
import { makeComparisonPage } from '../../report/compared.ts';
import { openCompared } from '../runs/compared_runs.ts';
import { mixtureLines, mixtureOf } from './compare_mixture.ts';

interface CompareFlags {
  readonly at: KeptMoment;
  readonly show: number;
  readonly output?: string;
  readonly mixture?: boolean;
  readonly json?: boolean;
}

/** The first is what all others are compared with. */
export async function compareCommand(
  words: readonly string[],
  { at, show, output, mixture, json }: CompareFlags,
): Promise<void> {
  if (words.length < 2 && !mixture) {
    const rule = 'nothing to compare it with; give another run, for example compare runs/a runs/b';
    throw new ConfigError('missing-word', `${words.join(' ')} — ${rule}.`, { words });
  }
  const methods = await Promise.all(words.map((word) => openMethod(word, at)));
  if (mixture) {
    const best = mixtureOf(methods.flat());
    if (json) printJson(JSON.stringify(best));
    else for (const line of mixtureLines(best)) print(line);
    return;
  }
  const [first, ...others] = methods;
  const comparisons = others.map((other) => compareRuns(first, other));
  if (output !== undefined) {
    const page = new TextEncoder().encode(await makeComparisonPage(comparisons, at));
    await fileStore(dirname(resolve(output))).writeAtomic(basename(output), page);
    if (!json)
      print(`${printable(output)}: ${Math.ceil(page.length / 1000)} kB, complete in itself; open it in a browser.\n`);
  }
  if (json) return printJson(JSON.stringify({ at, comparisons }));
  comparisons.forEach((comparison, i) => {
    if (i > 0) print('');
    for (const line of linesOf(comparison, show)) print(line);
  });
}

/** The runs of one word. */
function openMethod(word: string, at: KeptMoment): Promise<ComparedRun[]> {
  const names = word.split(',').filter((name) => name !== '');
  return Promise.all(
    names.map(async (name): Promise<ComparedRun> => {
      const [, directory = name, moment = at] = /^(.+)@(baseline|best|final)$/.exec(name) ?? [];
      return openCompared(name, directory, moment as KeptMoment);
    }),
  );
}

/** Keys that are shown of two configs; those of a wholly other method are many. */
const SHOWN_KEYS = 12;

function linesOf(comparison: Comparison, show: number): string[] {
  const { a, b, problems, figures, gained, lost, differs, same } = comparison;
  const names = [a, b].map((runs) => runs.map(printable).join(', '));
  const rows = figures.map((figure) => [figure.name, ...figureCells(figure, comparison)]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column].length), 1));
  const cells = (row: readonly string[]): string =>
    `  ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[0]) : i === 4 ? cell : cell.padStart(widths[i]))).join('  ')}`;
  const shown = differs.slice(0, SHOWN_KEYS).map(({ key, a: mine, b: yours }) => {
    const [left, right] = [mine, yours].map((value) => (value === undefined ? 'absent' : JSON.stringify(value)));
    return `  ${printable(key)}: ${printable(left)} → ${printable(right)}`;
  });
  const more = differs.length > SHOWN_KEYS ? [`  and ${differs.length - SHOWN_KEYS} more`] : [];
  const examples = (what: string, all: Comparison['gained']): string[] =>
    all.length === 0 || show === 0
      ? []
      : [
          `${what} (${Math.min(show, all.length)} of ${all.length}):`,
          ...all.slice(0, show).map(({ prompt, a: mine, b: yours }) => {
            const [asked, left, right] = [prompt, mine, yours].map((text) => printable(JSON.stringify(text)));
            return `  ${asked}  A ${left}  B ${right}`;
          }),
        ];
  return [
    `A ${names[0]}`,
    `B ${names[1]}`,
    ...(shown.length === 0 ? ['Their configs are the same.'] : ['Their configs differ:', ...shown, ...more]),
    ...same.map(printable),
    `${problems} held-out problems:`,
    cells(['', 'A', 'B', 'B − A', '95 %']),
    ...rows.map(cells),
    greedyWords(comparison),
    ...[reachWords(comparison) ?? []].flat(),
    ...examples('gained', gained),
    ...examples('lost', lost),
  ];
}
