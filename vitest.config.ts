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
const LONG = '{test,packages/*/test}/**/*.long.test.ts';

/** They replace modules or what a process has but once, or time what they do, so that no other file may share their process. */
const ALONE = '{test,packages/*/test}/**/*.alone{,.long}.test.ts';

/** They need a build, an adapter, a browser, a server or a model; each has a project of its own. */
const NEEDING_MORE = [
  'packages/commands/test/{e2e,slow}/**',
  'packages/fleet/test/server/**',
  'packages/models/test/smollm2/**',
  'packages/web/test/browser/**',
  'packages/webgpu/test/training/**',
  'packages/commands/test/mcp/**',
  'packages/zoo/test/{openenv,python}/**',
];

await writeMadeModules();
// What is printed is compared without colours, wherever the tests run.
process.env.NO_COLOR = '1';
// What a test agrees to run is not remembered for whoever runs the tests.
process.env.XDG_STATE_HOME = join(tmpdir(), `rlvr-train-tests-${process.pid}`);

/** Twice the default or more: test files make much that is gone at once, and a tenth of their time was clearing it away. */
const execArgv = ['--max-semi-space-size=64'];

/** Tests of the core look names up among its own, and the others among all that the package has. */
const coreSetup = ['test/support/equal_arrays.ts', 'test/support/core_parts.ts'];
const setupFiles = ['test/support/equal_arrays.ts', 'packages/commands/test/all_parts.ts'];

/** How long `expect.poll` looks before it gives up: as long as the test may take, on a machine that others keep busy. */
const patient = (timeout: number) => ({ expect: { poll: { timeout } } });

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
            name: 'core',
            setupFiles: coreSetup,
            include: ['test/**/*.test.ts'],
            exclude: [ALONE, ...long],
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
            name: 'workspaces',
            ...patient(25_000),
            setupFiles,
            include: ['packages/*/test/**/*.test.ts'],
            exclude: [...NEEDING_MORE, ALONE, ...long],
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
          // Kernels of the backends that RLVR_TEST_BACKENDS names; `core` tests those of its own.
          test: {
            name: 'conformance',
            setupFiles,
            include: ['test/conformance/**/*.test.ts'],
            pool: 'forks',
            isolate: false,
            maxWorkers: availableParallelism(),
            testTimeout: 300_000,
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
            include: ['packages/commands/test/e2e/**/*.test.ts'],
            exclude: long,
            globalSetup: ['packages/commands/test/e2e/build.ts'],
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
            include: ['packages/webgpu/test/training/**/*.test.ts'],
            globalSetup: ['packages/commands/test/e2e/build.ts'],
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
            include: ['packages/commands/test/slow/**/*.test.ts'],
            globalSetup: ['packages/commands/test/e2e/build.ts'],
            pool: 'forks',
            testTimeout: 3_600_000,
          },
        },
        {
          // Needs the model that rlvr-train fetch smollm2 fetches; skipped without it.
          test: {
            name: 'smollm2',
            include: ['packages/models/test/smollm2/**/*.test.ts'],
            globalSetup: ['packages/commands/test/e2e/build.ts'],
            pool: 'forks',
            fileParallelism: false,
            testTimeout: 240_000,
            hookTimeout: 120_000,
          },
        },
        {
          // Needs the SDK that .ci/run mcp installs.
          test: {
            name: 'mcp',
            include: ['packages/commands/test/mcp/**/*.test.ts'],
            globalSetup: ['packages/commands/test/e2e/build.ts'],
            pool: 'forks',
            testTimeout: 240_000,
          },
        },
        {
          // Needs the Python that .ci/run openenv installs.
          test: {
            name: 'openenv',
            include: ['packages/zoo/test/openenv/**/*.test.ts'],
            pool: 'forks',
            testTimeout: 120_000,
          },
        },
        {
          // Needs the problems that .ci/run python installs.
          test: {
            name: 'python',
            include: ['packages/zoo/test/python/**/*.test.ts'],
            pool: 'forks',
          },
        },
        {
          // Needs the nats-server and the Chromium that .ci/run installs.
          test: {
            name: 'fleet',
            ...patient(60_000),
            setupFiles,
            include: ['packages/fleet/test/server/**/*.test.ts'],
            globalSetup: ['packages/web/test/browser/build.ts'],
            pool: 'forks',
          },
        },
        {
          // Needs Chromium, which .ci/run installs.
          test: {
            name: 'browser',
            ...patient(120_000),
            setupFiles,
            include: ['packages/web/test/browser/**/*.test.ts'],
            globalSetup: ['packages/web/test/browser/build.ts'],
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
