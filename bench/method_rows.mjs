/** The rows of the methods benchmark: what each changes in the recipe, as `--set` takes it. */

/** The recipe has Dr. GRPO's averages; a row that names objective or aggregation by itself takes loss_type out. */
const OWN_LOSS = ['grpo.loss_type=null', 'grpo.aggregation=const-norm'];
/** Nothing is evaluated between start and end: a row is its end. */
const ALWAYS = ['grpo.eval_strategy=no'];
/** Four steps of 128 on the 512 completions, over twice the steps of the recipe; each sees a quarter of a batch. */
const FOUR_STEPS = [
  'grpo.per_device_train_batch_size=128',
  'grpo.gradient_accumulation_steps=1',
  'grpo.max_steps=1500',
  'grpo.learning_rate=5.0e-4',
];

/** One changed method each: its name, what it sets, and the ids that it needs. */
const PRESETS = [
  ['recipe', [], []],
  ['grpo', ['grpo.loss_type=grpo'], []],
  ['dr_grpo', ['grpo.scale_rewards=none'], []],
  ['bnpo', ['grpo.loss_type=bnpo'], []],
  ['dapo', ['grpo.loss_type=dapo', 'grpo.epsilon_high=0.28', 'grpo.dynamic_sampling=refill'], ['refill']],
  ['gspo', ['grpo.importance_sampling_level=sequence', 'grpo.loss_type=grpo'], ['sequence']],
  ['gspo_token', ['grpo.importance_sampling_level=sequence_token', 'grpo.loss_type=grpo'], ['sequence_token']],
  ['luspo', ['grpo.importance_sampling_level=sequence', 'grpo.loss_type=luspo'], ['seq-sum']],
  ['cispo', ['grpo.loss_type=cispo'], ['cispo']],
  ['sapo', ['grpo.loss_type=sapo'], ['sapo']],
  ['vespo', ['grpo.loss_type=vespo'], ['vespo']],
  ...objectives(['reinforce', 'topr', 'dual-clip', 'gmpo', 'dcpo-clip', 'dppo-tv', 'sq-log-ratio', 'pacs', 'drpo']),
  ...estimators(['rloo', 'maxrl', 'js-shrinkage', 'length-weighted', 'reinforce-pp', 'canon', 'brpo', 'tournament']),
  ...estimators(['riskpo', 'bundle', 'trie-value', 'psr', 'nsr']),
  // Random weights solve nothing whole: what counts as solved begins at a quarter of the positions.
  solved('passk-analytic', 'passk-analytic', '{name: passk-analytic, k: 4'),
  ['pkpo', ['grpo.advantage_estimator={name: pkpo, k: 4}'], ['pkpo']],
  solved('w-reinforce + kl', 'w-reinforce', '{name: w-reinforce', ['grpo.beta=0.01']),
  ['kl', ['grpo.beta=0.01'], ['kl-loss']],
  ['kl-exact', ['grpo.loss_terms=[{name: kl-exact}]'], ['kl-exact']],
  ['entropy-guard', ['grpo.entropy_coef=0', 'grpo.credit_steps=[entropy-guard]'], ['entropy-guard']],
  ['no entropy bonus', ['grpo.entropy_coef=0'], []],
  ['top_entropy_quantile', ['grpo.top_entropy_quantile=0.5'], ['top-entropy-mask']],
  ['pos-weight', ['grpo.credit_steps=[{name: pos-weight, positive_weight: 0.5}]'], ['pos-weight']],
  ['clip-cov', ['grpo.token_weights=[clip-cov]'], ['clip-cov']],
  ['kl-cov', ['grpo.loss_terms=[kl-cov]'], ['kl-cov']],
  ['ref-reset', ['grpo.beta=0.01', 'grpo.controllers=[ref-reset]'], ['ref-reset']],
  ['win-rate', ['grpo.group_steps=[win-rate]'], ['win-rate']],
];

function objectives(ids) {
  return ids.map((id) => [id, [...OWN_LOSS, `grpo.objective=${id}`], [id]]);
}

function estimators(ids) {
  return ids.map((id) => [id, ['grpo.scale_rewards=null', `grpo.advantage_estimator=${id}`], [id]]);
}

function solved(name, id, estimator, further = []) {
  const options = 'solved_reward: {from: 0.25, to: 1, over: 0.6}}';
  return [name, ['grpo.scale_rewards=null', `grpo.advantage_estimator=${estimator}, ${options}`, ...further], [id]];
}

/** @param methods  the registry: every objective and every ratio is tried with four steps a batch */
export function methodRows({ objective, ratio }) {
  const presets = PRESETS.map(([name, set, uses]) => ({ name, set: [...ALWAYS, ...set], uses }));
  const four = (name, set) => ({ name: `four steps: ${name}`, set: [...ALWAYS, ...FOUR_STEPS, ...set], uses: [] });
  return [
    ...presets,
    ...objective.map(({ id }) => four(id, [...OWN_LOSS, `grpo.objective=${id}`])),
    ...ratio
      .filter(({ id }) => id !== 'token')
      .map(({ id }) => four(`ratio ${id}`, [`grpo.importance_sampling_level=${id}`])),
  ];
}
