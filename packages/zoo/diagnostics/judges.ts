/** Verdicts of the policy on answers: whether they depend on what is judged. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import { percent } from '../../../src/format.ts';

/** Share of the same verdict from which on the others are slips. */
const NEARLY_ALWAYS = 0.95;
/** About half of the answers that are asked about are right, as far as there are any: a verdict that is right more often has its reason. */
const MOSTLY_RIGHT = 0.8;

const constantJudge: Diagnostic = {
  code: 'constant-judge',
  level: 'warning',
  after: 'batch',
  reads: ['judge'],
  appliesTo: 'judges',
  patience: 5,
  look({ batches }) {
    const judge = batches.at(-1)?.judge;
    if (judge === undefined || judge.often < NEARLY_ALWAYS || judge.right > MOSTLY_RIGHT) return undefined;
    return {
      seen: `${percent(judge.often)} of the verdicts are ${judge.said}, and ${percent(judge.right)} of these are right`,
      why: 'A verdict that does not depend on the answer says nothing of it; the groups that judge are dead or teach a habit',
      remedy: 'Show the policy more verdicts first (form_share in an sft stage), or leave the method out',
    };
  },
};

export const JUDGE_DIAGNOSTICS: readonly Diagnostic[] = [constantJudge];
