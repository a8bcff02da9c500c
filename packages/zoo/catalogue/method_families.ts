/** The methods for readers: ten to begin with, and all others in twelve families, each with what it is for. */

export interface MethodFamily {
  readonly title: string;
  /** When to look here, a sentence. */
  readonly when: string;
  /** Methods of one kind, mostly options of one another, apart by spaces. */
  readonly kinds: Readonly<Record<string, string>>;
}

/** The ten that most runs need, or that were measured to be better: each with the one that is its other form. */
export const CORE_METHODS: readonly string[] = [
  'group',
  'refill',
  'ppo-clip cispo',
  'token-mean const-norm',
  'kl-loss',
  'entropy-bonus',
  'sft-replay',
  'ladder soft-gate',
  'hint-resample inject-reference',
  'adaptive-level keep-range',
];

export const METHOD_FAMILIES: readonly MethodFamily[] = [
  {
    title: 'Baselines and credit',
    when: 'What a completion is compared with, and which of its tokens learn.',
    kinds: {
      'another baseline or scale of `group`': 'rloo maxrl js-shrinkage length-weighted greedy constant ema-role psr',
      'wrong and right unequally': 'w-reinforce nsr pos-weight sample-sign neg-scale-success difficulty-weight',
      'another scale of a batch': 'informative-scale phase-scale reinforce-pp bundle riskpo sas mapo',
      'ranks and pairs': 'brpo tournament canon',
      'a critic': 'gae value-loss',
      'steps and tokens':
        'process-centred renorm token-reward trie-value precision-weights context-dependency kl-masked-prompt',
      'how the loss averages': 'seq-mean micro-token-mean seq-sum prompt-mean token-sum weighted-seq-mean',
    },
  },
  {
    title: 'Clips and objectives',
    when: 'Several updates on a batch, or another loss than the clipped one; most do nothing at one update a batch.',
    kinds: {
      'clips of a token': 'sapo dual-clip dcpo-clip dppo-tv clip-cov gppo aspo bapo',
      'ratios of a completion': 'token sequence sequence_token sequence_sum none vespo gmpo gepo',
      'no clip': 'reinforce sq-log-ratio topr gvpo tpo',
      'right and wrong, without advantages': 'rft nft dpo-pairs drpo pacs positive-nll sft-nll',
      'pairs and labels that are given': 'preference preference-rows',
      'no rewards': 'terms-only',
    },
  },
  {
    title: 'KL and the reference',
    when: 'A policy that must stay near its start, or that forgets.',
    kinds: {
      'other forms of `kl-loss`': 'kl-exact kl-sampler kl-reward hinge-kl difficulty-beta first-distance first-kl',
      'what moves the reference or beta': 'ref-sync ref-ema ref-reset adaptive-beta kl-trust',
      'the weights afterwards': 'checkpoint-average',
    },
  },
  {
    title: 'Entropy and exploration',
    when: 'The policy is sure too early, or pass@k falls.',
    kinds: {
      'unlikely tokens': 'top-entropy-mask entropy-guard lp-reg kl-cov confidence noise-bonus self-certainty',
      sampling: 'temperature-mix temperature-schedule anneal-in-sequence',
      'pay for k tries': 'pkpo passk-analytic rank-penalty',
      'the problem in view': 'context-kl prerl',
    },
  },
  {
    title: 'Length, ends and masks',
    when: 'Completions are cut off, repeat themselves, or grow.',
    kinds: {
      'leave out of the loss': 'truncation-mask length-mask failure-mask gibberish-mask std-ema-filter spread-guard',
      'end or prolong': 'early-stop repetition-stop answer-forcing budget-forcing segment-rollout',
      'prefer the short': 'recompose',
      'keep to a form': 'constrained-decoding',
    },
  },
  {
    title: 'Problems, levels and mixtures',
    when: 'Many groups are all right or all wrong, or there are several tasks.',
    kinds: {
      'leave problems out': 'prefilter solve-rate-prune greedy-filter admission prerequisite-gate',
      'prefer problems': 'prioritized hardest weakness few-shot-data stream',
      levels: 'bands bandit',
      'shares of tasks': 'mixture-dynamic mixture-influence mixture-progress',
      'when to stop': 'until early-stop-metric overopt-stop',
    },
  },
  {
    title: 'Off-policy and replay',
    when: 'Completions of earlier steps, of a part of the policy or of a copy in fewer bits.',
    kinds: {
      'weigh what was sampled otherwise':
        'tis icepop opsm second-moment-mask decoupled truncated-support-logprob p-div',
      'earlier completions': 'replay-buffer success-replay reroll-cache step-dpo-stage',
    },
  },
  {
    title: 'Hints, answers and self-distillation',
    when: 'Hard problems that no completion solves, or answers that are known.',
    kinds: {
      'parts of a solution': 'minimal-hint-replace scaffold-decay answer-conditioned refine-inject',
      'the answer itself': 'verifree verifree-loss ref-prob r3',
      'the policy as its own teacher': 'sdpo teacher-credit ssb contrast-explain laser self-score-mix',
      'another model as teacher': 'teacher-kl teacher-samples',
      demonstrations: 'token-weighted-sft world-model-stage reflection-sft observation-nll',
    },
  },
  {
    title: 'Trees, drafts and more samples',
    when: 'More is spent on sampling than on updates.',
    kinds: {
      trees: 'prefix-branch latr mcts segment-tree vsrm',
      drafts: 'draft-refine pdr multi-round-memory',
      'choose among more': 'oversample-select prof',
    },
  },
  {
    title: 'Judges and self-play',
    when: 'The policy judges, proposes or plays in several roles.',
    kinds: {
      'one judge, paid in other ways': 'self-verify recycle-judge self-principle verifier-cotrain prover-verifier',
      'proposes problems': 'proposer-solver',
      'checks itself': 'consistency-check',
    },
  },
  {
    title: 'Rewards, votes and noisy verdicts',
    when: 'Several rewards, no labels, or a verifier that errs.',
    kinds: {
      'join rewards': 'ensemble harmonic dynamic-weights aux-auto-weight constraint-dual agree weaver',
      'reshape one': 'reward-transform win-rate strictness-schedule solved-override',
      'no labels': 'majority cross-majority twin pseudo-label-select trajectory-select',
      'verdicts that err': 'noisy-wrapper noise-backward noise-forward appeal active-audit',
    },
  },
  {
    title: 'Turns and tools',
    when: 'Episodes of several turns, and calls of tools.',
    kinds: {
      'credit turns': 'turn-return tag-advantage role-tags',
      'pay turns by':
        'milestones distance-delta potential-shaping state-match turn-rubric tag-rules macro-actions action-guard',
      'pay calls of tools by': 'tool-score tool-f1 tool-gain',
      'try again, or elsewhere': 'feedback-retry didactic-teacher start-anywhere',
    },
  },
];

/** What measures, and moves no weight. */
export const MEASURES: MethodFamily = {
  title: 'Figures',
  when: 'What a run does, and what its answers are like; none moves a weight.',
  kinds: {
    'of training':
      'm-curriculum m-proxy-gap m-signal m-tries m-cov m-entropy m-interference m-ratio m-forgetting m-grad',
    'of k samples': 'best-of-k maj-k pass-hat-k weighted-maj m-diversity m-cot-pass',
    'of answers':
      'failure-class label-audit m-behaviour m-bias m-calibration m-gen-levels m-length m-process m-search m-selfverify',
    'of episodes': 'm-turn m-env',
  },
};
