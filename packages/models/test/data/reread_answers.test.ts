/** Right answers that a tokenizer gives back as another text: its normalizer is NFC, as that of Qwen, or lower case. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type DatasetTask, openDataset } from '../../../zoo/data/datasets/dataset.ts';
import { memoryFiles } from '../../../zoo/test/data/datasets/memory_files.ts';
import { pretrainedCodec } from '../../text/pretrained_codec.ts';

const golden = JSON.parse(readFileSync(new URL('../../../../test/golden/text.json', import.meta.url), 'utf8'));
const COMPOSED = 'caf\u00e9';
const DECOMPOSED = 'cafe\u0301';

function opened(answers: readonly string[], knobs: object = {}, type = 'NFC', isShown = false): Promise<DatasetTask> {
  const tokenizer = { ...golden.tokenizers.smollm.tokenizer, normalizer: { type } };
  const files = { tokenizer, config: golden.tokens, chatTemplate: undefined, eosTokenIds: [], source: 'model' };
  const codec = pretrainedCodec(files, { vocabSize: 512 });
  const rows = answers.map((answer, i) => JSON.stringify({ prompt: `p${i}`, answer }));
  const read = { q: rows.join('\n'), h: '{"prompt": "held", "answer": "out"}' };
  return openDataset(
    { train: 'q', ...(!isShown && { held_out: 'h' }), ...knobs },
    { files: memoryFiles(read), codec, isShown },
  );
}

it('stop the start by their row, and the place where they differ', async () => {
  await expect(opened(['a', COMPOSED, DECOMPOSED])).rejects.toThrow(
    'q:3  what is shown is right as the row has it ("cafe\\u0301") and not as the tokenizer gives it back ("caf\\u00e9"): ',
  );
  await expect(opened(['a', DECOMPOSED])).rejects.toThrow('(write it in NFC with line feeds, or take another verify).');
  await expect(opened(['Ab'], {}, 'Lowercase')).rejects.toThrow('q:1  what is shown is right as the row has it ("Ab")');
});

it('may be left out, and matter only where a verifier sees them and says otherwise', async () => {
  const skipped = await opened(['a', DECOMPOSED], { on_bad_row: 'skip' });
  expect([skipped.trainProblems(), skipped.notes]).toEqual([
    1,
    [expect.stringMatching(/^q: 1 of 2 rows skipped; the first: q:2/)],
  ]);
  const boxed = { extract: 'boxed', answer: 'answer', completion: undefined };
  expect((await opened([`${DECOMPOSED} \\boxed{4}`], boxed)).trainProblems()).toBe(1);
  expect((await opened([DECOMPOSED], {}, 'NFC', true)).trainProblems()).toBe(1);
  expect((await opened(['a', COMPOSED])).trainProblems()).toBe(2);
});
