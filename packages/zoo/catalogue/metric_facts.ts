/**
 * What each number of metrics.jsonl means: for `explain` and docs/reference/metrics.md. What a method logs under its own id,
 * `<method>/<name>`, is explained on its page. `<…>` in a name stands for a name of the run's, `K` and `k` for numbers.
 */

/** Where a number is logged. */
export type MetricPlace = 'every step' | 'steps of grpo' | 'evaluations' | 'diagnoses';

export interface MetricFacts {
  readonly name: string;
  readonly place: MetricPlace;
  readonly text: string;
}

const every = (name: string, text: string): MetricFacts => ({ name, place: 'every step', text });
const grpo = (name: string, text: string): MetricFacts => ({ name, place: 'steps of grpo', text });
const evaluation = (name: string, text: string): MetricFacts => ({ name, place: 'evaluations', text });

const LOW = 'Lower bound of the 95 % interval.';
const HIGH = 'Upper bound of the 95 % interval.';

/** In the order in which a reader wants them. */
export const METRIC_FACTS: readonly MetricFacts[] = [
  every('step', 'Optimizer steps of the stage, this one included.'),
  every('stage', 'sft or grpo.'),
  every('loss', 'The loss of the step. In grpo it starts near 0 and says little: watch reward and the evaluations.'),
  every('entropy', 'Mean entropy of the policy at the tokens of the completions, in nats: 0 is a policy that is sure.'),
  every('grad_norm', 'Norm of the gradient, before it is clipped to max_grad_norm.'),
  every('learning_rate', 'Rate of this step, warm-up and schedule included.'),
  every('num_tokens', 'Tokens of completions seen so far, sampled or demonstrated.'),
  every('step_time', 'Seconds that the step took, sampling included, evaluation not.'),
  every('prompts/dropped', 'Problems left out because their prompt is too long (overlong_prompts: drop).'),

  grpo(
    'batch',
    'Why a generation batch has a line of its own, since no step follows it at once: dead (it has no live group), or ahead (it waits for its step, with staleness).',
  ),
  grpo(
    'reward',
    'Mean reward of all completions that were sampled, as the reward functions gave it, weights included; what was then thrown away counts.',
  ),
  grpo('reward_std', 'Standard deviation of the reward over all completions of the batch.'),
  grpo(
    'frac_reward_zero_std',
    'Share of dead groups of all that were sampled: their rewards are all equal, and they give no gradient.',
  ),
  grpo('rewards/<reward>/mean', 'Mean of one reward function, before its weight, where it applies.'),
  grpo('rewards/<reward>/std', 'Standard deviation of one reward function over all completions.'),
  grpo('group_steps/reward', 'Mean reward after the group steps of the stage: what is trained on.'),
  grpo('group_steps/reward_std', 'Standard deviation of the reward over all completions, after the group steps.'),
  grpo('completions/mean_length', 'Mean length of the completions in tokens, the end included.'),
  grpo('completions/min_length', 'Shortest completion.'),
  grpo('completions/max_length', 'Longest completion.'),
  grpo('completions/mean_terminated_length', 'Mean length of the completions that came to an end by themselves.'),
  grpo('completions/min_terminated_length', 'Shortest completion that came to an end by itself.'),
  grpo('completions/max_terminated_length', 'Longest completion that came to an end by itself.'),
  grpo('completions/clipped_ratio', 'Share of completions cut off at max_completion_length.'),
  grpo('completions/excluded', 'Completions without a valid reward, left out (reward_on_error: exclude).'),
  grpo(
    'completions/<origin>',
    'Share of completions that were not sampled plainly: replay, reference, hinted, branch, ….',
  ),
  grpo(
    'solve_rate',
    'Share of completions that are right by the strict verifier, of those that the policy sampled by itself: hints, earlier successes and branches left out.',
  ),
  grpo('solve_rate/<task>', 'The same of one task of several.'),
  grpo('level', 'Mean level of the problems that were asked, where the config gives their task one.'),
  grpo('groups/drawn', 'Groups sampled in the batch, dead ones and those included that no update is made of.'),
  grpo('groups/live', 'Those of them whose rewards differ.'),
  grpo('groups/rounds', 'Rounds of sampling: above 1 where dead groups were replaced (dynamic_sampling: refill).'),
  grpo(
    'trained/reward',
    'The same of what the update is made of, where a strategy left completions out or put others in.',
  ),
  grpo('trained/reward_std', 'Its standard deviation.'),
  grpo('trained/frac_reward_zero_std', 'Share of dead groups among those that the update is made of.'),
  grpo('trained/completions/mean_length', 'Mean length of the completions that the update is made of.'),
  grpo('trained/completions/clipped_ratio', 'Share of these that were cut off.'),
  grpo('trained/groups', 'Groups that the update is made of.'),
  grpo(
    'clip_ratio/low_mean',
    'Share of tokens, or completions, that were clipped below: the ratio had fallen, the advantage was negative.',
  ),
  grpo('clip_ratio/high_mean', 'Share clipped above: the ratio had risen, the advantage was positive.'),
  grpo('clip_ratio/region_mean', 'Share clipped at all: 0 as long as each batch has one update.'),
  grpo('clip_ratio/low_min', 'Least share clipped below of a micro-batch.'),
  grpo('clip_ratio/high_max', 'Largest share clipped above of a micro-batch.'),
  grpo('cispo_clip_ratio', 'Share of tokens whose weight loss_type: cispo has cut.'),
  grpo(
    'kl',
    'Mean divergence from the reference per token, where beta is above 0 (a method logs its own under its id).',
  ),
  grpo('kl_exact', 'The same over the whole vocabulary (kl-exact).'),
  grpo('value_loss', 'Mean clipped squared error of the value head per token, before vf_coef (value-loss).'),
  grpo('value_clip_ratio', 'Share of tokens whose value has moved beyond cliprange_value since the batch was sampled.'),
  grpo('teacher_kl', 'Mean divergence from the teacher per token, that of teacher_beta (teacher-kl).'),
  grpo('teacher_top1', 'Share of the tokens at which teacher and policy find the same one likeliest (teacher-kl).'),
  grpo('sampled_per_trained_token', 'Tokens sampled for each token that the update trained on: what rollouts cost.'),
  grpo('policy_loss', 'The loss without what entropy is paid (entropy_coef).'),
  grpo(
    'sampling/sampling_logp_difference/mean',
    'Mean difference between the log-probs of sampler and trainer: 0 on fresh completions, always, but where a copy samples (quantised_rollout).',
  ),
  grpo('sampling/sampling_logp_difference/max', 'The largest such difference.'),
  grpo('staleness', 'Optimizer steps since the completions of the step were sampled (staleness above 0).'),
  grpo(
    'importance_ratio/mean',
    'Mean ratio of the policy to that which sampled, per token (staleness above 0, quantised_rollout): near 1 as long as it is near.',
  ),

  evaluation('evaluation', 'When: baseline, periodic, final or requested.'),
  evaluation(
    'eval_accuracy',
    'Share of held-out problems that greedy decoding answers right, by the strict verifier; 0 to 1.',
  ),
  evaluation('eval_accuracy_low', LOW),
  evaluation('eval_accuracy_high', HIGH),
  evaluation('eval_mean@K', 'Mean accuracy of K sampled answers (num_generations_eval, eval_temperature).'),
  evaluation('eval_mean@K_low', LOW),
  evaluation('eval_mean@K_high', HIGH),
  evaluation('eval_pass@k', 'Estimated share of problems of which one of k sampled answers is right.'),
  evaluation('eval_pass@k_low', LOW),
  evaluation('eval_pass@k_high', HIGH),
  evaluation('eval_accuracy/<task>', 'Greedy accuracy on one task of several; with _low and _high.'),
  evaluation('eval_mean@K/<task>', 'Sampled accuracy on one task of several; with _low and _high.'),
  evaluation('eval_<figure>', 'A figure of evaluation_figures, with _low and _high.'),
  evaluation('eval_<figure>/<part>', 'One of its parts: eval_search/repeats is m-search with show: repeats.'),
  evaluation('eval_completions/mean_length', 'Mean length of the greedy answers, in tokens.'),
  evaluation('eval_problems', 'Held-out problems that were asked.'),
  evaluation('eval_runtime', 'Seconds that the evaluation took.'),

  { name: 'diagnosis', place: 'diagnoses', text: 'What was noticed: a name of docs/diagnostics.md.' },
  { name: 'level', place: 'diagnoses', text: 'note, warning or stop; withdrawn where it is no longer so.' },
  { name: 'message', place: 'diagnoses', text: 'What was seen, why it matters, and which key to change.' },
];

