/** `rlvr-train rewards check`: a reward as a config names it, tried on made-up answers to problems of a task. */

import { announceFile } from '../../../src/cli/display/announce_file.ts';
import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { commandParts } from '../../../src/cli/parts.ts';
import { isModuleFile, rewardLabel } from '../../../src/rewards/module_file.ts';
import { getReward } from '../../../src/rewards/reward_list.ts';
import { configOf } from '../runs/config_of.ts';
import { checkReward, type RewardCheck } from './reward_check.ts';
import { shortNumber } from './say.ts';

export interface CheckRewardFlags {
  /** As a config has it: a name, or a mapping with its knobs. */
  readonly task: string;
  readonly json?: boolean;
}

/** Messages name it where they otherwise name a config's file; paths are relative to the working directory. */
const HERE = 'rewards check';

/**
 * Checks a reward; what is broken is printed, and makes the exit status 1.
 *
 * @param entry  as an entry of reward_funcs: a file, a name, or a mapping `{name: ./near.ts, scale: 2}`
 * @throws ConfigError where it cannot be opened, or fails at once, as before step 1 of a run
 */
export async function checkRewardCommand(entry: string, { task, json = false }: CheckRewardFlags): Promise<void> {
  const listed = isModuleFile(entry) ? JSON.stringify(entry) : entry;
  const loaded = await configOf('max_steps: 1\n', HERE, [
    { flag: '--task', assignment: `task=${task}` },
    { flag: HERE, assignment: `reward_funcs=[${listed}]` },
  ]);
  const opened = await commandParts().openConfig(loaded, { file: HERE, announce: announceFile });
  try {
    const [stage] = opened.config.stages;
    if (stage?.stage !== 'grpo' || opened.rewards === 'unused') throw new RangeError('a stage without rewards');
    const [{ weight: _, name, ...options }] = stage.rewards;
    const reward = getReward(opened.registries.rewards, name, options, opened.rewards);
    const check = await checkReward(reward, opened.tasks);
    if (check.findings.length > 0) process.exitCode = 1;
    if (json) printJson(JSON.stringify({ name: rewardLabel({ name }), task: opened.tasks.name, ...check }));
    else print(linesOf(check, rewardLabel({ name }), opened.tasks.name).join('\n'));
  } finally {
    await opened.close();
  }
}

const KINDS = {
  right: 'right',
  wrong: "another problem's",
  empty: 'empty',
  random: 'random tokens',
  cut: 'right, but cut',
};

function linesOf(check: RewardCheck, name: string, task: string): string[] {
  const { findings, warnings, pays, examples, msPerCompletion, logs } = check;
  const count = pays.reduce((sum, { answers }) => sum + answers, 0);
  const table = pays.map(({ kind, nulls, answers, mean, least, most }) => {
    const numbers =
      mean === undefined || least === undefined || most === undefined
        ? 'does not apply'
        : `${shortNumber(mean).padStart(8)}  ${colors.dim(`${shortNumber(least)} to ${shortNumber(most)}`)}`;
    const some = nulls > 0 && nulls < answers ? colors.dim(`; null for ${nulls} of ${answers}`) : '';
    return `  ${KINDS[kind].padEnd(18)} ${numbers}${some}`;
  });
  const shown = examples.map(
    ({ kind, prompt, completion, value }) =>
      `  ${String(value === null ? 'null' : shortNumber(value)).padStart(8)}  ${JSON.stringify(prompt)} → ${JSON.stringify(completion)}  ${colors.dim(KINDS[kind])}`,
  );
  const named = (kind: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${kind} ${names.map((one) => JSON.stringify(one)).join(', ')}`];
  const logged = [...named('completions.jsonl:', logs.columns), ...named('metrics.jsonl:', logs.metrics)];
  const verdict = findings.length === 0 ? `${name} keeps what a reward keeps` : `${name} breaks what a reward keeps`;
  return [
    ...(count === 0 ? [] : [`${colors.bold(`pays on ${task}`)}  ${colors.dim('on average; least to most')}`, ...table]),
    ...(count === 0 ? [] : [colors.bold('of one problem'), ...shown]),
    ...(logged.length === 0 ? [] : [`${colors.bold('logs')}  ${logged.join('; ')}`]),
    ...findings,
    ...warnings.map((warning) => colors.yellow(`warning: ${name} ${warning} (on ${task}; --task names another)`)),
    findings.length > 0
      ? verdict
      : `${verdict}; ${shortNumber(1000 * msPerCompletion)} µs per completion in a batch of ${count}`,
  ];
}
