/** All diagnostics. Each has an entry of its name in docs/diagnostics.md. */
import type { Telling } from '../methods/method.ts';
import type { GrpoStageConfig, SftStageConfig, StageConfig } from '../methods/stage.ts';
import { COMBINATION, NEVER_ACTED, STAGE_ENDED, STOP_CODES } from './codes.ts';
import { COMPLETION_DIAGNOSTICS } from './completions.ts';
import { COST_DIAGNOSTICS } from './cost.ts';
import { type BoundDiagnostic, bind, type Diagnosis, type Diagnostic } from './diagnostic.ts';
import { EVALUATION_DIAGNOSTICS, MEMORISED_DEMONSTRATIONS } from './evaluations.ts';
import { GROUP_DIAGNOSTICS } from './groups.ts';
import { HINT_DIAGNOSTICS } from './hints.ts';
import { JUDGE_DIAGNOSTICS } from './judges.ts';
import { REPLAY_DIAGNOSTICS } from './replays.ts';
import { EARNINGS, REWARD_FAULTS } from './rewards.ts';
import { SOURCE_DIAGNOSTICS } from './sources.ts';
import { START_DIAGNOSTICS } from './starts.ts';
import { GRADIENT_DIAGNOSTICS, POLICY_UPDATE_DIAGNOSTICS, SUPERVISED_LOSS_RISES } from './updates.ts';
import { look, type Observation, type Watch } from './watch.ts';

/** In the order in which they are asked: those that silence others come first. */
const GRPO: readonly Diagnostic[] = [
  ...START_DIAGNOSTICS,
  ...REWARD_FAULTS,
  ...GROUP_DIAGNOSTICS,
  ...EARNINGS,
  ...COMPLETION_DIAGNOSTICS,
  ...JUDGE_DIAGNOSTICS,
  ...HINT_DIAGNOSTICS,
  ...SOURCE_DIAGNOSTICS,
  ...COST_DIAGNOSTICS,
  ...GRADIENT_DIAGNOSTICS,
  ...POLICY_UPDATE_DIAGNOSTICS,
  ...REPLAY_DIAGNOSTICS,
  ...EVALUATION_DIAGNOSTICS,
];

const SFT: readonly Diagnostic<SftStageConfig>[] = [
  ...START_DIAGNOSTICS,
  MEMORISED_DEMONSTRATIONS,
  ...GRADIENT_DIAGNOSTICS,
  SUPERVISED_LOSS_RISES,
];

/** Names of what methods do not mend. */
export const CAUSES: readonly string[] = GRPO.flatMap(({ code, isCause }) => (isCause ? [code] : []));

/** Why no group of a batch is live. */
export const DEAD_REASONS: readonly string[] = [...REWARD_FAULTS, ...GROUP_DIAGNOSTICS].map(({ code }) => code);

/** Every name that can be said. */
export const DIAGNOSIS_CODES: readonly string[] = [
  ...new Set([
    COMBINATION,
    STAGE_ENDED,
    NEVER_ACTED,
    ...GRPO.map(({ code }) => code),
    ...SFT.map(({ code }) => code),
    ...STOP_CODES,
  ]),
];

/** The diagnostics of a stage of this kind. @param tells  what its methods do */
export function diagnosticsFor(stage: StageConfig, tells: ReadonlySet<Telling>): BoundDiagnostic[] {
  if (stage.stage === 'sft') return bind<SftStageConfig>(SFT, stage, tells);
  const applying = GRPO.filter(({ appliesTo }) => appliesTo === undefined || tells.has(appliesTo));
  return bind<GrpoStageConfig>(applying, stage, tells);
}

/** Remembers an observation. @param tells  what the methods of the stage do @returns what is to be said now; usually nothing */
export function observe(
  watch: Watch,
  stage: StageConfig,
  step: number,
  observation: Observation,
  tells: ReadonlySet<Telling> = new Set(),
): Diagnosis[] {
  return look(watch, stage, step, observation, diagnosticsFor(stage, tells));
}
