/**
 * What a run suffers from, by its diagnoses, and which rows of the arena did better than their baseline with a method that
 * is declared against that. A diagnosis that no row has helped against has no advice.
 */
import { z } from 'zod';

const interval = z.tuple([z.number(), z.number(), z.number(), z.number()]);
const besideBest = z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()]).nullable();
const arenaSchema = z.object({
  rows: z.array(
    z.object({
      task: z.string(),
      block: z.string(),
      row: z.string(),
      of: z.array(z.string()),
      set: z.record(z.string(), z.json()),
      baseline: z.string(),
      difference: interval,
      greedy: interval,
      pass: interval,
      best: besideBest,
      passBest: besideBest,
      holm: z.number(),
    }),
  ),
  seeds: z.number(),
});

/**
 * A row of the arena that has all its seeds: differences to its baseline as mean, low, high, p. Where the baseline is better at
 * another learning rate by the same figure, `best` and `passBest` are that rate and the difference to it.
 */
export type ArenaRow = Readonly<z.infer<typeof arenaSchema>['rows'][number]>;

/** bench/arena/results.json. @throws ZodError where it is none */
export function readArena(text: string): { readonly rows: readonly ArenaRow[]; readonly seeds: number } {
  return arenaSchema.parse(JSON.parse(text));
}

/** What is known of a diagnosis. */
export interface Advice {
  readonly code: string;
  /** In the words in which it was said last. */
  readonly message: string;
  /** What helped, the surest first: a method that is against the diagnosis, with all of its rows, where at least half helped. */
  readonly helped: readonly Tried[];
  /** Such methods that did not. */
  readonly others: readonly Tried[];
  /** Methods that are against it and have no row. */
  readonly untried: readonly string[];
}

/** A method under one verdict. */
export interface Tried {
  /** As the arena calls it. */
  readonly row: string;
  /** Rows of it that helped. */
  readonly helpedIn: number;
  readonly rows: readonly ArenaRow[];
}

export interface Diagnosed {
  readonly code: string;
  readonly message: string;
  readonly level?: string;
}

/**
 * @param diagnosed  in the order in which they were first said
 * @param against  ids of the methods that are declared against a diagnosis
 */
export function adviceFor(
  diagnosed: readonly Diagnosed[],
  rows: readonly ArenaRow[],
  against: (code: string) => readonly string[],
): Advice[] {
  return diagnosed.map(({ code, message }): Advice => {
    const ids = against(code);
    const own = rows.filter(({ of }) => of.some((id) => ids.includes(id)));
    const tried = [...new Set(own.map(({ row }) => row))].map((row): Tried => {
      const its = own.filter((one) => one.row === row).sort((a, b) => surest(b) - surest(a));
      return { row, helpedIn: its.filter(hasHelped).length, rows: its };
    });
    const hasVerdict = ({ helpedIn, rows: its }: Tried): boolean => 2 * helpedIn >= its.length;
    return {
      code,
      message,
      helped: tried.filter(hasVerdict).sort((a, b) => surest(b.rows[0]) - surest(a.rows[0])),
      others: tried.filter((one) => !hasVerdict(one)),
      untried: ids.filter((id) => !own.some(({ of }) => of.includes(id))),
    };
  });
}

/** Its samples are right more often, or more problems are solved in all tries, by more than the interval. */
function hasHelped(row: ArenaRow): boolean {
  return surest(row) > 0;
}

/** The gain that is there at least in either figure, beside the baseline at its best rate. */
function surest({ difference, pass, best, passBest }: ArenaRow): number {
  return Math.max(leastOf(difference, best), leastOf(pass, passBest));
}

function leastOf([, low]: ArenaRow['difference'], best: ArenaRow['best']): number {
  return Math.min(low, best?.[2] ?? low);
}
