/** For each diagnostic a stream that shows what it is about, and nothing else that deserves a word. */
import { Stream, type StreamOptions } from './stream.ts';

export interface Provocation {
  readonly options?: StreamOptions;
  readonly run: (stream: Stream) => unknown;
  /** What its message must mention: figures that were seen, and the key to change. */
  readonly says: readonly RegExp[];
}

const RANDOM = { isPretrained: false, problems: null, answers: null };

const collapsed = { live: 0, allWrong: 32, allRight: 0, correct: 0, reward: 0, highest: 0, paid: 0, spread: 0 };

export const PROVOCATIONS: Readonly<Record<string, Provocation>> = {
  'long-warm-up': {
    options: { keys: { warmup_steps: 200 } },
    run: () => {},
    says: [/200 of the 300 steps/, /warmup_steps to 15/],
  },
  'large-rate': {
    options: { keys: { stage: 'sft', learning_rate: 6e-2 } },
    run: () => {},
    says: [/learning_rate is 0\.06/, /learning_rate to 0\.002 \(now 0\.06\)/],
  },
  'small-rate': {
    options: { keys: { learning_rate: 1e-6 }, facts: RANDOM },
    run: () => {},
    says: [
      /learning_rate is 1e-6, .* 300 steps of Adam move each by 3e-4 at most/,
      /learning_rate to 3e-4 \(now 1e-6\)/,
    ],
  },
  'short-limit': {
    options: {
      keys: { max_completion_length: 4 },
      facts: { ...RANDOM, answers: { limit: 4, cut: 0.6875, longest: 6 } },
    },
    run: () => {},
    says: [/is 4 tokens, .* to 68\.8 % of the problems take more/, /max_completion_length to 6 or more \(now 4\)/],
  },
  'no-reward': {
    run: (stream) => stream.batch({ ...collapsed, rewarded: 0, correct: 0.3 }),
    says: [/no completion has a reward: all 512 got null/, /reward_funcs/],
  },
  'constant-reward': {
    run: (stream) =>
      stream.batch({ live: 0, allRight: 0, allWrong: 0, reward: 0.5, lowest: 0.5, highest: 0.5, paid: 0 }),
    says: [/the reward 0\.5, though 30\.0 % are right/, /reward_funcs to \[accuracy\]/],
  },
  'narrow-rewards': {
    run: (stream) =>
      stream.times(3, () => stream.step({ lowest: 9.9999, highest: 10, reward: 10, spread: 5e-5, paid: 0.5 })),
    says: [/differ by 0\.00005 .* size of 10/, /scale_rewards: group/],
  },
  'nothing-solved': {
    options: { facts: RANDOM },
    run: (stream) => stream.evaluation({ greedy: 0, sampled: 0, once: 0 }),
    says: [/none of \d+ answers to \d+ held-out problems is right: fewer than 0\.\d+ %/, /an sft stage come first/],
  },
  'all-wrong': {
    run: (stream) => stream.batch(collapsed),
    says: [/of the last 512 completions none is right/, /num_generations to 32/],
  },
  'right-refused': {
    run: (stream) =>
      stream.batch({ ...collapsed, refused: { inside: 0.48, exact: 0.48, reason: 'there is no #### near the end' } }),
    says: [/48\.0 % of the last batch are the right answer\. .*no #### near the end/, /with extract or a verify/],
  },
  'policy-lost': {
    run: (stream) => stream.times(10, () => stream.step()).batch(collapsed),
    says: [/though 30\.0 % of those before were/, /learning_rate to 6e-5 \(now 3e-4\) and warmup_steps to 20/],
  },
  memorised: {
    options: { facts: { ...RANDOM, problems: 115 } },
    run: (stream) =>
      stream
        .evaluation({ greedy: 0.2, sampled: 0.2 })
        .times(3, () =>
          stream.batch({ live: 0, allRight: 32, allWrong: 0, correct: 1, reward: 1, lowest: 1, paid: 0 }),
        ),
    says: [
      /is right on training problems, and 20\.0 % \[.*\] are on held-out ones/,
      /more problems, or lower max_steps/,
    ],
  },
  'pays-wrong': {
    options: { keys: { reward_funcs: ['lcs'] } },
    run: (stream) =>
      stream
        .times(5, () => stream.step({ pay: { right: { count: 150, mean: 0.8 }, wrong: { count: 362, mean: 0.5 } } }))
        .times(3, () => stream.step({ pay: { right: { count: 0, mean: 0 }, wrong: { count: 512, mean: 1.1 } } })),
    says: [/not right are paid 1\.1 on average, .* were paid 0\.8/, /reward_funcs names \(now lcs\)/],
  },
  'beta-outweighs': {
    options: { keys: { beta: 2 } },
    run: (stream) => stream.times(12, () => stream.step({}, { kl: 0.03 })),
    says: [/beta \(2\) pulls a token back by 0\.49 .* pushes by 0\.8/, /beta to 0\.1 \(now 2\)/],
  },
  'below-chance': {
    run: (stream) =>
      stream
        .evaluation({ greedy: 0.3, sampled: 0.45, chance: 0.5 })
        .times(150, (_, i) => stream.step({ reward: 0.3 + 0.002 * i }))
        .evaluation({ greedy: 0.33, sampled: 0.47, chance: 0.5 }),
    says: [/after 150 of 300 steps .* 32\.9 % .* guessing reaches 50\.0 %/, /completions\.jsonl/],
  },
  'all-right': {
    run: (stream) =>
      stream.times(3, () =>
        stream.batch({ live: 0, allRight: 32, allWrong: 0, correct: 1, reward: 1, lowest: 1, paid: 0 }),
      ),
    says: [/last 3 batches is right/, /max_steps/],
  },
  'all-dead': {
    run: (stream) =>
      stream.times(3, () => stream.batch({ live: 0, allRight: 9, allWrong: 23, correct: 0.28, spread: 0 })),
    says: [/9 all right, 23 all wrong/, /temperature to 1\.2 \(now 1\), or num_generations to 32 \(now 16\)/],
  },
  'few-live-groups': {
    options: { keys: { dynamic_sampling: { name: 'refill', max_rounds: 2 } } },
    run: (stream) =>
      stream.times(10, () =>
        stream.step({ groups: 90, live: 4, allWrong: 84, allRight: 2, rounds: 3, correct: 0.03, reward: 0.03 }),
      ),
    says: [
      /4\.0 of 90\.0 groups .* after 3\.0 rounds .* meant to have 32/,
      /max_rounds to 4 or num_generations to 32; or lengthen/,
    ],
  },
  'low-solve-rate': {
    run: (stream) =>
      stream.evaluation({ greedy: 0.1, sampled: 0.04 }).step({ correct: 0.05, reward: 0.05, paid: 0.05, live: 14 }),
    says: [/only 5\.0 % .*\(4\.0 % on held-out problems.*\).* 3e-4/, /learning_rate to 2e-5/],
  },
  'wrong-majority': {
    options: { keys: { group_steps: ['majority'] } },
    run: (stream) => stream.times(3, () => stream.step({ reward: 0.7, paid: 0.7, correct: 0.2 })),
    says: [/70\.0 % .* and 20\.0 % are right/, /twin source and cross-majority/],
  },
  'hints-stay': {
    options: { keys: { rollout_strategies: ['hint-resample'] } },
    run: (stream) => stream.times(40, () => stream.step({ helped: 0.8 })),
    says: [/80\.0 % of the groups needed a hint/, /trained: unhinted/],
  },
  'stale-replay': {
    options: { keys: { rollout_strategies: ['success-replay'] } },
    run: (stream) => stream.times(3, () => stream.step({ replayAge: 40 }, { replayMoved: 0.8 })),
    says: [
      /are 40 steps old on average, .* moved by 0\.8 nats/,
      /max_age, or max_staleness of replay-buffer, below 20/,
    ],
  },
  'source-starves': {
    options: { keys: { prompt_source: 'keep-range' } },
    run: (stream) => stream.times(5, () => stream.step({ starved: { source: 'keep-range', share: 0.75 } })),
    says: [/keep-range finds too few problems: 75\.0 % of a batch/, /widen what keep-range takes/],
  },
  'constant-judge': {
    options: { keys: { rollout_strategies: ['self-verify'] } },
    run: (stream) => stream.times(5, () => stream.step({ judge: { said: '<yes>', often: 0.98, right: 0.5 } })),
    says: [/98\.0 % of the verdicts are <yes>, and 50\.0 % of these are right/, /form_share/],
  },
  'reward-collapse': {
    run: (stream) =>
      stream.times(20, () => stream.step()).times(12, () => stream.step({ reward: 0.05, correct: 0.05, paid: 0.05 })),
    says: [/from 0\.3 \(step \d+\) to 0\.\d+/, /learning_rate to 6e-5 \(now 3e-4\)/],
  },
  'no-eos': {
    run: (stream) => stream.step({ truncated: 1, eos: 0, longest: 12 }),
    says: [/cut at 12 tokens; EOS was never sampled/, /max_completion_length to 24/],
  },
  truncated: {
    run: (stream) => stream.times(2, () => stream.step()).times(3, () => stream.step({ truncated: 0.7, longest: 16 })),
    says: [/70\.0 % .* at 16 tokens/, /max_completion_length to 32.*soft_overlong, max_tokens: 16, cache: 4/],
  },
  'entropy-collapse': {
    run: (stream) =>
      stream
        .times(10, () => stream.step())
        .times(12, () => stream.step({ entropy: 0.002, live: 2, allWrong: 21, allRight: 9 })),
    says: [/entropy has collapsed to 0\.\d+ nats per token \(0\.3 at first\)/, /entropy_coef to 0\.01 \(now 0\)/],
  },
  'entropy-explosion': {
    options: { keys: { entropy_coef: 0.1 } },
    run: (stream) =>
      stream
        .times(10, () => stream.step())
        .times(16, (_, i) =>
          stream.step({ entropy: 0.3 + 0.1 * i, reward: 0.3 - 0.012 * i, correct: 0.3 - 0.012 * i }),
        ),
    says: [/entropy rose from 0\.3 nats .* while the reward fell/, /entropy_coef to 0\.033 \(now 0\.1\)/],
  },
  'length-explosion': {
    run: (stream) => stream.times(10, () => stream.step()).times(9, () => stream.step({ meanLength: 40, longest: 60 })),
    says: [/from 12 tokens \(step 5, reward 0\.3\) to \d/, /soft_overlong, max_tokens: 18, cache: 6/],
  },
  'length-collapse': {
    run: (stream) =>
      stream
        .times(10, () => stream.step())
        .times(9, () => stream.step({ meanLength: 2, longest: 3, reward: 0.15, correct: 0.15 })),
    says: [/shrank from 12 tokens .* to \d/, /reward_funcs \(now accuracy\)/],
  },
  duplicates: {
    run: (stream) => stream.times(9, () => stream.step({ variety: 0.05, live: 6, allWrong: 18, allRight: 8 })),
    says: [/1\.8 different ones on average; 30\.0 % are right, 18\.8 % of the groups live/, /entropy_coef/],
  },
  'slow-verifier': {
    run: (stream) => stream.times(10, () => stream.step({ seconds: { verify: 0.6, all: 1.5 } })),
    says: [/40\.0 % of a step: 1\.2 ms per completion/, /reward_funcs \(accuracy\)/],
  },
  'repeated-data': {
    run: (stream) =>
      stream.times(70, (_, i) =>
        stream
          .batch(
            {},
            Array.from({ length: 32 }, (_, j) => String((32 * i + j) % 100)),
          )
          .update(),
      ),
    says: [/about 100 different problems \(\d/, /max_steps \(now 300\)/],
  },
  'gradient-spike': {
    run: (stream) => stream.times(20, () => stream.step()).step({}, { gradNorm: 40 }),
    says: [/norm is 40, 80 times the median of the last 20 steps \(0\.5\)/, /learning_rate to 1\.5e-4 \(now 3e-4\)/],
  },
  'zero-gradient': {
    options: { keys: { mask_truncated_completions: true } },
    run: (stream) => stream.step({}, { gradNorm: 0 }),
    says: [/gradient is exactly 0/, /mask_truncated_completions to false/],
  },
  'sampler-mismatch': {
    run: (stream) => stream.step({}, { maxDifference: 3e-5, meanDifference: 1e-6 }),
    says: [/up to 0\.00003 nats .* up to 1\.00003 instead of 1/, /backend to wasm/],
  },
  'clip-fraction': {
    options: { keys: { num_iterations: 4 } },
    run: (stream) =>
      stream.step().times(3, () => stream.update({ onPolicy: false, clipped: 0.4, meanDifference: 0.3 })),
    says: [/40\.0 % of the tokens are clipped/, /num_iterations to 2 \(now 4\)/],
  },
  'stale-rollouts': {
    options: { keys: { num_iterations: 4 } },
    run: (stream) =>
      stream.step().times(3, () => stream.update({ onPolicy: false, clipped: 0.1, meanDifference: 0.3 })),
    says: [/moves by 0\.3 nats/, /learning_rate to 1\.5e-4 \(now 3e-4\)/],
  },
  'kl-jump': {
    options: { keys: { beta: 0.01 } },
    run: (stream) =>
      stream.times(15, (_, i) => stream.step({}, { kl: 0.001 * i })).times(2, () => stream.step({}, { kl: 0.4 })),
    says: [/jumped from 0\.0\d+ to 0\.4 nats/, /beta to 0\.03 \(now 0\.01\)/],
  },
  'sft-loss-rises': {
    options: { keys: { stage: 'sft' } },
    run: (stream) =>
      stream.times(30, (_, i) => stream.update({ loss: 3 - 0.1 * i })).times(12, () => stream.update({ loss: 2 })),
    says: [/rose from 0\.\d+ to [\d.]+ nats/, /learning_rate to 1e-4 \(now 3e-4\), warmup_steps to 15 \(now 0\)/],
  },
  'held-out-falls': {
    options: { keys: { reward_funcs: ['lcs'] } },
    run: (stream) =>
      stream
        .evaluation({ greedy: 0.5, sampled: 0.4 })
        .times(4, (_, i) =>
          stream.times(5, () => stream.step({ reward: 0.5 + 0.05 * i })).evaluation({ greedy: 0.5, sampled: 0.28 }),
        ),
    says: [
      /from 0\.5 to 0\.6, while held-out .* from 39\.9 % \(step 0\) to 28\.0 %/,
      /reward_funcs to \[accuracy\].*beta to 0\.01/,
    ],
  },
  'held-out-gap': {
    run: (stream) =>
      stream
        .evaluation({ greedy: 0.3, sampled: 0.2 })
        .times(10, (_, i) => stream.batch({ correct: 0.8, reward: 0.8 }, [`${i % 2}`]).update())
        .evaluation({ greedy: 0.4, sampled: 0.4 }),
    says: [
      /80\.0 % .* on training problems, 39\.9 % on held-out ones; each training problem came 5 times/,
      /max_steps \(now 300\)/,
    ],
  },
  sharpening: {
    run: (stream) =>
      stream
        .evaluation({ greedy: 0.6, sampled: 0.2 })
        .times(2, () => stream.times(5, () => stream.step()).evaluation({ greedy: 0.53, sampled: 0.45, pass: 0.7 })),
    says: [/sampled .* from 20\.0 % to 45\.0 %, while greedy .* from 60\.\d % to 53\.\d %/, /entropy_coef to 0\.01/],
  },
  'below-best': {
    run: (stream) =>
      stream
        .evaluation({ greedy: 0.9, sampled: 0.6 })
        .step()
        .evaluation({ greedy: 1, sampled: 0.8 })
        .times(50, () => stream.step())
        .times(2, () => stream.evaluation({ greedy: 0.78, sampled: 0.6 })),
    says: [
      /from 100\.0 % \[99\.3–100\.0\] \(step 1\) to 77\.9 % \[74\.4–81\.1\]\. The 95 % intervals do not meet/,
      /learning_rate to 1e-4 \(now 3e-4\), or beta to 0\.01 \(now 0\); load_best_model_at_end: true .* step 1 /,
    ],
  },
  'at-chance': {
    options: { keys: { reward_funcs: ['positions'] } },
    run: (stream) =>
      stream
        .evaluation({ greedy: 0.1, sampled: 0.09, chance: 0.11 })
        .times(3, () => stream.times(50, () => stream.step()).evaluation({ greedy: 0.1, sampled: 0.1, chance: 0.11 })),
    says: [
      /after 150 of 300 steps .* 10\.0 % \[7\.8–12\.7\] greedy and .* sampled, .* guessing reaches 11\.0 %/,
      /sft stage/,
    ],
  },
  'pass-at-k-falls': {
    run: (stream) =>
      stream
        .evaluation({ greedy: 0.4, sampled: 0.3, pass: 0.7 })
        .times(2, () => stream.times(5, () => stream.step()).evaluation({ greedy: 0.4, sampled: 0.35, pass: 0.5 })),
    says: [/pass@4 fell from 70\.\d % to 50\.\d %/, /learning_rate to 1\.5e-4/],
  },
  plateau: {
    options: { keys: { learning_rate: 1e-6 } },
    run: (stream) =>
      stream
        .evaluation({ greedy: 0.4, sampled: 0.3 })
        .times(5, () => stream.times(5, () => stream.step()).evaluation({ greedy: 0.4, sampled: 0.3 })),
    says: [/since step 0 was better than its 29\.9 %.* \(5 evaluations\)/, /learning_rate to 3e-4 \(now 1e-6\)/],
  },
};

/** What a provocation makes the diagnostics say. */
export function provoke({ options, run }: Provocation, further: Omit<StreamOptions, 'keys'> = {}): Stream {
  const stream = new Stream({ ...options, ...further });
  run(stream);
  return stream;
}
