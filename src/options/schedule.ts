/**
 * A number that moves over a stage: `{from: 0.1, to: 0, over: 0.5, shape: linear}` wherever a method takes a number.
 *
 *   over    share of the stage, in (0, 1], or above 1 steps; afterwards it stays at `to`. Default 1.
 *   shape   linear; cosine: slow at both ends; geometric: by equal factors. Default linear.
 */
import { z } from 'zod';
import type { Key, KeyTable } from './keys.ts';
import { zodOf } from './schemas.ts';

const SHAPES = ['linear', 'cosine', 'geometric'] as const;

export interface Schedule {
  readonly from: number;
  readonly to: number;
  readonly over?: number;
  readonly shape?: (typeof SHAPES)[number];
}

/** Progress of a stage: optimizer steps already taken, and how many it has. */
export interface Position {
  readonly step: number;
  readonly maxSteps: number;
}

export function isSchedule(value: unknown): value is Schedule {
  return typeof value === 'object' && value !== null && 'from' in value && 'to' in value;
}

/** The number that holds for the step about to be taken. */
export function scheduledAt({ from, to, over = 1, shape = 'linear' }: Schedule, { step, maxSteps }: Position): number {
  const steps = over > 1 ? over : over * maxSteps;
  const done = Math.min(1, step / Math.max(1, steps));
  switch (shape) {
    case 'linear':
      return from + (to - from) * done;
    case 'cosine':
      return from + ((to - from) * (1 - Math.cos(Math.PI * done))) / 2;
    case 'geometric':
      return from * (to / from) ** done;
    default:
      return shape satisfies never;
  }
}

/** The key, taking a schedule where its value is a number. */
export function schedulable<K extends Key>(key: K): K {
  const number = numberIn(zodOf(key.schema));
  return number === undefined ? key : { ...key, schedule: scheduleOf(number) };
}

/** The values of a table as they are at one position: every schedule is a number. */
export function valuesAt(
  table: KeyTable,
  values: Readonly<Record<string, unknown>>,
  position: Position,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (!isSchedule(value) || table[name]?.schedule === undefined) return [name, value];
      const number = scheduledAt(value, position);
      return [name, isWhole(zodOf(table[name].schema)) ? Math.round(number) : number];
    }),
  );
}

export function hasSchedule(values: Readonly<Record<string, unknown>>): boolean {
  return Object.values(values).some(isSchedule);
}

function scheduleOf(number: z.ZodNumber): z.ZodType {
  const shape = z.enum(SHAPES, { error: `not a shape of a schedule; use ${SHAPES.join(', ')}` });
  const over = z
    .number({ error: 'must be a finite number; for example 0.5' })
    .gt(0, { error: 'must be a share of the stage, or steps above 1; for example 0.5' });
  return z
    .strictObject(
      { from: number, to: number, over: over.optional(), shape: shape.optional() },
      { error: 'must be a number, or a schedule; for example {from: 0.1, to: 0, over: 0.5}' },
    )
    .refine(({ from, to, shape: drawn }) => drawn !== 'geometric' || (from > 0 && to > 0), {
      error: 'a geometric schedule goes from one number above 0 to another; use linear to reach 0',
    });
}

/** The number that a schema takes, below what makes it optional, null or a default; undefined where it takes none. */
function numberIn(schema: z.ZodType): z.ZodNumber | undefined {
  let at: unknown = schema;
  for (;;) {
    if (at instanceof z.ZodNumber) return at;
    if (at instanceof z.ZodPipe) at = at.def.in;
    else if (at instanceof z.ZodDefault || at instanceof z.ZodOptional || at instanceof z.ZodNullable) {
      at = at.def.innerType;
    } else return undefined;
  }
}

function isWhole(schema: z.ZodType): boolean {
  return numberIn(schema)?.isInt ?? false;
}
