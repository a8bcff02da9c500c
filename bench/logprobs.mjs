/**
 * What do the kernels of `rlvr-train/tfjs` save on tfjs-webgpu, at a real vocabulary?
 *
 *   npm run bench -- logprobs [--rows 4096] [--vocabulary 32000] [--width 64] [--repeats 5] [--quick]
 *
 * tokenLogProbs forward and backward, by our two kernels and by tfjs ops, over the same blocks of rows; and what a
 * plain log-softmax of all logits would hold. Memory is what tfjs has allocated on the device by then, ours first: its
 * pool never shrinks.
 */
import * as tf from '@tensorflow/tfjs';
import { openTfjs } from '../build/packages/rlvr-train/node.js';
import { tokenLogProbs } from '../build/packages/tfjs/index.js';
import { describeMachine, machineLine, readFlags, spread, table, writeJson } from './command.mjs';
import { summarize } from './statistics.mjs';

const size = (value) => ({ type: 'string', default: value });
const flags = readFlags({
  repeats: 5,
  quickRepeats: 1,
  further: { rows: size('4096'), vocabulary: size('32000'), width: size('64') },
});
const [rows, vocabulary, width] = [Number(flags.rows), Number(flags.vocabulary), Number(flags.width)];
const machine = describeMachine();
await openTfjs('webgpu');

const hidden = tf.randomNormal([rows, width], 0, 1, 'float32', 1);
const weight = tf.randomNormal([vocabulary, width], 0, 0.1, 'float32', 2);
const targets = Int32Array.from({ length: rows }, (_, i) => (i * 7919) % vocabulary);

/** Seconds of a forward and backward, to the last value on the host. */
async function measure(composed) {
  const start = performance.now();
  const gradients = tf.grads((h, w) => tf.mean(tokenLogProbs(h, w, targets, { composed })))([hidden, weight]);
  const sum = tf.tidy(() => tf.add(tf.sum(tf.abs(gradients[0])), tf.sum(tf.abs(gradients[1]))));
  const [value] = await sum.data();
  tf.dispose([...gradients, sum]);
  return { seconds: (performance.now() - start) / 1000, value };
}

const results = [];
for (const [name, composed] of [
  ['our kernels', false],
  ['tfjs ops', true],
]) {
  await measure(composed); // compiles
  const turns = [];
  for (let i = 0; i < flags.repeats; i++) turns.push(await measure(composed));
  const bytes = tf.memory().numBytesAllocatedInGPU;
  results.push({ name, seconds: summarize(turns.map(({ seconds }) => seconds)), bytes, check: turns[0].value });
}
const [ours, theirs] = results;
if (Math.abs(ours.check / theirs.check - 1) > 1e-3) throw new Error(`gradients of ${ours.check} and ${theirs.check}`);
process.stdout.write(
  `${[
    machineLine(machine),
    `log-probs of ${rows} rows × ${vocabulary} words, width ${width}, forward and backward on tfjs:webgpu`,
    `all logits at once would be ${((rows * vocabulary * 4) / 2 ** 20).toFixed(0)} MiB, and tf.grads of them several times that`,
    '',
    table(
      ['', 'seconds', 'MiB on the device'],
      results.map(({ name, seconds, bytes }) => [name, spread(seconds), (bytes / 2 ** 20).toFixed(0)]),
    ),
  ].join('\n')}\n`,
);
if (flags.json) writeJson(flags.json, 'logprobs', { machine, settings: { rows, vocabulary, width }, results });
process.exit(0); // the device would keep the process alive
