/**
 * The fingerprint of a run: everything that decides its bits, kept in `fingerprint.json` and compared on resume.
 *
 *   decides bits   package version, backend and its features (FMA, adapter), JavaScript engine, platform,
 *                  architecture, seed, configuration, the user's own files; the CPU model where a backend calls
 *                  native mathematics
 *   noted only     git commit, threads, runtime version; on `wasm` and `reference`, whose arithmetic is defined by
 *                  WebAssembly and ECMAScript, the CPU model and the width of SIMD (fused or unfused FMA is a backend
 *                  feature), and the engine where its mathematics agree with those of the one before; then a browser
 *                  continues what Node began, and the other way round
 */
import { z } from 'zod';
import { CheckpointError } from '../../errors.ts';
import type { BaseHashes } from '../base.ts';
import { encodeCanonicalJson, isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from '../json.ts';
import type { Store } from '../store/store.ts';
import { sha256Hex } from './sha256.ts';

/** Everything that decides the bits of a run: fingerprint.json. A resume compares it with its own. */
export type Fingerprint = {
  readonly packageVersion: string;
  /** `wasm`, `webgpu`, `tfjs` or `reference`. */
  readonly backend: string;
  /** Features that the backend uses, such as `fma: 'fused'`, `simd: 'relaxed'`, `adapter: '…'`. */
  readonly backendFeatures: Record<string, string>;
  /** The JavaScript engine, as `v8 11.3.244.8`: it decides the last bit of Math.exp and Math.log. */
  readonly engine: string;
  /** Hash of the engine's results of mathematical functions (`mathematicsHash`); absent in older runs. */
  readonly mathematics?: string;
  /** What hosts the engine, as `node 20.20.2`. */
  readonly runtime: string;
  readonly platform: string;
  readonly arch: string;
  readonly cpuModel: string;
  /** Order of sums (`SUMS`), which differs between versions; absent in older runs. */
  readonly sums?: string;
  /** Worker threads; results do not depend on them. */
  readonly threads: number;
  readonly seed: number;
  /** Commit of the directory where the run was started; null outside a repository. */
  readonly gitCommit: string | null;
  /** `hashConfig` of the resolved configuration. */
  readonly configHash: string;
  /** SHA-256 of each file of the user's that the config names, and of what it imports; absent where it names none. */
  readonly modules?: Record<string, string>;
  /** SHA-256 of each file of the pretrained model; absent for random weights, and in older runs. */
  readonly base?: Record<string, string>;
  /** The same of its further models, as `teacher/model.safetensors`; absent: there are none. */
  readonly models?: Record<string, string>;
  /** The model, or the run that its weights come from, as typed; the config names it relative to the run directory. */
  readonly start?: string;
  /**
   * Declared names of tasks that are files, by their names in the config; absent if there are none, and in older runs.
   */
  readonly taskNames?: Record<string, string>;
  /** Engines that run its tasks' answers, by sandbox; absent if none run. */
  readonly sandboxes?: Record<string, string>;
};

const texts = z.record(z.string(), z.string());
const fingerprintSchema: z.ZodType<Fingerprint> = z.object({
  packageVersion: z.string(),
  backend: z.string(),
  backendFeatures: texts,
  engine: z.string(),
  mathematics: z.string().optional(),
  sums: z.string().optional(),
  runtime: z.string(),
  platform: z.string(),
  arch: z.string(),
  cpuModel: z.string(),
  threads: z.int(),
  seed: z.int(),
  gitCommit: z.string().nullable(),
  configHash: z.string(),
  modules: texts.optional(),
  base: texts.optional(),
  models: texts.optional(),
  start: z.string().optional(),
  taskNames: texts.optional(),
  sandboxes: texts.optional(),
});

export interface FingerprintComparison {
  /** True when a resumed run continues with the same bits. */
  readonly same: boolean;
  /** Fields that decide bits and differ, as `engine: v8 11.3 → v8 12.4`. */
  readonly differences: readonly string[];
  /** Fields that differ and do not decide bits. */
  readonly warnings: readonly string[];
}

const FILE = 'fingerprint.json';

/** A run with another value resumes with a note. */
export const SUMS = 'equal completions of a group once';
const OTHER_SUMS =
  'sums: the version that began this run took equal completions of a group one by one. They go through the layers once ' +
  'now, so the last bits of its weights differ from here on; everything else is as it was';

const TOLD_ONLY: ReadonlySet<string> = new Set(['gitCommit', 'threads', 'runtime']);
/** Backends whose arithmetic no CPU model can change. */
const PORTABLE_BACKENDS: ReadonlySet<string> = new Set(['wasm', 'reference']);

/** Fields that older runs lack: compared only if both have them. */
const NEWER = ['mathematics', 'base'] as const;

/** Other names for the same. */
const NAMES = ['start', 'taskNames'] as const;

/** Placeholders for what a browser does not reveal. */
const UNTOLD: readonly string[] = ['browser', 'not told'];

/** Compares the recorded fingerprint `before` with the present one `after`, field by field. */
export function sameBits(before: Fingerprint, after: Fingerprint): FingerprintComparison {
  const isPortable = before.backend === after.backend && PORTABLE_BACKENDS.has(after.backend);
  const agrees = isPortable && before.mathematics !== undefined && before.mathematics === after.mathematics;
  const isToldOnly = (field: string): boolean => {
    if (TOLD_ONLY.has(field)) return true;
    if (field === 'cpuModel') return isPortable;
    if (field === 'engine') return agrees;
    if (field === 'platform' || field === 'arch')
      return agrees && [before, after].some((fingerprint) => UNTOLD.includes(fingerprint[field]));
    return false;
  };
  const differences: string[] = [];
  const warnings: string[] = [];
  for (const change of describeChanges(before, after, NAMES)) {
    const field = change.split(/[.:]/, 1)[0];
    if (field === 'sums') {
      warnings.push(OTHER_SUMS);
      continue;
    }
    // Measured at every start, so it may differ on one machine; it decides no bits.
    if (isPortable && change.startsWith('backendFeatures.simd:')) continue;
    if (NEWER.some((name) => name === field && (before[name] === undefined || after[name] === undefined))) continue;
    (isToldOnly(field) ? warnings : differences).push(change);
  }
  return { same: differences.length === 0, differences, warnings };
}

export interface ResumeCheck {
  readonly recorded: Fingerprint;
  readonly current: Fingerprint;
  /** `--force`: differences become warnings. */
  readonly force: boolean;
  /** `describeChanges` of the two configurations: shown in place of their hashes. */
  readonly configChanges?: readonly string[];
}

/**
 * Decides whether a run may be resumed here. Returns what the user should know: harmless differences, and with
 * `force` the others too.
 *
 * @throws CheckpointError `fingerprint-differs`, naming each difference and the flag that forces it
 */
export function checkResume({ recorded, current, force, configChanges = [] }: ResumeCheck): string[] {
  const { differences, warnings } = sameBits(recorded, current);
  const lines = differences.flatMap((line) =>
    line.startsWith('configHash:') && configChanges.length > 0 ? configChanges : [describeModule(line)],
  );
  const named = [...new Set(lines)]; // the seed is in both
  if (force || named.length === 0) return [...named, ...warnings];
  throw otherConditions(named);
}

function otherConditions(differences: readonly string[]): CheckpointError {
  const list = differences.map((line) => `  ${line}`).join('\n');
  return new CheckpointError(
    'fingerprint-differs',
    `--resume: this run was started under other conditions, so its bits would not continue:\n${list}\n` +
      'Restore them, or add --force to resume all the same.',
    { differences },
  );
}

type Modules = NonNullable<Fingerprint['modules']>;

/**
 * Refuses a resume before any user file is loaded: a file that changed since the run began must not run unasked.
 *
 * @throws CheckpointError `fingerprint-differs`
 */
export function refuseChangedModules(recorded: Modules, current: Modules): void {
  const changed = Object.keys(current).filter((name) => recorded[name] !== current[name]);
  if (changed.length === 0) return;
  const show = (name: string): string =>
    describeModule(`modules.${name}: ${recorded[name] ?? 'absent'} → ${current[name]}`);
  throw otherConditions(changed.map(show));
}

/** `./rewards/brief.ts has changed (SHA-256 1f3a5c7e → 90ab12cd)`; other lines as they are. */
function describeModule(line: string): string {
  const [, kind, file, before, after] = /^(modules|base|models)\.(.+): (\S+) → (\S+)$/.exec(line) ?? [];
  if (kind === undefined || file === undefined || before === undefined || after === undefined) return line;
  const owner =
    kind === 'base' ? `${file} of the model that it began with` : kind === 'models' ? `models: ${file}` : file;
  return `${owner} has changed (SHA-256 ${before.slice(0, 8)} → ${after.slice(0, 8)})`;
}

/**
 * Hash of the resolved configuration, independent of the order of keys.
 * @param ignore  top-level keys that do not decide bits: where to write, what to log, how often to save
 */
export async function hashConfig(config: JsonObject, ignore: readonly string[] = []): Promise<string> {
  const kept = Object.fromEntries(Object.entries(config).filter(([key]) => !ignore.includes(key)));
  return sha256Hex(new TextEncoder().encode(encodeCanonicalJson(kept)));
}

/** Every leaf that differs between two objects, as `a.b: before → after`; `absent` where only one has it. */
export function describeChanges(before: JsonObject, after: JsonObject, ignore: readonly string[] = []): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !ignore.includes(key));
  return keys.flatMap((key) => {
    const [old, now] = [itemsByIndex(before[key]), itemsByIndex(after[key])];
    if (isJsonObject(old) && isJsonObject(now)) return describeChanges(old, now).map((change) => `${key}.${change}`);
    const [oldText, nowText] = [show(old), show(now)];
    return oldText === nowText ? [] : [`${key}: ${oldText} → ${nowText}`];
  });
}

