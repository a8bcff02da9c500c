/** Ratio and advantage to a loss. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { Objective } from '../points.ts';
import { cispo } from './cispo.ts';
import { dcpoClip } from './dcpo_clip.ts';
import { dpoPairs } from './dpo_pairs.ts';
import { dppoTv } from './dppo_tv.ts';
import { drpo } from './drpo.ts';
import { dualClip } from './dual_clip.ts';
import { gmpo } from './gmpo.ts';
import { pDiv } from './p_div.ts';
import { pacs } from './pacs.ts';
import { ppoClip } from './ppo_clip.ts';
import { reinforce } from './reinforce.ts';
import { rft } from './rft.ts';
import { sapo } from './sapo.ts';
import { sqLogRatio } from './sq_log_ratio.ts';
import { topr } from './topr.ts';
import { verifreeLoss } from './verifree_loss.ts';
import { vespo } from './vespo.ts';

export const OBJECTIVES: readonly Method<Objective>[] = [
  ppoClip,
  cispo,
  sapo,
  vespo,
  reinforce,
  topr,
  dualClip,
  gmpo,
  dcpoClip,
  dppoTv,
  sqLogRatio,
  pacs,
  drpo,
  dpoPairs,
  pDiv,
  rft,
  verifreeLoss,
];
