import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// What is printed is compared without colours, wherever the tests run.
process.env.NO_COLOR = '1';
// What a test agrees to run is not remembered for whoever runs the tests.
process.env.XDG_STATE_HOME = join(tmpdir(), `rlvr-train-tests-${process.pid}`);

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/webgpu/**', 'test/browser/**', 'test/slow/**', 'test/smollm2/**'],
          pool: 'forks',
          // Left to itself, vitest keeps a core free: on two, half of them.
          maxWorkers: availableParallelism(),
          testTimeout: 30_000,
        },
      },
      {
        // Needs the software adapters that .ci/run installs.
        test: {
          name: 'webgpu',
          include: ['test/webgpu/**/*.test.ts'],
          globalSetup: ['test/e2e/build.ts'],
          pool: 'forks',
          fileParallelism: false,
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
        // Needs the model that tools/fetch_smollm2.mjs fetches; skipped without it.
        test: {
          name: 'smollm2',
          include: ['test/smollm2/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 240_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Needs Chromium, which .ci/run installs.
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/build.ts'],
          pool: 'forks',
          maxWorkers: availableParallelism(),
          testTimeout: 400_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/e2e/build.ts'],
          pool: 'forks',
          fileParallelism: false,
        },
      },
    ],
  },
});
