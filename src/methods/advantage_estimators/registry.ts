/** Rewards to advantages. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { AdvantageEstimator } from '../points.ts';
import { brpo } from './brpo.ts';
import { bundle } from './bundle.ts';
import { canon } from './canon.ts';
import { constant } from './constant.ts';
import { emaRole } from './ema_role.ts';
import { greedy } from './greedy.ts';
import { group } from './group.ts';
import { jsShrinkage } from './js_shrinkage.ts';
import { lengthWeighted } from './length_weighted.ts';
import { maxrl } from './maxrl.ts';
import { nsr } from './nsr.ts';
import { passkAnalytic } from './passk_analytic.ts';
import { pkpo } from './pkpo.ts';
import { processCentred } from './process_centred.ts';
import { psr } from './psr.ts';
import { reinforcePp } from './reinforce_pp.ts';
import { renorm } from './renorm.ts';
import { riskpo } from './riskpo.ts';
import { rloo } from './rloo.ts';
import { sas } from './sas.ts';
import { segmentTree } from './segment_tree.ts';
import { tagAdvantage } from './tag_advantage.ts';
import { tournament } from './tournament.ts';
import { trieValue } from './trie_value.ts';
import { turnReturn } from './turn_return.ts';
import { wReinforce } from './w_reinforce.ts';

export const ADVANTAGE_ESTIMATORS: readonly Method<AdvantageEstimator>[] = [
  group,
  rloo,
  jsShrinkage,
  lengthWeighted,
  maxrl,
  reinforcePp,
  wReinforce,
  nsr,
  psr,
  passkAnalytic,
  pkpo,
  riskpo,
  bundle,
  canon,
  brpo,
  tournament,
  processCentred,
  renorm,
  trieValue,
  turnReturn,
  tagAdvantage,
  greedy,
  sas,
  emaRole,
  constant,
  segmentTree,
];