/** What the screen, the pages and the messages call a metric. */
const SCREEN_WORDS: Readonly<Record<string, string>> = {
  dead: 'frac_reward_zero_std',
  'dead groups': 'frac_reward_zero_std',
  greedy: 'eval_accuracy',
  sampled: 'eval_mean@1',
  length: 'completions/mean_length',
  'held-out': 'eval_accuracy',
  'cut off': 'completions/clipped_ratio',
  'grad norm': 'grad_norm',
  'learning rate': 'learning_rate',
  'policy loss': 'policy_loss',
};

/** The metric that a word of the screen is about. */
export function metricOfWord(word: string): MetricFacts | undefined {
  return Object.hasOwn(SCREEN_WORDS, word) ? metricFacts(SCREEN_WORDS[word]) : undefined;
}

/** All that a name means; a name that is written out wins over one with a place in it. */
export function metricFacts(name: string): MetricFacts | undefined {
  return (
    METRIC_FACTS.find((metric) => metric.name === name) ?? METRIC_FACTS.find((metric) => patternOf(metric).test(name))
  );
}

function patternOf({ name }: MetricFacts): RegExp {
  const escaped = name.replace(/[/.]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/<\w+>/g, '[^/]+').replace(/@[Kk]/g, '@\\d+')}$`);
}
