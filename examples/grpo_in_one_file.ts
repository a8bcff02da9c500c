/**
 * GRPO from top to bottom: sample, verify, compare within a group, step. Start reading here.
 *
 *   node examples/grpo_in_one_file.ts [steps] [seed]     # Node 22.18 or later; before that, npx jiti in place of node
 *
 * A transformer with 100,000 random weights learns to sort four digits, 3142> to 1234, from rewards alone: it is never
 * shown a right answer. Ten seconds on one core take it from 0 % of the held-out problems to 89–99 % (seeds 0 to 9).
 *
 * This is the algorithm that `rlvr-train` runs, without what surrounds it there: configs, checkpoints, logs and a choice
 * of methods. The transformer, its gradients and AdamW come from the package; every decision of GRPO is below.
 */
import {
  createTask,
  generate,
  oneTask,
  Policy,
  packBatch,
  wasmBackend,
  wholeVocabulary,
  writeInitialWeights,
} from 'rlvr-train';

const STEPS = Number(process.argv[2] ?? 300);
const SEED = Number(process.argv[3] ?? 0);

const PROMPTS = 32; // problems in a batch
const GROUP = 16; // completions of each problem, which serve as a baseline for each other
const PASSES = 2; // optimizer steps on a batch; in the second one the policy is no longer the one that sampled it
const TEMPERATURE = 1; // of sampling, and therefore of every log-probability below
const CLIP = 0.2; // how far a token's ratio may move from 1 before the token stops teaching
const BETA = 0; // weight of the KL penalty; above 0, a copy of the initial policy is kept and scored
const ENTROPY = 0.03; // weight of the entropy bonus; without it the worst of ten seeds stops exploring at 53 %
const LEARNING_RATE = 1e-3;
const WARMUP = 20; // optimizer steps: Adam's averages mean little before

// The task: an endless stream of problems, a tokenizer, a verifier, and problems that training never draws. They are held
// out by their answer, so that a policy which remembers answers gains nothing.
const task = oneTask(await createTask({ name: 'sort_digits', digits: 4 }));
const { codec, maxPromptTokens, maxCompletionTokens } = task;
const heldOut = task.heldOutItems();

// The policy: a decoder in the shape of Llama. One engine samples and trains it, so the weights exist once.
const shape = {
  vocabSize: codec.vocabSize,
  hiddenSize: 64,
  intermediateSize: 176,
  numLayers: 2,
  numHeads: 4,
  numKvHeads: 4,
  headDim: 16,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tieWordEmbeddings: true,
  attentionBias: false,
  qkNorm: false,
};
// Its memory is allocated here, once, for the largest batch: a step allocates nothing.
const completionsPerStep = PROMPTS * GROUP;
const tokensPerStep = completionsPerStep * maxCompletionTokens;
const context = maxPromptTokens + maxCompletionTokens;
const capacity = {
  rows: PROMPTS * maxPromptTokens + tokensPerStep, // a prompt is computed once, for its whole group
  lossRows: tokensPerStep,
  groups: PROMPTS,
  completions: completionsPerStep,
  kvRows: completionsPerStep * context, // keys and values while sampling; evaluation has a prompt for each completion
  context,
  training: true,
  keptRows: 0,
  ...(BETA > 0 && { sets: { reference: 'scored' as const } }),
};
const policy = await Policy.open(await wasmBackend(), shape, capacity);
writeInitialWeights(policy, SEED);
if (BETA > 0) await policy.copySet('reference', 'policy');

/** Samples `count` completions of each prompt. A rollout's number keys its random draws, so a seed always gives the same run. */
function sample(prompts: readonly Int32Array[], count: number, firstRollout: number, temperature: number) {
  const requests = prompts.map((prompt, i) => ({
    prompt,
    rolloutNumbers: Array.from({ length: count }, (_, k) => firstRollout + i * count + k),
  }));
  return generate(policy, requests, {
    sampling: wholeVocabulary(temperature), // 0 is greedy; with top-k or top-p the ratio below would be wrong
    samplingKey: [SEED, 0],
    maxCompletionTokens,
    stopIds: codec.stopIds,
    fixedCompletionTokens: task.fixedCompletionTokens,
  });
}

/** Share of the held-out problems whose most likely answer is right. */
async function greedyAccuracy(): Promise<number> {
  const prompts = heldOut.map((item) => task.promptTokens(item));
  const answers = await sample(prompts, 1, 0, 0);
  const right = heldOut.filter((item, i) => {
    const [{ tokens, finishReason }] = answers[i];
    return task.verify(item, codec.decode(tokens), { finishReason }).score === 1;
  });
  return right.length / heldOut.length;
}

const before = await greedyAccuracy();
console.log(`before: ${percent(before)} of ${heldOut.length} held-out problems`);

