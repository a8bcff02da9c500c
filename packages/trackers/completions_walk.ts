/** Lines of completions.jsonl as trackers have them: rows of tables, by stages that only the step numbers tell. */
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../src/run/json.ts';
import type { ReadCompletionLine } from '../../src/run/logs/completions.ts';

/**
 * The position of a reader of completions.jsonl, who sees no stages, but step numbers that start again. A step may have several
 * batches: those without a signal are followed by another.
 */
export const tableWalkSchema = z.object({ stages: z.number(), step: z.number() });
export type TableWalk = Readonly<z.infer<typeof tableWalkSchema>>;

export const TABLES_BEGINNING: TableWalk = { stages: 0, step: 0 };

/** The walk after a line. */
export function walkOn(line: ReadCompletionLine, walk: TableWalk): TableWalk {
  const step = Number(line.step);
  const isNext = walk.stages === 0 || step < walk.step;
  return { stages: walk.stages + (isNext ? 1 : 0), step };
}

/** A line with each reward, and each column that a reward has logged, in a column of its own. */
export function tableRow({ rewards, extra, ...cells }: ReadCompletionLine): JsonObject {
  const columns = Object.entries({ rewards, extra }).flatMap(([kind, values]) =>
    Object.entries(isJsonObject(values) ? values : {}).map(([name, value]) => [`${kind}/${name}`, value] as const),
  );
  return { ...cells, ...Object.fromEntries(columns) } as JsonObject;
}
