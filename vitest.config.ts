/**
 * Two tiers of tests, and those that need more than Node. `vitest run` takes every file and every draw of a property;
 * `--mode quick`, which `npm test` passes, leaves out the files of `LONG` and `LONG_E2E` and makes fewer draws
 * (`test/support/budget.ts`). docs/how_it_is_tested.md says what each tier promises, and how long it takes.
 */
import { existsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** More than a few seconds each, and nearly all of it repeats what a quick file has shown at one place. */
const LONG = [
  'test/bench/arena.test.ts',
  'test/bench/turns.test.ts',
  'test/catalogue/system_configs.test.ts',
  'test/catalogue/systems.test.ts',
  'test/cli/adapters.test.ts',
  'test/cli/bad_input.test.ts',
  'test/cli/bad_model.test.ts',
  'test/cli/eval.test.ts',
  'test/cli/explain.test.ts',
  'test/cli/export.test.ts',
  'test/cli/hostile_texts.test.ts',
  'test/cli/list.test.ts',
  'test/cli/live/chart.test.ts',
  'test/cli/live/frame.test.ts',
  'test/cli/methods.test.ts',
  'test/cli/tasks.test.ts',
  'test/cli/trust.test.ts',
  'test/cli/ui_server.test.ts',
  'test/config/limits.test.ts',
  'test/data/broken_verifiers.test.ts',
  'test/data/check_known_states.test.ts',
  'test/data/check_task.test.ts',
  'test/data/datasets/read_rows.test.ts',
  'test/data/number_answers.test.ts',
  'test/data/openenv/faults.test.ts',
  'test/data/prompt_limit.test.ts',
  'test/data/tasks/arithmetic.test.ts',
  'test/data/tasks/deduction.test.ts',
  'test/data/tasks/environments.test.ts',
  'test/data/tasks/of_tasks.test.ts',
  'test/data/tasks/records.test.ts',
  'test/data/tasks/sandboxed.test.ts',
  'test/data/tasks/tried.test.ts',
  'test/data/tasks_in_words.test.ts',
  'test/data/tools/tool_environment.test.ts',
  'test/diagnostics/trainer.test.ts',
  'test/fleet/fleet.test.ts',
  'test/fleet/lies.test.ts',
  'test/fleet/mistakes.test.ts',
  'test/fleet/series.test.ts',
  'test/fleet/signature.test.ts',
  'test/grpo/quantised_rollout.test.ts',
  'test/grpo/supervised_rows.test.ts',
  'test/hub/fetch.test.ts',
  'test/methods/ablation.test.ts',
  'test/methods/demonstrations/demonstrations.test.ts',
  'test/methods/group_steps/whole_runs.test.ts',
  'test/methods/loss_terms/laser.test.ts',
  'test/methods/payments.test.ts',
  'test/methods/rollout_strategies/draft_refine.test.ts',
  'test/methods/rollout_strategies/hint_resample.test.ts',
  'test/methods/rollout_strategies/oversample_select.test.ts',
  'test/methods/rollout_strategies/pdr.test.ts',
  'test/methods/rollout_strategies/prefix_branch.test.ts',
  'test/methods/rollout_strategies/rounds.test.ts',
  'test/methods/rollout_strategies/segment_rollout.test.ts',
  'test/methods/rollout_strategies/self_verify.test.ts',
  'test/methods/rollout_strategies/start_anywhere.test.ts',
  'test/methods/rollout_strategies/trees.test.ts',
  'test/methods/token_controls/constrained_decoding.test.ts',
  'test/methods/turns/together.test.ts',
  'test/methods/turns/turn_forms.test.ts',
  'test/model/dora.test.ts',
  'test/model/frozen.test.ts',
  'test/model/rollout_copy.test.ts',
  'test/plugins/classifier.test.ts',
  'test/plugins/datasets.test.ts',
  'test/plugins/example_questions.test.ts',
  'test/plugins/judge_threads.test.ts',
  'test/plugins/method_check.test.ts',
  'test/plugins/method_faults.test.ts',
  'test/plugins/method_module.test.ts',
  'test/plugins/old_spellings.test.ts',
  'test/plugins/open_plugins.test.ts',
  'test/plugins/own_made_of.test.ts',
  'test/plugins/own_task.test.ts',
  'test/plugins/reporter.test.ts',
  'test/plugins/reward_check.test.ts',
  'test/plugins/reward_thread.test.ts',
  'test/plugins/strategy_walk_through.test.ts',
  'test/plugins/time_limit.test.ts',
  'test/plugins/tools_walk_through.test.ts',
  'test/plugins/trial.test.ts',
  'test/plugins/walk_through.test.ts',
  'test/report/completion_groups.test.ts',
  'test/report/report.test.ts',
  'test/run/adapter_run.test.ts',
  'test/run/best_weights.test.ts',
  'test/run/claimed_directory.test.ts',
  'test/run/cut_off.test.ts',
  'test/run/diagnoses.test.ts',
  'test/run/failed_run.test.ts',
  'test/run/forged_state.test.ts',
  'test/run/frozen_storage.test.ts',
  'test/run/gradient_checkpointing.test.ts',
  'test/run/http_reward.test.ts',
  'test/run/lock.test.ts',
  'test/run/openenv.test.ts',
  'test/run/power_failure.test.ts',
  'test/run/pretrained.test.ts',
  'test/run/pretrained_resume.test.ts',
  'test/run/start_from_run.test.ts',
  'test/run/write_gguf.test.ts',
  'test/run/write_onnx.test.ts',
  'test/sandbox/at_once.test.ts',
  'test/sandbox/attacks.test.ts',
  'test/text/pretrained_codec.test.ts',
  'test/text/stranger_models.test.ts',
  'test/tfjs/training.test.ts',
  'test/trackers/mlflow.test.ts',
  'test/trackers/trackio.test.ts',
  'test/web/link_code.test.ts',
];

/** The quick tier keeps one training by the built command, killed and resumed. */
const LONG_E2E = ['test/e2e/!(kill_and_resume).test.ts'];

/** They replace modules or what a process has but once, or time what they do, so that no other file may share their process. */
const ALONE = [
  'test/cli/hostile_texts.test.ts',
  'test/cli/live/live_display.test.ts',
  'test/config/limits.test.ts',
  'test/config/one_declaration.test.ts',
  'test/plugins/hub_dataset.test.ts',
  'test/plugins/own_task.test.ts',
  'test/run/power_failure.test.ts',
];

for (const file of [...LONG, ...ALONE]) {
  if (!existsSync(file)) throw new Error(`vitest.config.ts names ${file}, and there is no such file: correct the list`);
}

// What is printed is compared without colours, wherever the tests run.
process.env.NO_COLOR = '1';
// What a test agrees to run is not remembered for whoever runs the tests.
process.env.XDG_STATE_HOME = join(tmpdir(), `rlvr-train-tests-${process.pid}`);

/** Twice the default or more: test files make much that is gone at once, and a tenth of their time was clearing it away. */
const execArgv = ['--max-semi-space-size=64'];

const setupFiles = ['test/support/equal_arrays.ts'];

export default defineConfig(({ mode }) => {
  const isQuick = mode === 'quick';
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
              ...ALONE,
              ...(isQuick ? LONG : []),
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
            include: ALONE,
            exclude: isQuick ? LONG : [],
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
            exclude: isQuick ? LONG_E2E : [],
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
