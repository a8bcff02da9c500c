/** `rlvr-train methods check`: a method as a config names it, tried on made-up groups, and in two steps of a small policy. */

import { POINT_KEYS } from '../../config/keys/method_keys.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { ConfigError, PluginError } from '../../errors.ts';
import { train } from '../../grpo/trainer.ts';
import { wasmBackend } from '../../kernels/wasm/backend.ts';
import { lookUp } from '../../methods/method_list.ts';
import type { StepMetrics } from '../../methods/records.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodPoint } from '../../methods/stage.ts';
import type { Plugin } from '../../options/keys.ts';
import { takeOptions } from '../../options/read.ts';
import { checkMethod, type MethodCheck } from '../../plugins/check/method_check.ts';
import { shortNumber } from '../../plugins/check/say.ts';
import { moduleReference } from '../../plugins/module.node.ts';
import { pointOfMethod } from '../../plugins/own_exports.node.ts';
import { tryFile } from '../../plugins/threads/trial.node.ts';
import { isModuleFile } from '../../rewards/module_file.ts';
import type { RewardBatch, RewardFunction } from '../../rewards/reward_function.ts';
import { weightsSha256 } from '../../run/model/model_files.ts';
import { openRun } from '../../run/open_run.ts';
import { announceFile } from '../display/announce_file.ts';
import { colors } from '../display/colors.ts';
import { print, printJson } from '../display/output.ts';
import { commandParts, configOf, library } from '../parts.ts';

export interface CheckMethodFlags {
  /** As a config has it: a name, or a mapping with its knobs. */
  readonly task: string;
  readonly json?: boolean;
}

/** Messages name it where they otherwise name a config's file; paths are relative to the working directory. */
const HERE = 'methods check';
const LIMITS = { load: 60, call: 60 };
const STEPS = 2;

/** Two steps of the smallest policy; a group has an answer of each kind and can be halved, ratios leave 1 at the second step. */
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
    const stage = stageOf(opened.config.stages[0]);
    const place = stage.methods[point].length - 1;
    const check = checkMethod({ stage, tasks: opened.tasks, list: opened.registries.methods, point, place });
    const openSmall: OpenSmall = async () =>
      openRun(opened.config, opened.tasks, await wasmBackend({ inline: true }), {
        rewards: { accuracy: () => ANY_REWARD },
        registries: opened.registries,
        lineOf: loaded.lineOf,
      });
    const trained = check.findings.length > 0 ? NOT_TRAINED : await trainedTwice(openSmall);
    const findings = [...check.findings, ...trained.findings];
    if (findings.length > 0) process.exitCode = 1;
    const { id } = lookUp(opened.registries.methods, point, stage.methods[point][place]);
    const facts = { name: isModuleFile(entry) ? entry : id, id, point: yaml, task: opened.tasks.name };
    if (json) printJson(JSON.stringify({ ...facts, ...check, findings, metrics: trained.metrics }));
    else print(linesOf({ ...check, findings }, trained.metrics, facts).join('\n'));
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
  await tryFile(reference, LIMITS);
  const stage = stageOf((await configWith('countdown')).config.stages[0]);
  return pointOfMethod(reference, LIMITS.call, (method) =>
    method.create(takeOptions(method.options, given, { path: HERE, subject: method.id }), stage),
  );
}

/** Differs within a group, and is null now and then: a small policy that is never right would give no gradient. */
const ANY_REWARD: RewardFunction = {
  name: 'accuracy',
  score: ({ completions }: RewardBatch) =>
    completions.map((text) => {
      const sum = [...text].reduce((all, character, i) => all + (i + 1) * (character.codePointAt(0) ?? 0), 0) % 6;
      return sum === 5 ? null : sum / 4;
    }),
};

type OpenSmall = () => ReturnType<typeof openRun>;

interface Trained {
  readonly findings: readonly string[];
  /** Each as the last step that has it gives it. */
  readonly metrics: StepMetrics;
}

const NOT_TRAINED: Trained = { findings: [], metrics: {} };

/** The same steps twice: they must end, and with the same bits. */
async function trainedTwice(open: OpenSmall): Promise<Trained> {
  try {
    const [first, second] = [await trained(open), await trained(open)];
    const findings =
      first.sha256 === second.sha256
        ? []
        : ['two runs of the same seed end with other weights — let it depend on its arguments and context.rng alone.'];
    return { findings, metrics: first.metrics };
  } catch (error) {
    if (error instanceof PluginError) return { findings: [error.message], metrics: {} };
    throw error;
  }
}

async function trained(open: OpenSmall): Promise<{ readonly metrics: StepMetrics; readonly sha256: string }> {
  const run = await open();
  let metrics: StepMetrics = {};
  try {
    for await (const event of train(run)) if (event.type === 'step') metrics = { ...metrics, ...event.metrics };
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

function linesOf({ findings, warnings, examples, msPerCompletion }: MethodCheck, metrics: StepMetrics, facts: Facts) {
  const { name, id, point, task } = facts;
  const verdict = findings.length === 0 ? `${name} keeps what a method keeps` : `${name} breaks what a method keeps`;
  const time = msPerCompletion === undefined ? '' : `; ${shortNumber(1000 * msPerCompletion)} µs per completion`;
  const own = Object.entries(metrics).filter(([key]) => key === 'reward' || key === 'loss' || key.startsWith(`${id}/`));
  const numbers = own.map(([key, value]) => `${key} ${typeof value === 'number' ? shortNumber(value) : value}`);
  return [
    `${colors.bold(point)}  ${colors.dim(`on made-up answers to ${task}`)}`,
    ...examples.map(({ given, gives }) => `  ${given}  ${colors.dim('→')}  ${gives}`),
    ...(examples.length === 0 ? [colors.dim('  it needs a policy to be asked, so it was tried in a run alone')] : []),
    ...(numbers.length === 0 ? [] : [`${colors.bold('in two steps of a small policy')}  ${numbers.join(', ')}`]),
    ...findings,
    ...warnings.map((warning) => colors.yellow(`warning: ${name} ${warning}`)),
    findings.length > 0 ? verdict : `${verdict}${time}`,
  ];
}
