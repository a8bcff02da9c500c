/**
 * SHA-256 of the files that a run of a pretrained model begins with: weights, config, tokenizer.
 *
 * They decide the bits of the run as its own config does. A checkpoint of adapters does not hold their base model,
 * so it says of which files they are. A pass over the files costs about 1.5 s a gigabyte.
 */
import type { BaseHashes } from '../../../../src/run/base.ts';
import { sha256Hex } from '../../../../src/run/fingerprint/sha256.ts';
import type { ModelFiles, PretrainedModel } from '../../model/pretrained/source.ts';

/** Hashes of those of the files that are there, in the order of their names. */
export async function hashFiles(files: ModelFiles, names: Iterable<string>): Promise<BaseHashes> {
  const hashes: [string, string][] = [];
  for (const name of [...new Set(names)].sort()) {
    const sha256 = await hashFile(files, name);
    if (sha256 !== undefined) hashes.push([name, sha256]);
  }
  return Object.fromEntries(hashes);
}

async function hashFile(files: ModelFiles, name: string): Promise<string | undefined> {
  if (files.sha256 !== undefined) return files.sha256(name);
  const bytes = await files.read(name);
  return bytes && sha256Hex(bytes);
}

/** One hash of a model's weights: that of their file, or of all hashes where they are in several. */
export async function weightsHash(hashes: BaseHashes, { tensors }: Pick<PretrainedModel, 'tensors'>): Promise<string> {
  const files = new Set([...tensors.values()].map(({ file }) => file));
  const own = Object.entries(hashes).flatMap(([file, sha256]) => (files.has(file) ? [sha256] : []));
  return own.length === 1 && own[0] !== undefined ? own[0] : sha256Hex(new TextEncoder().encode(own.join('\n')));
}