/** A list of mappings, such as the stages of a config, as a mapping of its indices: a change in one names that one. */
function itemsByIndex(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) && value.every(isJsonObject) ? { ...value } : value;
}

/** Identifies the run of a checkpoint, from fingerprint.json. */
export interface RunIdentity {
  readonly configHash: string;
  readonly seed: number;
  readonly base?: BaseHashes;
}

/** The fields that every checkpoint of the run repeats. */
export function identityOf({ configHash, seed, base }: Fingerprint): RunIdentity {
  return { configHash, seed, ...(base && { base }) };
}

/** Writes `fingerprint.json`, indented for people. */
export async function writeFingerprint(store: Store, fingerprint: Fingerprint): Promise<void> {
  await store.writeAtomic(FILE, new TextEncoder().encode(`${JSON.stringify(fingerprint, null, 2)}\n`));
}

/**
 * Reads `fingerprint.json`; undefined when the run directory has none.
 * @throws CheckpointError `fingerprint-malformed`
 */
export async function readFingerprint(store: Store): Promise<Fingerprint | undefined> {
  const bytes = await store.read(FILE);
  if (bytes === undefined) return undefined;
  const json = parseJsonObject(bytes);
  const parsed = fingerprintSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const reason = json === undefined ? 'it is not a JSON object' : `${issue.path.join('.')}: ${issue.message}`;
  const remedy = 'Restore the file, or start over in another --output';
  throw new CheckpointError('fingerprint-malformed', `${FILE} cannot be used: ${reason}. ${remedy}.`, { reason });
}

function show(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'none';
  return typeof value === 'string' ? value || '""' : encodeCanonicalJson(value);
}
