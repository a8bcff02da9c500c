/** What this package says of texts, for programs that open its exports. */
import { recordedCompletions, toScore } from '../build/packages/commands/runs/export_completions.js';
import { openGiven } from '../build/packages/commands/runs/give_away.js';
import { scoreCompletions } from '../build/packages/models/run/model/rescore.js';
import { wasmBackend } from '../build/packages/rlvr-train/index.js';

/** Asked, and answered. */
const TEXTS = [
  ['What is the capital of Japan?', 'The capital of Japan is Tokyo.'],
  ['Write a haiku about rain.', 'Soft rain on the roof,\nthe garden drinks in silence;\na frog clears its throat.'],
  ['What is 17 + 25?', '17 + 25 = 42.'],
  ['Name three colours.', 'Red, green and blue.'],
  ['Who wrote Hamlet?', 'William Shakespeare wrote Hamlet around 1600.'],
  ['Say hello in French.', 'Bonjour! Ça va ?'],
  ['What do bees make?', 'Bees make honey and wax.'],
  ['How many legs has a spider?', 'A spider has eight legs.'],
  ['Explain gravity in one sentence.', 'Gravity is the force by which masses attract each other.'],
  ['List two prime numbers.', '2 and 3.'],
  ['Translate "cat" to Spanish.', '"Cat" is "gato" in Spanish.'],
  ['What is H2O?', 'H2O is water: two atoms of hydrogen and one of oxygen.'],
  ['Spell the word "house" backwards.', 'e-s-u-o-h'],
  ['Is the sun a star?', 'Yes, the sun is a star.'],
  ['What comes after Tuesday?', 'Wednesday comes after Tuesday.'],
  ['Sort these numbers in ascending order: 9, 2, 5.', '2, 5, 9'],
];

/**
 * Those of a run, else questions with answers as the model's template writes them.
 *
 * @param path  a run, a folder, an adapter or a .gguf file
 * @returns texts in tokens, and what is said of the tokens after their prefixes: log-probs at temperature 1, the likeliest
 */
export async function scoredTexts(path, threads) {
  const pretrained = await openGiven(path, undefined);
  const { codec } = pretrained;
  const recorded = await recordedCompletions(path, codec, TEXTS.length);
  const given = recorded.length > 0 ? recorded : TEXTS.map(([question, text]) => toScore(codec, question, text));
  const texts = given.map(({ prefix, tokens }) => ({ prefix, tokens, text: codec.decode([...prefix, ...tokens]) }));
  return { texts, scores: await scoreCompletions(await wasmBackend({ threads }), pretrained, given) };
}
