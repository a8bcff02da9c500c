/** The curves of runs that this browser keeps, from their metrics.jsonl: read in pieces, since such a file may be long. */
import { keptRuns, opfsStore } from 'rlvr-train/web';
import { History } from './history.ts';

/** Bytes of metrics.jsonl that are read in one task of the page's thread: some milliseconds. */
const PIECE_BYTES = 1 << 18;

/** Lines of a log, without one that was cut short. */
export async function jsonLines(bytes: Uint8Array | undefined): Promise<Readonly<Record<string, unknown>>[]> {
  const decoder = new TextDecoder();
  const records: Readonly<Record<string, unknown>>[] = [];
  let rest = '';
  for (let at = 0; at < (bytes?.length ?? 0); at += PIECE_BYTES) {
    const lines = (rest + decoder.decode(bytes?.subarray(at, at + PIECE_BYTES), { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      try {
        records.push(JSON.parse(line) as Readonly<Record<string, unknown>>);
      } catch {
        // a line that was cut short
      }
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
  return records;
}

/** The curves of a kept run; undefined where it has no line yet. */
export async function historyOf(name: string): Promise<History | undefined> {
  if (!(await keptRuns()).includes(name)) return undefined; // a store that is opened is made
  const records = await jsonLines(await (await opfsStore(name)).read('metrics.jsonl'));
  if (records.length === 0) return undefined;
  const longest = (stage: string): number =>
    records.reduce((most, record) => (record.stage === stage ? Math.max(most, Number(record.step)) : most), 0);
  const stages = (['sft', 'grpo'] as const).map((stage) => ({ stage, maxSteps: longest(stage) }));
  return new History(
    stages.filter(({ maxSteps }) => maxSteps > 0),
    records,
  );
}

/** Curves of the runs that are kept here beside one, newest names last. */
export async function earlierRuns(own: string): Promise<{ readonly name: string; readonly history: History }[]> {
  const names = await keptRuns().catch((): string[] => []);
  const found = names.filter((name) => name !== own).map(async (name) => ({ name, history: await historyOf(name) }));
  return (await Promise.all(found)).flatMap(({ name, history }) => (history === undefined ? [] : [{ name, history }]));
}
