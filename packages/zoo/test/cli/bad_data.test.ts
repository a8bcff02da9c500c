/** What is wrong with data files, conversations, tokenizers and templates: one message each, in one line. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { taskSet } from '../../../../src/data/task_set.ts';
import { RlvrError } from '../../../../src/errors.ts';
import { messageOf } from '../../../../test/cli/called.ts';
import { folderOfFile } from '../../../../test/support/folders.ts';
import { pretrainedCodec } from '../../../models/text/pretrained_codec.ts';
import { openDataset } from '../../data/datasets/dataset.ts';
import { memoryFiles } from '../data/datasets/memory_files.ts';

const folder = folderOfFile();
const golden = (path: string): Uint8Array => readFileSync(new URL(`../../../../test/golden/${path}`, import.meta.url));
const ROW = '{"prompt": "1 + 1", "answer": "2"}\n';
const bytes = (...texts: readonly (string | number)[]): Uint8Array =>
  Uint8Array.from(texts.flatMap((text) => (typeof text === 'number' ? [text] : [...new TextEncoder().encode(text)])));
const turns = (...roles: readonly string[]): string =>
  JSON.stringify({ messages: roles.map((role) => ({ role, content: 'x' })) });

describe('a data file', () => {
  // biome-ignore format: a table
  it.each<[string, string, string | Uint8Array, string]>([
    ['an empty file', 'q.jsonl', '', 'q.jsonl: an empty file; give one with a row a line.'],
    ['half a Parquet', 'q.parquet', golden('data_files/gsm8k.parquet').subarray(0, 700),
      'q.parquet: damaged Parquet (parquet file invalid (footer != PAR1)); write it again.'],
    ['half a gzip', 'q.jsonl.gz', gzipSync(ROW.repeat(99)).subarray(0, 40),
      'q.jsonl.gz: damaged gzip, or a part of one; copy or pack it again.'],
    ['half a Zstandard', 'q.jsonl.zst', golden('data_files/packed.jsonl.zst').subarray(0, 50),
      'q.jsonl.zst: damaged zstd (unexpected EOF); copy or pack it again.'],
    ['half a list', 'q.json', '[\n {"prompt": "1"},\n {"prompt"',
      'q.json:3:11: the file ends within its JSON; copy it whole.'],
    ['half a line', 'q.jsonl', `${ROW}{"prompt": "2 + 2", "ans`,
      'q.jsonl:2:21  a text is not closed; write a row on one line (correct it, or set on_bad_row: skip).'],
    ['a table without rows', 'q.parquet', golden('parquet/empty.parquet'),
      'q.parquet: a table without rows; give one that has some.'],
    ['a NUL byte in a table', 'q.csv', bytes('prompt,answer\na,', 0, '\n'),
      'q.csv: a binary file, with a NUL byte in line 2; rows are read from JSON Lines (.jsonl), JSON, CSV (.csv, .tsv), all also as .gz and .zst, and Parquet.'],
    ['a NUL byte in lines', 'q.jsonl', bytes(ROW, 0, '\n'),
      'q.jsonl: a binary file, with a NUL byte in line 2; rows are read from JSON Lines (.jsonl), JSON, CSV (.csv, .tsv), all also as .gz and .zst, and Parquet.'],
    ['another encoding in a table', 'q.csv', bytes('prompt,answer\na,b\n', 0xe9, ',c\n'),
      'q.csv:3: holds bytes that are no UTF-8; save it as UTF-8; from Windows: iconv -f WINDOWS-1252 -t UTF-8.'],
    ['another encoding in lines', 'q.jsonl', bytes(ROW, '{"prompt": "', 0xe9, '", "answer": "2"}'),
      'q.jsonl:2  holds bytes that are no UTF-8; save the file as UTF-8 (correct it, or set on_bad_row: skip).'],
    ['another encoding in a list', 'q.json', bytes('[\n{"prompt": "', 0xe9, '"}]'),
      'q.json:2: holds bytes that are no UTF-8; save it as UTF-8; from Windows: iconv -f WINDOWS-1252 -t UTF-8.'],
    ['an Arrow file', 'q.arrow', golden('data_files/saved.arrow'),
      "q.arrow: an Arrow file; write it from Python: datasets.load_from_disk(…).to_parquet('rows.parquet')."],
    ['a page of the hub', 'q.jsonl', '<!doctype html>\n<title>Sign in</title>',
      'q.jsonl: a page of HTML, and no rows; download the file itself, whose address on the hub has /resolve/.'],
    ['a pointer of Git LFS', 'q.parquet', 'version https://git-lfs.github.com/spec/v1\noid sha256:0',
      'q.parquet: not the file, but what Git LFS keeps in its place; git lfs pull, or rlvr-train fetch --dataset.'],
    ['a workbook', 'q.xlsx', bytes('PK', 3, 4, 20, 0),
      'q.xlsx: a zip, as .xlsx is, too; unpack it, or save the table as CSV.'],
    ['a wrong column', 'q.jsonl', '{"text": "a", "label": 1}',
      'q.jsonl:1  no column "prompt" (there are text, label) (name the columns of the file by prompt and answer).'],
    ['a misspelled column', 'q.jsonl', '{"promt": "a", "answer": 1}',
      'q.jsonl:1  no column "prompt"; did you mean "promt"? (there are promt, answer) (name the columns of the file by prompt and answer).'],
    ['mixed kinds', 'q.jsonl', `${ROW}{"prompt": 5, "answer": "2"}`,
      'q.jsonl:2  column "prompt": 5 — must be a text that is not empty, or a list of messages (correct it, or set on_bad_row: skip).'],
    ['a missing cell', 'q.csv', 'prompt,answer\na,\n',
      'q.csv:2  column "answer" is null; fill it in, or leave the row out (correct it, or set on_bad_row: skip).'],
    ['another number of cells', 'q.csv', 'prompt,answer\na,b,c\n',
      'q.csv:2  3 cells, and the line of names has 2; quote a cell that holds a separator (correct it, or set on_bad_row: skip).'],
    ['an open quote', 'q.csv', 'prompt,answer\n"a,b\nc,d\n',
      'q.csv:2  a quote is opened and never closed; close it, or double it (correct it, or set on_bad_row: skip).'],
    ['too few rows to hold any out', 'q.jsonl', ROW,
      'q.jsonl: no row to train on; give more rows.'],
    ['a pair of equal sides', 'q.jsonl', '{"prompt": "a", "chosen": "b", "rejected": "b"}',
      'q.jsonl:1  chosen and rejected are the same, "b"; leave the row out (correct it, or set on_bad_row: skip).'],
    ['a pair with an empty side', 'q.jsonl', '{"prompt": "a", "chosen": "b", "rejected": ""}',
      'q.jsonl:1  chosen and rejected must be texts that are not empty, or messages that end with one (correct it, or set on_bad_row: skip).'],
    ['one class of labels', 'q.jsonl', '{"prompt": "a", "completion": "b", "label": true}',
      'q.jsonl: label is true in all of the 1 row, so nothing tells wanted completions from others; give rows of both labels.'],
    ['a conversation that ends with a question', 'q.jsonl', turns('user', 'assistant', 'user'),
      "q.jsonl:1  column \"messages\" ends with a turn of user; end it with the assistant's (correct it, or set on_bad_row: skip)."],
    ['a conversation without a question', 'q.jsonl', turns('system', 'assistant'),
      'q.jsonl:1  column "messages" asks nothing; begin with a turn of user (correct it, or set on_bad_row: skip).'],
    ['an unknown role', 'q.jsonl', turns('user', 'bot'),
      'q.jsonl:1  column "messages": role "bot" — use system, user, assistant, tool (correct it, or set on_bad_row: skip).'],
    ['a turn of a picture', 'q.jsonl', '{"messages": [{"role": "user", "content": [{"type": "image"}]}]}',
      'q.jsonl:1  column "messages": {"type":"image"} — a part of a message must be {"type": "text", "text": "…"} (correct it, or set on_bad_row: skip).'],
    ['an unknown member of a turn', 'q.jsonl', '{"messages": [{"role": "user", "content": "x", "weight": 0}]}',
      'q.jsonl:1  column "messages": a message has "weight" — use role, content, tool_calls, tool_call_id, name, reasoning_content, reasoning, thinking (correct it, or set on_bad_row: skip).'],
    ['no such file', 'none.jsonl', '',
      'none.jsonl: no such file; paths are relative to the config file.'],
  ])('%s', async (_, name, content, message) => {
    const path = join(folder, name);
    if (name !== 'none.jsonl') writeFileSync(path, content);
    const said = (await messageOf(['data', 'show', path])).replaceAll(`${folder}/`, '');
    expect(said).toBe(`data show  ${message}`);
  });
});

const { tokenizers, tokens } = JSON.parse(new TextDecoder().decode(golden('text.json')));
const TEMPLATE = "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% endfor %}";

/** Asks and shows the first row, in the tokens of a model with these files. */
async function shown(
  row: string,
  chatTemplate?: string,
  changed: object = {},
  config: Readonly<Record<string, unknown>> = tokens,
  vocabSize = 512,
): Promise<void> {
  const tokenizer = { ...tokenizers.smollm.tokenizer, ...changed };
  const codec = pretrainedCodec({ tokenizer, config, chatTemplate, eosTokenIds: [], source: 'model' }, { vocabSize });
  const files = memoryFiles({ 'q.jsonl': row, h: ROW.replace('1 + 1', 'held out') });
  const tasks = taskSet(
    [{ task: await openDataset({ train: 'q.jsonl', held_out: 'h' }, { files, codec }), weight: 1 }],
    codec,
  );
  tasks.demonstration(tasks.trainItem(1, 0), 1, 0);
}

