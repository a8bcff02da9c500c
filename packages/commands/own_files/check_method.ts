/** `rlvr-train methods check`: a method as a config names it, looked at in a few steps of a small policy. */

import { announceFile } from '../../../src/cli/display/announce_file.ts';
import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { commandParts, library } from '../../../src/cli/parts.ts';
import { POINT_KEYS } from '../../../src/config/keys/method_keys.ts';
import type { LoadedConfig } from '../../../src/config/load.ts';
import { ConfigError, RlvrError } from '../../../src/errors.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { lookUp, methodKey, type OwnMethods, withOwnMethods } from '../../../src/methods/method_list.ts';
import type { StepMetrics } from '../../../src/methods/records.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodPoint } from '../../../src/methods/stage.ts';
import type { Plugin } from '../../../src/options/keys.ts';
import { takeOptions } from '../../../src/options/read.ts';
import { isModuleFile } from '../../../src/rewards/module_file.ts';
import type { RewardBatch, RewardFunction } from '../../../src/rewards/reward_function.ts';
import { fingerprintOf } from '../../../src/run/fingerprint/run_fingerprint.node.ts';
import { weightsSha256 } from '../../../src/run/model/model_files.ts';
import { openRun } from '../../../src/run/open_run.ts';
import type { OpenedConfig } from '../../../src/run/opened_config.ts';
import { session } from '../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';
import { moduleReference } from '../../plugins/module.node.ts';
import { pointOfMethod } from '../../plugins/own_exports.node.ts';
import { tryFile } from '../../plugins/threads/own_thread.node.ts';
import { configOf } from '../runs/config_of.ts';
import { lookedAt, MethodCheck } from './method_look.ts';
import { shortNumber } from './say.ts';

export interface CheckMethodFlags {
  /** As a config has it: a name, or a mapping with its knobs. */
  readonly task: string;
  readonly json?: boolean;
}

/** Messages name it where they otherwise name a config's file; paths are relative to the working directory. */
const HERE = 'methods check';
const LIMIT_SECONDS = 60;
const STEPS = 4;

/** Two batches for the smallest policy; a group can be halved, and ratios leave 1 at the second step of a batch. */
const STAGE = `
max_steps: ${STEPS}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 32, initializer_range: 0.3}
learning_rate: 1.0e-2
num_generations: 8
generation_batch_size: 32
num_iterations: 2
reward_funcs: [accuracy]
eval_samples: 4
`;

/**
 * Checks a method; what is broken is printed, and makes the exit status 1.
 *
 * @param entry  as a config names it: a file, a name, or a mapping `{name: ./median.ts, scale: 2}`
 * @throws ConfigError, PluginError where it cannot be opened, or the task cannot give what it uses
 */
export async function checkMethodCommand(entry: string, { task, json = false }: CheckMethodFlags): Promise<void> {
  const listed = isModuleFile(entry) ? JSON.stringify(entry) : entry;
  const point = await pointOf(await readEntry(listed));
  const { yaml, takes } = POINT_KEYS[point];
  const loaded = await configWith(task, `${yaml}=${takes === 'one' ? listed : `[${listed}]`}`);
  const opened = await commandParts().openConfig(loaded, { file: HERE, announce: announceFile });
  try {
    const plugin = stageOf(opened.config.stages[0]).methods[point].at(-1) as Plugin; // it was just named
    const method = lookUp(opened.registries.methods, point, plugin);
    const check = new MethodCheck();
    const looked = { [methodKey(plugin)]: lookedAt(method, point, check) };
    const metrics = await tryMethod(check, opened, looked);
    const findings = [...check.findings];
    if (findings.length > 0) process.exitCode = 1;
    const facts = {
      name: isModuleFile(entry) ? entry : method.id,
      id: method.id,
      point: yaml,
      task: opened.tasks.name,
    };
    const { warnings, examples, msPerCompletion } = check;
    const lists = { findings, warnings: [...warnings], examples: [...examples.values()] };
    if (json) printJson(JSON.stringify({ ...facts, ...lists, msPerCompletion, metrics }));
    else print(linesOf(check, metrics, facts).join('\n'));
  } finally {
    await opened.close();
  }
}

function configWith(task: string, ...lines: readonly string[]): Promise<LoadedConfig> {
  return configOf(STAGE, HERE, [
    { flag: '--task', assignment: `task=${task}` },
    ...lines.map((assignment) => ({ flag: HERE, assignment })),
  ]);
}

function stageOf(stage: LoadedConfig['config']['stages'][number]): GrpoStageConfig {
  if (stage.stage !== 'grpo') throw new RangeError('the stage of a check is a grpo stage');
  return stage;
}

/** The entry as a config reads one, whatever its point is. */
async function readEntry(listed: string): Promise<Plugin> {
  const { config } = await configOf('max_steps: 1\ntask: countdown\n', HERE, [
    { flag: HERE, assignment: `reward_funcs=[${listed}]` },
  ]);
  const [{ weight: _, ...entry }] = stageOf(config.stages[0]).rewards;
  return entry;
}

