/** What is advised against diagnoses, in lines: of a run of this package, and of the log of another trainer. */
import { readFileSync } from 'node:fs';
import { colors } from '../../../src/cli/display/colors.ts';
import { print } from '../../../src/cli/display/output.ts';
import { COMBINATION } from '../../../src/diagnostics/codes.ts';
import { counted, minus, printable } from '../../../src/format.ts';
import { packageFile } from '../../../src/package_folder.node.ts';
import { type Advice, type ArenaRow, adviceFor, type Diagnosed, readArena, type Tried } from '../../compare/advice.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';
import { CAUSES } from '../../zoo/diagnostics/catalogue.ts';

const ARENA = packageFile('bench/arena/results.json');

/**
 * Advice from the arena's rows, of methods that say what they are against: none where a rate, a reward or a verifier is the
 * cause, since methods do not mend those.
 */
export function advised(diagnosed: readonly Diagnosed[]): {
  readonly advice: readonly Advice[];
  readonly seeds: number;
  /** Codes of what is to be mended before a method is tried. */
  readonly causes: readonly string[];
} {
  const causes = diagnosed.filter(isCause).map(({ code }) => code);
  const { rows, seeds } = readArena(readFileSync(ARENA, 'utf8'));
  const { methods } = catalogue();
  const against = (code: string): string[] =>
    causes.length > 0 ? [] : methods.filter((method) => method.against.includes(code)).map(({ name }) => name);
  return { advice: adviceFor(diagnosed, rows, against), seeds, causes: [...new Set(causes)] };
}

function isCause({ code, level }: Diagnosed): boolean {
  return CAUSES.includes(code) || (code === COMBINATION && level === 'warning');
}

/** @param name  of what was diagnosed */
export function printAdvice(name: string, diagnosed: readonly Diagnosed[]): void {
  const { advice, seeds, causes } = advised(diagnosed);
  if (advice.length === 0) {
    print(`${name}: no diagnosis, and so no advice.`);
    return;
  }
  print(`${name}: ${counted(advice.length, 'diagnosis', 'diagnoses')}.`);
  for (const one of advice) print(['', ...linesOf(one)].join('\n'));
  if (causes.length > 0) {
    print(`\n${colors.dim(`No method is named: mend ${causes.join(', ')} first, and look again.`)}`);
    return;
  }
  if (advice.every(({ helped, others }) => helped.length + others.length === 0)) return;
  const about = `Figures of the arena are points beside its baseline, with 95 % intervals over problems and ${seeds} seeds`;
  print(`\n${colors.dim(`${about}, on tasks that are not yours: try one, and compare.`)}`);
}

function linesOf({ code, message, helped, others, untried }: Advice): string[] {
  const tried = others.map(({ row, helpedIn, rows }) =>
    helpedIn === 0 ? row : `${row} (helped in ${helpedIn} of ${rows.length})`,
  );
  return [
    `${colors.bold(code)}  ${printable(message)}`,
    ...helped.flatMap(triedLines),
    ...(helped.length === 0 && tried.length > 0 ? ['  No method of the arena has helped against it.'] : []),
    ...(tried.length === 0 ? [] : [`  tried there within noise, or worse: ${tried.join(', ')}`]),
    ...(untried.length === 0 ? [] : [`  declared against it, and not in the arena yet: ${untried.join(', ')}`]),
  ];
}

/** A method that helped, with the figures of all of its rows. */
function triedLines({ row, helpedIn, rows }: Tried): string[] {
  const where = rows.length === 1 ? '' : ` in ${helpedIn} of ${rows.length}`;
  return [`  helped${where}: ${colors.bold(row)}  ${keysOf(rows[0])}`, ...rows.map((one) => `    ${figuresOf(one)}`)];
}

/** `advantage_estimator: maxrl`. */
function keysOf({ set }: ArenaRow): string {
  return Object.entries(set)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function figuresOf({ task, block, baseline, difference, pass }: ArenaRow): string {
  const one = (name: string, [mean, low, high]: ArenaRow['difference']): string =>
    `${name} ${signed(mean)} (${signed(low)} to ${signed(high)})`;
  const base = baseline.startsWith(`${block}/`) ? baseline.slice(block.length + 1) : baseline;
  return `${task}, ${block}: ${one('mean@16', difference)}, ${one('pass@16', pass)} beside ${base}`;
}

function signed(value: number): string {
  const points = (100 * value).toFixed(1);
  return value < 0 ? minus(points) : `+${points}`;
}
