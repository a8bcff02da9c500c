/** Completions as tables that MLflow shows: a file for every 50 steps of a stage, so that none is ever sent to grow. */
import type { JsonValue } from '../../src/run/json.ts';
import type { ReadCompletionLine } from '../../src/run/logs/completions.ts';
import { type TableWalk, tableRow } from './completions_walk.ts';

/** Steps that share a table. */
const STEPS_A_TABLE = 50;

/** The file that a line belongs to. @param stages  kinds of the config's stages */
export function tableName({ stages: ordinal, step }: TableWalk, stages: readonly string[]): string {
  const grpo = stages.flatMap((stage, index) => (stage === 'grpo' ? [index + 1] : []));
  const last = Math.ceil(step / STEPS_A_TABLE) * STEPS_A_TABLE;
  const digits = (number: number): string => String(number).padStart(6, '0');
  const place = `${grpo[ordinal - 1] ?? ordinal}-grpo`;
  return `completions/${place}/steps-${digits(last - STEPS_A_TABLE + 1)}-${digits(last)}.json`;
}

/** What MLflow's `log_table` writes, and its pages read. */
export function tableText(lines: readonly ReadCompletionLine[]): string {
  const rows = lines.map(tableRow);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const data: JsonValue = rows.map((row) => columns.map((column) => row[column] ?? null));
  return JSON.stringify({ columns, data });
}

/** Longest value of a tag that servers of any age take. */
const MOST_TAG = 4_500;

/** The tag by which MLflow knows its tables: as many of the newest as it holds. */
export function tablesTag(names: readonly string[]): { readonly key: string; readonly value: string } {
  const entries: string[] = [];
  let length = 2;
  for (const path of [...names].reverse()) {
    const entry = JSON.stringify({ path, type: 'table' });
    length += entry.length + 1;
    if (length > MOST_TAG) break;
    entries.unshift(entry);
  }
  return { key: 'mlflow.loggedArtifacts', value: `[${entries.join(',')}]` };
}