/** @throws ConfigError for a name that no point has */
async function pointOf({ name, export: exported, ...given }: Plugin): Promise<MethodPoint> {
  if (!isModuleFile(name)) {
    const { methods } = await library().naming(name);
    const known = METHOD_POINTS.find((point) => methods.names[point].includes(name));
    if (known !== undefined) return known;
    throw new ConfigError('unknown-name', `${name} — no such method; give a file of yours, as ./methods/mine.ts.`, {
      name,
    });
  }
  const reference = moduleReference(name, exported, '.');
  await tryFile(reference, LIMIT_SECONDS);
  const stage = stageOf((await configWith('countdown')).config.stages[0]);
  return pointOfMethod(reference, LIMIT_SECONDS, (method) =>
    method.create(takeOptions(method.options, given, { path: HERE, subject: method.id }), stage),
  );
}

/** What the completions of a group are paid. */
const REWARDS = [1, 0.25, 0, 0.5, 0.75, 1, 0.25, 0];

/** Groups as a run has them: of all sorts of rewards; the same with one null; of equal ones; of none at all. */
const MADE_UP: RewardFunction = {
  name: 'accuracy',
  score: ({ groupOf }: RewardBatch) =>
    Array.from(groupOf, (group, row) => {
      const place = row - groupOf.indexOf(group);
      const reward = REWARDS[place % REWARDS.length];
      return [reward, place === REWARDS.length - 1 ? null : reward, 0.5, null][group % 4];
    }),
};

/** Runs the steps: as they are, looked at; once more; and with a resume between. @returns metrics of the last step */
async function tryMethod(check: MethodCheck, opened: OpenedConfig, looked: OwnMethods): Promise<StepMetrics> {
  try {
    const { metrics } = await trained(opened, { own: looked });
    const [once, again] = [await trained(opened), await trained(opened)];
    const store = memoryStore();
    await trained(opened, { store, steps: STEPS / 2 });
    const resumed = await trained(opened, { store, isResumed: true });
    if (once.sha256 !== again.sha256) check.findings.add(CHANGES);
    else if (once.sha256 !== resumed.sha256) check.findings.add(FORGETS);
    return metrics;
  } catch (error) {
    if (!RlvrError.is(error) || error instanceof ConfigError) throw error;
    check.findings.add(error.message);
    return {};
  }
}

const CHANGES =
  'gives something else when it is asked again from the beginning — let it depend on its arguments and context.rng alone, as no run could be repeated otherwise.';
const FORGETS =
  'gives something else after a resume — let state() give all that it remembers as plain JSON, and restore() take it back.';

interface TrainedHow {
  readonly own?: OwnMethods;
  /** Default: one of its own. */
  readonly store?: Store;
  readonly isResumed?: boolean;
  /** Steps after which the session ends. Default: all. */
  readonly steps?: number;
}

async function trained(
  { config, tasks, registries }: OpenedConfig,
  { own = {}, store = memoryStore(), isResumed = false, steps: most = STEPS }: TrainedHow = {},
): Promise<{ readonly metrics: StepMetrics; readonly sha256: string }> {
  const methods = withOwnMethods(registries.methods, own);
  const run = await openRun(config, tasks, await wasmBackend({ inline: true }), {
    rewards: { accuracy: () => MADE_UP },
    registries: { ...registries, methods },
  });
  let steps = 0;
  let metrics: StepMetrics = {};
  try {
    const fingerprint = await fingerprintOf(run);
    const shouldStop = (): boolean => steps >= most;
    for await (const event of session({ run, store, fingerprint, resume: isResumed, force: false, shouldStop })) {
      if (event.type !== 'step') continue;
      steps++;
      metrics = { ...metrics, ...event.metrics };
    }
    return { metrics, sha256: await weightsSha256(run.engine.policy) };
  } finally {
    await run.engine.policy.close();
  }
}

interface Facts {
  readonly name: string;
  readonly id: string;
  readonly point: string;
  readonly task: string;
}

function linesOf(check: MethodCheck, metrics: StepMetrics, facts: Facts): string[] {
  const { examples, msPerCompletion } = check;
  const findings = [...check.findings];
  const { name, id, point, task } = facts;
  const verdict = findings.length === 0 ? `${name} keeps what a method keeps` : `${name} breaks what a method keeps`;
  const time = msPerCompletion === undefined ? '' : `; ${shortNumber(1000 * msPerCompletion)} µs per completion`;
  const own = Object.entries(metrics).filter(([key]) => key === 'reward' || key === 'loss' || key.startsWith(`${id}/`));
  const numbers = own.map(([key, value]) => `${key} ${typeof value === 'number' ? shortNumber(value) : value}`);
  return [
    `${colors.bold(point)}  ${colors.dim(`in ${STEPS} steps of a small policy on ${task}`)}`,
    ...[...examples.values()].map(({ given, gives }) => `  ${given}  ${colors.dim('→')}  ${gives}`),
    ...(numbers.length === 0 ? [] : [`  ${numbers.join(', ')}`]),
    ...findings,
    ...[...check.warnings].map((warning) => colors.yellow(`warning: ${name} ${warning}`)),
    findings.length > 0 ? verdict : `${verdict}${time}`,
  ];
}
