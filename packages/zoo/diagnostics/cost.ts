/** What a stage spends: the time of its verifier, the problems that it draws. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import { meanOf } from '../../../src/diagnostics/lists.ts';
import { differentProblems } from '../../../src/diagnostics/problems.ts';
import { percent } from '../../../src/format.ts';
import { median } from './lists.ts';

/** Share of a step's time: a quarter more is what a faster verifier would give back at once. */
const SLOW_SHARE = 0.25;
/** A median of ten, so that a machine that is busy with other things for a moment is not blamed on the verifier. */
const VERIFIER_BATCHES = 10;
/** Seconds in those batches below which the wait does not matter. */
const NOTICEABLE_SECONDS = 1;

const slowVerifier: Diagnostic = {
  code: 'slow-verifier',
  level: 'note',
  after: 'batch',
  reads: ['seconds', 'completions'],
  look({ batches }, stage) {
    const window = batches.slice(-VERIFIER_BATCHES);
    const verify = median(window.map(({ seconds }) => seconds.verify));
    const share = median(window.map(({ seconds }) => seconds.verify / Math.max(1e-9, seconds.all)));
    if (window.length < VERIFIER_BATCHES || share < SLOW_SHARE) return undefined;
    if (verify * VERIFIER_BATCHES < NOTICEABLE_SECONDS) return undefined;
    const names = stage.rewards.map(({ name }) => name).join(', ');
    const completions = meanOf(window, (batch) => batch.completions);
    return {
      seen: `verdicts and rewards take ${percent(share)} of a step: ${((1000 * verify) / completions).toFixed(1)} ms per completion (medians of ${window.length} batches)`,
      why: 'The policy waits for its judge',
      remedy: `Make the task's verifier or reward_funcs (${names}) faster, or asynchronous where it waits for something else`,
    };
  },
};

/** Mean draws of a problem in one stage. Reinforcement tolerates more repetition than imitation; from about here, answers
 *  are recalled rather than found, unless the problems are very many. */
const MANY_DRAWS = 20;

const repeatedData: Diagnostic = {
  code: 'repeated-data',
  level: 'note',
  after: 'batch',
  reads: ['problems'],
  look({ problems }, stage) {
    const different = differentProblems(problems);
    if (problems.drawn <= MANY_DRAWS * different) return undefined;
    return {
      seen: `the ${problems.drawn} prompts of this stage are about ${Math.round(different)} different problems (${percent(different / problems.drawn)}), so each came ${Math.round(problems.drawn / different)} times`,
      why: 'The policy may come to recall their answers, and held-out accuracy stops rising',
      remedy: `Give the task more problems with the knobs under task, or lower max_steps (now ${stage.optimizer.maxSteps})`,
    };
  },
};

export const COST_DIAGNOSTICS: readonly Diagnostic[] = [slowVerifier, repeatedData];