for (let step = 1; step <= STEPS; step++) {
  // 1. Sample a group of completions for each of the next problems of the endless training stream.
  const items = Array.from({ length: PROMPTS }, (_, i) => task.trainItem(SEED, (step - 1) * PROMPTS + i));
  const prompts = items.map((item) => task.promptTokens(item));
  const groups = await sample(prompts, GROUP, (step - 1) * completionsPerStep, TEMPERATURE);

  // 2. Verify, and reward. A verdict's score is 1 for a right answer and 0 otherwise, and a random policy gives fewer than
  //    one right answer in 10,000. So the reward is the share of positions that are right. Accuracy counts the score alone.
  const rewards = groups.map((group, i) =>
    group.map(({ tokens, finishReason }) => {
      const verdict = task.verify(items[i], codec.decode(tokens), { finishReason });
      return verdict.parts?.positions ?? 0;
    }),
  );

  // 3. Advantages: how much better a completion is than its group, in standard deviations. The group is the baseline, which
  //    saves the value network of PPO. Where all completions earn the same, every advantage is 0 and nothing is learned.
  const advantages = rewards.flatMap((group) => {
    const mean = group.reduce((sum, reward) => sum + reward, 0) / GROUP;
    const variance = group.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / (GROUP - 1);
    return group.map((reward) => (reward - mean) / (Math.sqrt(variance) + 1e-4));
  });

  // 4. Pack everything into one batch without padding. Each sampled token has a loss row: row r belongs to token tokenOf[r]
  //    of completion completionOf[r], counted over all groups.
  const completions = groups.flat();
  const batch = packBatch(prompts.map((prompt, i) => ({ prompt, completions: groups[i].map(({ tokens }) => tokens) })));
  const reference = BETA > 0 ? (await policy.score(batch, TEMPERATURE, 'reference')).logprobs : undefined;

  let clipped = 0;
  let entropy = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    // 5. The loss, averaged over all tokens of the batch, and its derivative by each token's log-probability:
    //
    //      ratio = p / p_old
    //      loss  = −min(ratio·A, clip(ratio, 1 − CLIP, 1 + CLIP)·A) + BETA·KL − ENTROPY·H
    //
    //    p_old is what the sampler reported. Sampler and trainer are the same engine, so the ratio is exactly 1 in the first
    //    pass. Averaging over each completion first would favour short right answers and long wrong ones.
    const scores = await policy.forward(batch, TEMPERATURE);
    const dLogprobs = new Float32Array(batch.lossRowCount);
    const dEntropies = new Float32Array(batch.lossRowCount);
    for (let row = 0; row < batch.lossRowCount; row++) {
      const completion = batch.completionOf[row];
      const advantage = advantages[completion];
      const logprob = scores.logprobs[row];
      const ratio = Math.exp(logprob - completions[completion].logprobs[batch.tokenOf[row]]);
      // Once a token has moved far enough in the direction of its advantage, the minimum is the clipped branch: a constant.
      const isClipped = advantage > 0 ? ratio > 1 + CLIP : ratio < 1 - CLIP;
      let dLoss = isClipped ? 0 : -ratio * advantage; // d ratio / d logprob = ratio
      // The KL of a token is estimated by q/p − log(q/p) − 1, which is never negative; q is the reference's probability.
      if (reference !== undefined) dLoss += BETA * (1 - Math.exp(reference[row] - logprob));
      dLogprobs[row] = dLoss / batch.lossRowCount;
      dEntropies[row] = -ENTROPY / batch.lossRowCount;
      clipped += isClipped ? 1 : 0;
      entropy += scores.entropies[row];
    }

    // 6. Backpropagate to every weight, and take an AdamW step. The learning rate rises in the warm-up and then falls to 0.
    await policy.backward({ logprobs: dLogprobs, entropies: dEntropies });
    const adamStep = (step - 1) * PASSES + pass + 1;
    await policy.optimize({
      learningRate: LEARNING_RATE * Math.min(1, adamStep / WARMUP) * (1 - (adamStep - 1) / (STEPS * PASSES)),
      beta1: 0.9,
      beta2: 0.95,
      adamEps: 1e-8,
      weightDecay: 0,
      maxGradNorm: 1,
      adamStep,
    });
  }

  if (step % 50 === 0 || step === STEPS) {
    const reward = rewards.flat().reduce((sum, value) => sum + value, 0) / completionsPerStep;
    const tokens = PASSES * batch.lossRowCount;
    console.log(
      `step ${step}: reward ${reward.toFixed(3)}, entropy ${(entropy / tokens).toFixed(3)}, clipped ${percent(clipped / tokens)}`,
    );
  }
}

const after = await greedyAccuracy();
console.log(`after:  ${percent(after)}`);
await policy.close();

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
