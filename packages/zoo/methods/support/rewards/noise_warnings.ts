/** Where a correction of a noisy verifier cannot act: constant rates make it affine, and a centred advantage undoes that. */

import type { GrpoStageConfig } from '../../../../../src/methods/stage.ts';
import { rewardLabel } from '../../../../../src/rewards/module_file.ts';
import { type Member, tells } from '../../kit.ts';

/** What to say where `reward` is all that is trained on, and is compared with a mean. */
export function centredWarning(
  reward: string,
  stage: GrpoStageConfig,
  members: readonly Member[],
  without: string,
): string | undefined {
  const trained = stage.rewards.filter(({ weight }) => weight !== 0).map(rewardLabel);
  const isAlone = trained.length === 1 && trained[0] === reward;
  if (!isAlone || tells(members, 'uncentred')) return undefined;
  return (
    `with rates that are the same for every completion, an advantage that is compared with a mean ${without}; ` +
    'set baseline: none and scale_rewards: none'
  );
}