describe('a tokenizer or a template', () => {
  const talk = turns('user', 'assistant', 'user', 'assistant');
  const call = '{"role": "user", "content": "x"}, {"role": "assistant", "content": null, "tool_calls": [{}]}';
  const called = `{"messages": [${call}, {"role": "tool", "content": "4"}, {"role": "assistant", "content": "4"}]}`;

  // biome-ignore format: a table
  it.each<[string, () => Promise<void>, string]>([
    ['a tokenizer of another kind', () => shown(ROW, TEMPLATE, { model: { type: 'Words', vocab: {} } }),
      'model: this tokenizer is not read (its model is Words; BPE, WordPiece, WordLevel, Unigram are read).'],
    ['a tokenizer of a larger model', () => shown(ROW, TEMPLATE, {}, tokens, 256),
      "model: the tokenizer's largest id is 419, and the embedding has 256 rows; take the tokenizer of this model."],
    ['a tokenizer without an end', () => shown(ROW, TEMPLATE, {}, {}),
      'model: no token ends an answer; give eos_token_id in generation_config.json, or eos_token in tokenizer_config.json.'],
    ['a template with a mistake', () => shown(ROW, "{% for m in messages %}{{ m['role'] }}"),
      'model: the chat template is not readable: line 1: the for block is not closed.'],
    ['a template that refuses', () => shown(ROW, "{{ raise_exception('roles must alternate') }}"),
      'h:1  model: the chat template failed: roles must alternate; change the messages of the row, or leave it out.'],
    ['a template that writes another turn', () => shown(talk, "{{ messages | length }}{% for m in messages %}{{ m['content'] }}{% endfor %}"),
      'q.jsonl:1  the chat template rewrites what precedes turn 2, so its answers cannot be learned in one pass; give conversations of one answer each, or chat_template_kwargs that keep former turns.'],
    ['a call of a tool without a template', () => shown(called),
      'q.jsonl:1  a message has tool_calls, content, and without a chat template only its text can be written; take a base that has a template, or leave the row out.'],
  ])('%s', async (_, open, message) => {
    const error: unknown = await open().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RlvrError);
    expect((error as RlvrError).message).toBe(message);
  });
});
