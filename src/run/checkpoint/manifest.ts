/**
 * `manifest.json` of a checkpoint: what was saved, and the hashes that prove it whole.
 *
 * It is written last, so a directory without one was never finished. It holds its own checksum, and is accepted only
 * if writing it again gives the same bytes: a single flipped bit anywhere is noticed.
 */
import { z } from 'zod';
import { changedFiles } from '../base.ts';
import type { RunIdentity } from '../fingerprint/fingerprint.ts';
import { sha256Hex } from '../fingerprint/sha256.ts';
import { parseJsonObject } from '../json.ts';

/** The files of a checkpoint beside its manifest. */
export const CHECKPOINT_FILES = ['weights.safetensors', 'optimizer.safetensors', 'state.json'] as const;
export type CheckpointFile = (typeof CHECKPOINT_FILES)[number];

const count = z.int().nonnegative();
const fileSchema = z.strictObject({ bytes: count, sha256: z.string() });
const manifestSchema = z.strictObject({
  format: z.literal(1),
  sequence: count,
  stage: z.string(),
  stageIndex: count,
  step: count,
  metricsBytes: count,
  /** Absent in older manifests. */
  run: z
    .strictObject({ configHash: z.string(), seed: z.int(), base: z.record(z.string(), z.string()).optional() })
    .optional(),
  files: z.strictObject({
    'weights.safetensors': fileSchema,
    'optimizer.safetensors': fileSchema,
    'state.json': fileSchema,
  }),
});

/** `sequence` grows by one with each save of a run; `metricsBytes` is the length of metrics.jsonl at this step. */
export type Manifest = z.infer<typeof manifestSchema>;

/** A value, or what is wrong with the file it was read from. */
export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** How a checkpoint's run differs from this one; undefined if it is this one, or the manifest does not say. */
export function otherRun({ run: its }: Manifest, { configHash, seed, base }: RunIdentity): string | undefined {
  if (its === undefined) return undefined;
  if (its.configHash === configHash && its.seed === seed) {
    const [changed] = its.base && base ? changedFiles(its.base, base) : [];
    return changed && `one of another base model: ${changed}`;
  }
  const digits = (hash: string): string => hash.slice(0, 8);
  return its.seed === seed
    ? `one of config ${digits(its.configHash)} (this is ${digits(configHash)})`
    : `one of seed ${its.seed} (this is ${seed})`;
}

/** Size and SHA-256 of each file. */
export async function describeFiles(
  files: Readonly<Record<CheckpointFile, Uint8Array<ArrayBuffer>>>,
): Promise<Manifest['files']> {
  const describe = async (name: CheckpointFile) => ({
    bytes: files[name].length,
    sha256: await sha256Hex(files[name]),
  });
  const [weights, optimizer, state] = await Promise.all(CHECKPOINT_FILES.map(describe));
  return { 'weights.safetensors': weights, 'optimizer.safetensors': optimizer, 'state.json': state };
}

/** The text of manifest.json, indented for people, its checksum last. */
export async function encodeManifest(manifest: Manifest): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const checksum = await sha256Hex(encoder.encode(JSON.stringify(manifest)));
  return encoder.encode(`${JSON.stringify({ ...manifest, checksum }, null, 2)}\n`);
}

/** Reads manifest.json; `bytes` is undefined when the file is missing. */
export async function decodeManifest(bytes: Uint8Array | undefined): Promise<Checked<Manifest>> {
  if (bytes === undefined) return { ok: false, reason: 'manifest.json is missing' };
  if (bytes.length === 0) return { ok: false, reason: 'manifest.json is empty' };
  const json = parseJsonObject(bytes);
  if (json === undefined) return { ok: false, reason: 'manifest.json is not a JSON object' };
  const { checksum: _checksum, ...body } = json;
  const parsed = manifestSchema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { ok: false, reason: `manifest.json is not a manifest: ${issue.path.join('.') || 'it'}: ${issue.message}` };
  }
  if (!sameBytes(bytes, await encodeManifest(parsed.data))) {
    return { ok: false, reason: 'manifest.json does not match its checksum' };
  }
  return { ok: true, value: parsed.data };
}

/** Compares a file with its manifest; undefined if they agree, else the difference. */
export async function checkFile(
  name: CheckpointFile,
  bytes: Uint8Array<ArrayBuffer> | undefined,
  manifest: Manifest,
): Promise<string | undefined> {
  const expected = manifest.files[name];
  if (bytes === undefined) return `${name} is missing`;
  if (bytes.length !== expected.bytes) return `${name} has ${bytes.length} bytes, its manifest says ${expected.bytes}`;
  return (await sha256Hex(bytes)) === expected.sha256 ? undefined : `${name} does not match its SHA-256`;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
