/** All diagnostics. Each has an entry of its name in docs/diagnostics.md. */
import { COMBINATION, NEVER_ACTED, STAGE_ENDED, STOP_CODES } from '../../../src/diagnostics/codes.ts';
import type { Diagnostic, RunDiagnostics } from '../../../src/diagnostics/diagnostic.ts';
import type { SftStageConfig } from '../../../src/methods/stage.ts';
import { COMPLETION_DIAGNOSTICS } from './completions.ts';
import { COST_DIAGNOSTICS } from './cost.ts';
import { EVALUATION_DIAGNOSTICS, MEMORISED_DEMONSTRATIONS } from './evaluations.ts';
import { GROUP_DIAGNOSTICS } from './groups.ts';
import { HINT_DIAGNOSTICS } from './hints.ts';
import { JUDGE_DIAGNOSTICS } from './judges.ts';
import { REPLAY_DIAGNOSTICS } from './replays.ts';
import { EARNINGS, REWARD_FAULTS } from './rewards.ts';
import { SOURCE_DIAGNOSTICS } from './sources.ts';
import { START_DIAGNOSTICS } from './starts.ts';
import { GRADIENT_DIAGNOSTICS, POLICY_UPDATE_DIAGNOSTICS, SUPERVISED_LOSS_RISES } from './updates.ts';

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

export const RUN_DIAGNOSTICS: RunDiagnostics = {
  grpo: GRPO,
  sft: SFT,
  deadReasons: [...REWARD_FAULTS, ...GROUP_DIAGNOSTICS].map(({ code }) => code),
};

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
