/**
 * Two tiers of tests, and those that need more than Node. `vitest run` takes every file and every draw of a property;
 * `--mode quick`, which `npm test` passes, leaves out the files `*.long.test.ts` and makes fewer draws
 * (`test/support/budget.ts`). docs/how_it_is_tested.md says what each tier promises, and how long it takes.
 */
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { writeMadeModules } from './tools/made_modules.mjs';

/** More than a few seconds each, and nearly all of it repeats what a quick file has shown at one place. */
const LONG = 'test/**/*.long.test.ts';

/** They replace modules or what a process has but once, or time what they do, so that no other file may share their process. */
const ALONE = 'test/**/*.alone{,.long}.test.ts';

await writeMadeModules();
// What is printed is compared without colours, wherever the tests run.
process.env.NO_COLOR = '1';
// What a test agrees to run is not remembered for whoever runs the tests.
process.env.XDG_STATE_HOME = join(tmpdir(), `rlvr-train-tests-${process.pid}`);

/** Twice the default or more: test files make much that is gone at once, and a tenth of their time was clearing it away. */
const execArgv = ['--max-semi-space-size=64'];

const setupFiles = ['test/support/equal_arrays.ts', 'test/support/command_parts.ts'];

export default defineConfig(({ mode }) => {
  const isQuick = mode === 'quick';
  const long = isQuick ? [LONG] : [];
  if (isQuick) process.env.RLVR_TEST_BUDGET = 'quick';
  return {
    test: {
      // One run of .ci/run starts vitest nine times, over the same sources.
      experimental: { fsModuleCache: true },
      projects: [
        {
          test: {
            name: 'unit',
            setupFiles,
            include: ['test/**/*.test.ts'],
            exclude: [
              ...[
                'test/e2e/**',
                'test/webgpu/**',
                'test/browser/**',
                'test/slow/**',
                'test/smollm2/**',
                'test/openenv/**',
                'test/python/**',
                'test/fleet/server/**',
              ],
              ALONE,
              ...long,
            ],
            pool: 'forks',
            // One process takes many files and imports `src` once: three quarters of the time of most files was importing.
            isolate: false,
            execArgv,
            // Left to itself, vitest keeps a core free: on two, half of them.
            maxWorkers: availableParallelism(),
            testTimeout: 30_000,
          },
        },
        {
          test: {
            name: 'alone',
            setupFiles,
            include: [ALONE],
            exclude: long,
            pool: 'forks',
            execArgv,
            maxWorkers: availableParallelism(),
            testTimeout: 30_000,
          },
        },
        {
          test: {
            name: 'e2e',
            setupFiles,
            include: ['test/e2e/**/*.test.ts'],
            exclude: long,
            globalSetup: ['test/e2e/build.ts'],
            pool: 'forks',
            execArgv,
            // Half of their time is the start of a command, on one core.
            maxWorkers: availableParallelism(),
            testTimeout: 60_000,
          },
        },
        {
          // Needs the software adapters that .ci/run installs.
          test: {
            name: 'webgpu',
            setupFiles,
            include: ['test/webgpu/**/*.test.ts'],
            globalSetup: ['test/e2e/build.ts'],
            pool: 'forks',
            isolate: false,
            // An adapter in software leaves half of a core idle.
            maxWorkers: availableParallelism(),
            testTimeout: 180_000,
          },
        },
        {
          // Needs the software adapters too, and an hour: not in CI.
          test: {
            name: 'slow',
            include: ['test/slow/**/*.test.ts'],
            globalSetup: ['test/e2e/build.ts'],
            pool: 'forks',
            testTimeout: 3_600_000,
          },
        },
        {
          // Needs the model that rlvr-train fetch smollm2 fetches; skipped without it.
          test: {
            name: 'smollm2',
            include: ['test/smollm2/**/*.test.ts'],
            globalSetup: ['test/e2e/build.ts'],
            pool: 'forks',
            fileParallelism: false,
            testTimeout: 240_000,
            hookTimeout: 120_000,
          },
        },
        {
          // Needs the Python that .ci/run openenv installs.
          test: {
            name: 'openenv',
            include: ['test/openenv/**/*.test.ts'],
            pool: 'forks',
          },
        },
        {
          // Needs the problems that .ci/run python installs.
          test: {
            name: 'python',
            include: ['test/python/**/*.test.ts'],
            pool: 'forks',
          },
        },
        {
          // Needs the nats-server and the Chromium that .ci/run installs.
          test: {
            name: 'fleet',
            setupFiles,
            include: ['test/fleet/server/**/*.test.ts'],
            globalSetup: ['test/browser/build.ts'],
            pool: 'forks',
          },
        },
        {
          // Needs Chromium, which .ci/run installs.
          test: {
            name: 'browser',
            setupFiles,
            include: ['test/browser/**/*.test.ts'],
            globalSetup: ['test/browser/build.ts'],
            pool: 'forks',
            isolate: false,
            maxWorkers: availableParallelism(),
            testTimeout: 400_000,
            hookTimeout: 120_000,
          },
        },
      ],
    },
  };
});
