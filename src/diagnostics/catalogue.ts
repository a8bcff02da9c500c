/** All diagnostics. Each has an entry of its name in docs/diagnostics.md. */
import type { Telling } from '../methods/method.ts';
import type { GrpoStageConfig, SftStageConfig, StageConfig } from '../methods/stage.ts';
import { COMPLETION_DIAGNOSTICS } from './completions.ts';
import { COST_DIAGNOSTICS, LONG_WARM_UP } from './cost.ts';
import type { Diagnostic } from './diagnostic.ts';
import { EVALUATION_DIAGNOSTICS } from './evaluations.ts';
import { GROUP_DIAGNOSTICS } from './groups.ts';
import { HINT_DIAGNOSTICS } from './hints.ts';
import type { History } from './history.ts';
import { JUDGE_DIAGNOSTICS } from './judges.ts';
import { REPLAY_DIAGNOSTICS } from './replays.ts';
import { EARNINGS, REWARD_FAULTS } from './rewards.ts';
import { SOURCE_DIAGNOSTICS } from './sources.ts';
import { GRADIENT_DIAGNOSTICS, POLICY_UPDATE_DIAGNOSTICS, SUPERVISED_LOSS_RISES } from './updates.ts';

/** In the order in which they are asked: those that silence others come first. */
const GRPO: readonly Diagnostic[] = [
  LONG_WARM_UP,
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

const SFT: readonly Diagnostic<SftStageConfig>[] = [LONG_WARM_UP, ...GRADIENT_DIAGNOSTICS, SUPERVISED_LOSS_RISES];

/** Codes of the errors that a run stops over; they are recorded like a diagnosis, with level `stop`. */
export const STOP_CODES: readonly string[] = ['non-finite', 'off-policy', 'nothing-to-learn'];

/** What methods say of each other before the first step of a stage: known from the config, not from a history. */
export const COMBINATION = 'combination';

/** Why a method has ended a stage before its last step. */
export const STAGE_ENDED = 'stage-ended';

/** Every name that can be said. */
export const DIAGNOSIS_CODES: readonly string[] = [
  ...new Set([
    COMBINATION,
    STAGE_ENDED,
    ...GRPO.map(({ code }) => code),
    ...SFT.map(({ code }) => code),
    ...STOP_CODES,
  ]),
];

/** A diagnostic that knows its stage. */
export interface BoundDiagnostic extends Omit<Diagnostic, 'look'> {
  readonly look: (history: History) => ReturnType<Diagnostic['look']>;
}

/** The diagnostics of a stage of this kind. @param tells  what its methods do */
export function diagnosticsFor(stage: StageConfig, tells: ReadonlySet<Telling>): BoundDiagnostic[] {
  if (stage.stage === 'sft') return bind<SftStageConfig>(SFT, stage, tells);
  const applying = GRPO.filter(({ appliesTo }) => appliesTo === undefined || tells.has(appliesTo));
  return bind<GrpoStageConfig>(applying, stage, tells);
}

function bind<S extends StageConfig>(
  diagnostics: readonly Diagnostic<S>[],
  stage: S,
  tells: ReadonlySet<Telling>,
): BoundDiagnostic[] {
  return diagnostics.map((diagnostic) => ({
    ...diagnostic,
    look: (history) => diagnostic.look(history, stage, tells),
  }));
}
