/** A saved run that comes as files: looked at as a whole, in memory, before anything that is kept is touched. */
import { CheckpointError } from '../../../src/errors.ts';
import { decodeSafetensors } from '../../../src/model/safetensors.ts';
import { type DamagedCheckpoint, loadLatestCheckpoint, whyUnused } from '../../../src/run/checkpoint/checkpoints.ts';
import { type Fingerprint, identityOf } from '../../../src/run/fingerprint/fingerprint.ts';
import { parseJsonObject } from '../../../src/run/json.ts';
import { requireRun } from '../../../src/run/store/directory_checks.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';

const LINES = ['metrics.jsonl', 'completions.jsonl', 'changes.jsonl'];
const CHECKPOINT = /^checkpoints\/([^/]+)\//;

/**
 * The files as a run directory in memory.
 *
 * @param modules  SHA-256 of each code that the run is opened with
 * @throws CheckpointError `bad-run-file` with the file and what is wrong in it: the run is whole, or it is none
 */
export async function wholeRun(
  files: ReadonlyMap<string, Uint8Array>,
  modules: Readonly<Record<string, string>>,
): Promise<Store> {
  const store = memoryStore();
  for (const [path, bytes] of files) await store.writeAtomic(path, bytes);
  if (!(await store.exists('config.yaml'))) throw bad('config.yaml', 'is missing');
  const fingerprint = await asRunFileError('fingerprint.json', () => requireRun({ store }));
  requireSameCode(fingerprint, modules);
  for (const path of LINES) requireLines(path, files.get(path));
  const summary = files.get('summary.json');
  if (summary !== undefined && parseJsonObject(summary) === undefined) throw bad('summary.json', 'is no JSON');
  for (const [path, bytes] of files) {
    if (path.endsWith('.safetensors')) await asRunFileError(path, async () => decodeSafetensors(new Uint8Array(bytes)));
  }
  // Each by itself: a resume would pass a damaged one over, and would not look at those after a sound one.
  const names = new Set([...files.keys()].flatMap((path) => CHECKPOINT.exec(path)?.[1] ?? []));
  if (names.size === 0) throw bad('checkpoints', 'holds no saved state');
  for (const name of names) {
    const alone = memoryStore();
    for (const [path, bytes] of files) {
      if (CHECKPOINT.exec(path)?.[1] === name) await alone.writeAtomic(path, bytes);
    }
    const loaded = await loadLatestCheckpoint(alone, identityOf(fingerprint)).catch((error: unknown) => {
      const given = error instanceof CheckpointError ? (error.facts.damaged as DamagedCheckpoint[] | undefined) : [];
      throw bad(`checkpoints/${name}`, `cannot be used: ${given?.[0] ? whyUnused(given[0]) : String(error)}`);
    });
    if (loaded === undefined) throw bad(`checkpoints/${name}`, 'is no saved state');
  }
  return store;
}

/** Does what only a sound run allows. @throws CheckpointError where that fails, whatever the failure is */
export async function asRunFileError<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw bad(file, `cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function requireSameCode({ modules: trained = {} }: Fingerprint, modules: Readonly<Record<string, string>>): void {
  const names = new Set([...Object.keys(trained), ...Object.keys(modules)]);
  for (const name of names) {
    if (trained[name] === modules[name]) continue;
    throw bad('fingerprint.json', `names another code for the reward "${name}" than the one that came with it`);
  }
}

function requireLines(path: string, bytes: Uint8Array | undefined): void {
  if (bytes === undefined) return;
  const lines = new TextDecoder().decode(bytes).split('\n');
  const rest = lines.pop();
  const broken = lines.findIndex((line) => parseJsonObject(new TextEncoder().encode(line)) === undefined);
  if (broken >= 0) throw bad(path, `has no JSON in line ${broken + 1}`);
  if (rest !== '') throw bad(path, 'is cut off');
}

function bad(file: string, rule: string): CheckpointError {
  return new CheckpointError('bad-run-file', `${file} ${rule}`, { file });
}
