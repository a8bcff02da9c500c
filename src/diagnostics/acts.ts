/** Tracks which methods of a stage have acted, and reports at its end those that never did. */
import type { Acting } from '../methods/effect/acting.ts';
import { NEVER_ACTED } from './codes.ts';
import type { Diagnosis } from './diagnostic.ts';

/** Plain JSON, kept in the checkpoint. */
export interface Acts {
  /** `<point>/<id>` of the methods that have changed something. */
  readonly acted: string[];
  /** Figures that methods log, by their names in metrics.jsonl: whether one was ever other than 0. */
  readonly figures: Record<string, boolean>;
}

export function startActs(): Acts {
  return { acted: [], figures: {} };
}

const nameOf = ({ point, id }: Acting): string => `${point}/${id}`;

/** @param metrics  of the newest step */
export function rememberActs(
  { acted, figures }: Acts,
  acting: readonly Acting[],
  metrics: Readonly<Record<string, unknown>>,
): void {
  for (const method of acting) {
    if (method.hasActed && !acted.includes(nameOf(method))) acted.push(nameOf(method));
  }
  const ids = new Set(acting.map(({ id }) => id));
  for (const [name, value] of Object.entries(metrics)) {
    if (typeof value !== 'number' || !name.includes('/') || !ids.has(name.slice(0, name.indexOf('/')))) continue;
    figures[name] = figures[name] === true || (value !== 0 && !Number.isNaN(value));
  }
}

/**
 * The diagnosis of methods that changed nothing in a whole stage, or logged only 0; undefined if there are none.
 *
 * @param keyOf  the YAML key of a point
 */
export function neverActed(
  { acted, figures }: Acts,
  acting: readonly Acting[],
  steps: number,
  keyOf: (point: Acting['point']) => string,
): Diagnosis | undefined {
  const idle = acting.flatMap((one): string[] => {
    const logged = Object.keys(figures).filter((name) => name.startsWith(`${one.id}/`));
    const isIdle = one.isWatched && !acted.includes(nameOf(one));
    const isZero = logged.length > 0 && logged.every((name) => figures[name] === false);
    if (!isIdle && !isZero) return [];
    const did = isIdle ? 'changed nothing' : 'logged nothing but 0';
    const counts = isZero ? ` (${logged.map((name) => `${name.slice(one.id.length + 1)} 0`).join(', ')})` : '';
    return [`${keyOf(one.point)}: ${one.id} ${did}${counts}`];
  });
  if (idle.length === 0) return undefined;
  const message =
    `In all ${steps} steps of this stage ${idle.join('; ')}. What a policy never writes, a mark that is nowhere, or a ` +
    'bound that is never met teaches nothing. Show the policy the form in a supervised stage before (form_share), move ' +
    'the bound, or leave the method out.';
  return { code: NEVER_ACTED, level: 'note', message };
}
