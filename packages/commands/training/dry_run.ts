/** `--dry-run`: what a training would do, need and take; then stops. Nothing is written. */

import { colors } from '../../../src/cli/display/colors.ts';
import { print, printError, printJson } from '../../../src/cli/display/output.ts';
import { backendLine, memoryLine, policyLine } from '../../../src/cli/display/reporter.ts';
import type { OpenedRun } from '../../../src/cli/training/training_parts.ts';
import { resolvedTree, resolvedYaml } from '../../../src/config/dump.ts';
import type { Origins } from '../../../src/config/load.ts';
import { aboutKey } from '../../../src/config/problems.ts';
import type { RunConfig } from '../../../src/config/run_config.ts';
import { readTree } from '../../../src/config/yaml/yaml_tree.ts';
import { counted, printable, printableLines, thousands } from '../../../src/format.ts';
import { lookAtStart } from '../../../src/grpo/diagnose.ts';
import { completionText } from '../../../src/grpo/rollout/complete.ts';
import type { ConfiguredModel } from '../../../src/grpo/run.ts';
import { usesOfStages } from '../../../src/grpo/run.ts';
import { fewHeldOut } from '../../../src/methods/statistics.ts';
import { countParameters } from '../../../src/model/parameters.ts';
import { lackOfRoom } from '../../../src/planning/require_memory.ts';
import { estimateTime, type RunEstimate } from '../../estimate/time_estimate.ts';
import { roughDuration } from '../display/rough_duration.ts';
import { fittingItems } from '../runs/fitting_items.ts';

const EXAMPLES = 3;
/** Column of the origins, unless a line is longer. */
const ORIGIN_COLUMN = 44;

interface Demonstration {
  readonly prompt: string;
  readonly demonstration: string;
}

export async function dryRun(dry: OpenedRun, { json }: { readonly json: boolean }): Promise<void> {
  const { run, plannedBytes } = dry;
  const examples = demonstrations(run);
  const starts = dry.config.stages.flatMap((_, stage) => lookAtStart(run, stage).map((one) => ({ stage, ...one })));
  const problems = { train: run.engine.tasks.trainProblems(), heldOut: run.engine.tasks.heldOutItems().length };
  if (json) {
    const estimate = await estimateTime(run);
    printJson(
      JSON.stringify({
        event: 'dry_run',
        config: resolvedTree(dry.config),
        origins: Object.fromEntries(dry.origins),
        notes: dry.notes,
        remarks: run.remarks,
        diagnoses: starts,
        output_dir: dry.directory,
        fingerprint: dry.fingerprint,
        parameters: countParameters(run.engine.policy.parameters),
        memory_bytes: Object.fromEntries(plannedBytes),
        problems,
        examples,
        estimate,
      }),
    );
    return;
  }
  print(annotatedYaml(dry.config, dry.origins));
  for (const { level, message } of run.remarks) print(colors.yellow(`${level}: ${printable(message)}`));
  for (const { stage, level, code, message } of starts)
    print(colors.yellow(`${level}: stages.${stage}  ${code}: ${printable(message)}`));
  for (const { place, path, value, text } of dry.notes)
    print(colors.dim(printable(`note: ${place}  ${aboutKey(path, value, text)}`)));
  const train = problems.train === undefined ? 'an endless stream' : thousands(problems.train);
  print(`${colors.bold('problems')}  ${train} to train on, ${thousands(problems.heldOut)} held out`);
  const few = fewHeldOut(problems.heldOut);
  if (few !== undefined) print(`          ${colors.yellow(few)}`);
  for (const { prompt, demonstration } of examples) {
    print(`          ${printable(prompt)} ${colors.dim('→')} ${printable(demonstration)}`);
  }
  print(`${colors.bold('policy')}    ${policyLine(run)}`);
  print(`${colors.bold('backend')}   ${backendLine(dry.fingerprint)}`);
  print(
    `${colors.bold('memory')}    ${memoryLine(plannedBytes, lackOfRoom(run.config, run.engine, usesOfStages(run)))}`,
  );
  printError('measuring a few steps on throw-away weights …');
  for (const line of estimateLines(await estimateTime(run))) print(line);
  print(`${colors.bold('run')}       ${printable(dry.directory)} (dry run: nothing was written)`);
}

/** The resolved config as YAML, with the origin of each value as a comment; runs as it is. */
export function annotatedYaml(config: RunConfig, origins: Origins): string {
  const text = printableLines(resolvedYaml(config));
  // The item of a list and its first key share a line; only the key has an origin.
  const known = [...readTree(text, '').places].filter(([path]) => origins.has(path));
  const originAt = new Map(known.map(([path, { order: line }]) => [line, origins.get(path)]));
  return text
    .split('\n')
    .map((written, index) => {
      const origin = originAt.get(index + 1);
      return origin === undefined ? written : `${written.padEnd(ORIGIN_COLUMN - 1)} ${colors.dim(`# ${origin}`)}`;
    })
    .join('\n');
}

/** The first training problems, each with an answer of the warm start's teacher. */
function demonstrations({ engine: { tasks }, config }: ConfiguredModel): Demonstration[] {
  return fittingItems(tasks, config.seed, EXAMPLES).map(({ item, index }) => {
    const tokens = tasks.demonstrationTokens(item, config.seed, index);
    const finishReason = tasks.fixedCompletionTokens === undefined ? 'eos' : 'stop';
    return { prompt: item.prompt, demonstration: completionText(tasks, { tokens, finishReason }) };
  });
}

function estimateLines({ stages, evaluations, secondsPerEvaluation, seconds, ...typical }: RunEstimate): string[] {
  const parts = stages.map(
    ({ stage, steps, secondsPerStep }) => `${stage} ${thousands(steps)} × ${milliseconds(secondsPerStep)}`,
  );
  const all = stages.map(({ measured }) => measured);
  const measured = all.length === 1 ? counted(all[0], 'real step') : `${all.join(' + ')} real steps`;
  return [
    `${colors.bold('time')}      about ${roughDuration(seconds)}: ${parts.join(', ')}, ${counted(evaluations, 'evaluation')} × ${milliseconds(secondsPerEvaluation)}`,
    colors.dim(
      `          measured here: ${measured} on throw-away weights, with answers of ${counted(typical.completionTokens, 'token')} ` +
        `(${typical.isDemonstrated ? 'as demonstrated' : 'the most allowed, since rows have no answer'}), and one group in five dead, with nothing right in it`,
    ),
  ];
}

/** `87 ms`, `1.24 s`. */
function milliseconds(seconds: number): string {
  return seconds < 1 ? `${Math.round(1000 * seconds)} ms` : `${seconds.toFixed(2)} s`;
}
