/** What npm publishes, checked by machines: packed, linted, installed into an empty folder, and used there. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from './command_line.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_BYTES = 3_000_000;

const folder = temporaryFolder();
let tarball: string;

function npm(directory: string, ...words: readonly string[]): string {
  return execFileSync('npm', words, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  // Without scripts: the suite has just built, and `prepare` would compile the WebAssembly once more.
  const packed = npm(ROOT, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder.path);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  tarball = join(folder.path, filename);
}, 60_000);

afterAll(() => folder.remove());

describe('the package', () => {
  it(`has fewer than ${MOST_BYTES / 1e6} MB`, () => {
    expect(statSync(tarball).size).toBeLessThan(MOST_BYTES);
  });

  it('keeps what its package.json promises, says publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: ROOT, strict: true, pack: 'npm' });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  }, 60_000);

  it('gives TypeScript the types of what Node loads, says Are The Types Wrong', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    if (analysis.types === false) throw new Error('the package has no types');
    // It is ESM only, so `require` and resolution without `exports` cannot work and need not.
    const problems = analysis.problems.filter(
      (problem) => !('resolutionKind' in problem) || /esm|bundler/.test(problem.resolutionKind),
    );
    expect(problems).toEqual([]);
  }, 60_000);

  it('installs into an empty folder, starts its command, and is imported with its types', () => {
    const home = temporaryFolder();
    try {
      writeFileSync(join(home.path, 'package.json'), '{"type": "module", "private": true}');
      npm(home.path, 'install', '--no-audit', '--no-fund', '--prefer-offline', tarball);
      const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
      expect(npm(home.path, 'exec', '--offline', '--', 'rlvr-train', '--version').trim()).toBe(version);
      writeFileSync(join(home.path, 'use.ts'), CONSUMER);
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
      const flags = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--skipDefaultLibCheck'];
      const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
      const run = (...words: readonly string[]): string =>
        execFileSync(process.execPath, words, { cwd: home.path, encoding: 'utf8' });
      expect(run(compiler, ...flags, ...types, 'use.ts')).toBe('');
      expect(run('use.js').trim()).toBe('sorted 4 digits, 1 reward, step 1');
      for (const [backend, words] of Object.entries(MISSING_TFJS)) {
        const config = 'node_modules/rlvr-train/configs/sort-digits.yaml';
        const flags = ['--config', config, '--backend', backend, '--max-steps', '1'];
        const command = ['node_modules/rlvr-train/dist/cli/main.js', ...flags];
        const { status, stderr } = spawnSync(process.execPath, command, { cwd: home.path, encoding: 'utf8' });
        expect(stderr, backend).toContain(words);
        expect(stderr, backend).not.toMatch(/^ +at /m);
        expect(status, backend).not.toBe(0);
      }
    } finally {
      home.remove();
    }
  }, 300_000);
});

/** What a backend of TensorFlow.js says where its packages, which are optional, are not installed. */
const MISSING_TFJS = {
  'tfjs:cpu': 'npm install @tensorflow/tfjs@4.22.0',
  'tfjs:wasm': 'npm install @tensorflow/tfjs@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0',
  'tfjs:webgpu': 'npm install @tensorflow/tfjs@4.22.0 @tensorflow/tfjs-backend-webgpu@4.22.0 webgpu',
  'tfjs:tensorflow': 'npm install --ignore-scripts @tensorflow/tfjs-node@4.22.0',
};

/** Uses every entry point that needs no other package; compiled against the declarations that were installed. */
const CONSUMER = `
import { createTasks, openRun, parseConfig, type StepMetrics, train, wasmBackend } from 'rlvr-train';
import { fileStore } from 'rlvr-train/node';
import { combineRewards } from 'rlvr-train/rewards';
import { getTaskDefinition } from 'rlvr-train/tasks';

const yaml = 'task: {name: sort_digits, digits: 4}\\nmax_steps: 1\\nnum_generations: 2\\ngeneration_batch_size: 16\\n' +
  'model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 16}\\nreward_funcs: [positions]';
const { config } = parseConfig(yaml, { file: 'inline' });
const run = await openRun(config, await createTasks(config, { heldOutSample: 8 }), await wasmBackend({ threads: 1 }));
let last: StepMetrics | undefined;
for await (const event of train(run)) if (event.type === 'step') last = event.metrics;
await run.policy.close();
const [reward] = combineRewards([[1]], [1]);
const digits = String((await getTaskDefinition('sort_digits')).levels[0] && 4);
if ((await fileStore('.').exists('use.ts')) !== true) throw new Error('no store');
console.log(\`sorted \${digits} digits, \${reward} reward, step \${last?.step}\`);
`;
