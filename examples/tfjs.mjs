/**
 * GRPO on a policy of your own, written in TensorFlow.js: two dense layers learn to sort three digits, with the
 * trainer's task, verifier, advantages and objective.
 *
 *   npm install rlvr-train @tensorflow/tfjs@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0
 *   node examples/tfjs.mjs [steps]
 */
import * as tf from '@tensorflow/tfjs';
import '@tensorflow/tfjs-backend-wasm';
import { createTask, oneTask } from 'rlvr-train/tasks';
import { clippedObjective, groupAdvantages, tokenLogProbs } from 'rlvr-train/tfjs';

const steps = Number(process.argv[2] ?? 300);
const DIGITS = 3;
const PROMPTS = 32;
const GROUP = 8; // completions of each prompt
const HIDDEN = 128;

/** Tokens that were drawn, which seed the next: each run learns the same. */
let draws = 0;

await tf.setBackend('wasm');
const task = oneTask(await createTask({ name: 'sort_digits', digits: DIGITS }));
const vocabulary = task.codec.vocabSize;

// The policy: the prompt and the tokens so far as one-hot vectors, one hidden layer, a head. A head of zeros makes
// the first policy uniform.
const inputs = (DIGITS + DIGITS - 1) * (vocabulary + 1);
const policy = {
  layer: tf.variable(tf.randomNormal([inputs, HIDDEN], 0, Math.sqrt(2 / DIGITS), 'float32', 1)),
  head: tf.variable(tf.zeros([vocabulary, HIDDEN])),
};
const optimizer = tf.train.adam(3e-3);

/** [sequences, HIDDEN] of sequences that are padded to one length; id `vocabulary` stands for no token yet. */
function hidden(sequences) {
  const ids = tf.tensor2d(sequences, [sequences.length, DIGITS + DIGITS - 1], 'int32');
  const oneHot = tf.reshape(tf.cast(tf.oneHot(ids, vocabulary + 1), 'float32'), [sequences.length, inputs]);
  return tf.relu(tf.matMul(oneHot, policy.layer));
}

/** The prompt's digits, the first `length` tokens of the completion, and padding. */
function context(prompt, completion, length) {
  const seen = [...prompt.slice(0, DIGITS), ...completion.slice(0, length)];
  return [...seen, ...Array(DIGITS + DIGITS - 1 - seen.length).fill(vocabulary)];
}

/** One completion a prompt, a token at a time. */
async function rollout(prompts) {
  const completions = prompts.map(() => []);
  for (let position = 0; position < DIGITS; position++) {
    const drawn = tf.tidy(() => {
      const states = hidden(prompts.map((prompt, i) => context(prompt, completions[i], position)));
      return tf.multinomial(tf.matMul(states, policy.head, false, true), 1, ++draws);
    });
    const tokens = await drawn.data();
    drawn.dispose();
    completions.forEach((completion, i) => completion.push(tokens[i]));
  }
  return completions;
}

for (let step = 1; step <= steps; step++) {
  const items = Array.from({ length: PROMPTS }, (_, i) => task.trainItem(0, step * PROMPTS + i));
  const groups = items.flatMap((item) => Array(GROUP).fill(item));
  const prompts = groups.map((item) => [...task.promptTokens(item)]);
  const completions = await rollout(prompts);
  const verdicts = groups.map((item, i) =>
    task.verify(item, task.codec.decode(completions[i]), { finishReason: 'length' }),
  );
  const rewards = verdicts.map((verdict) => verdict.parts.positions);

  const loss = tf.tidy(() => {
    const advantages = groupAdvantages(tf.tensor1d(rewards), GROUP);
    const ofTokens = tf.reshape(tf.tile(tf.expandDims(advantages, 1), [1, DIGITS]), [-1]);
    const states = completions.flatMap((completion, i) =>
      completion.map((_, position) => context(prompts[i], completion, position)),
    );
    return optimizer.minimize(() => {
      const logprobs = tokenLogProbs(hidden(states), policy.head, completions.flat());
      // One update a batch: the policy that sampled is the one that learns, so its log-probs are these, held fixed.
      const sampled = tf.tensor1d(logprobs.dataSync());
      return tf.mean(clippedObjective(logprobs, sampled, ofTokens));
    }, true);
  });
  loss.dispose();

  if (step % 50 === 0 || step === steps) {
    const solved = verdicts.filter(({ score }) => score === 1).length / verdicts.length;
    console.log(
      `step ${step}: ${(100 * solved).toFixed(0)} % of the samples sorted, ${tf.memory().numTensors} tensors`,
    );
  }
}
