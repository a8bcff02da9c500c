/** What `import` prints and writes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { folderOfFile } from '../../../../test/support/folders.ts';
import { importCommand } from '../../actions/import.ts';

const folder = folderOfFile();
const source = join(folder, 'theirs.yaml');
const CONFIG =
  'model_name_or_path: owner/model\nlearning_rate: 1.0e-6\nuse_vllm: true\nrepetition_penalty: 1.1\nmax_steps: 5\n';

let [out, err] = ['', ''];
afterEach(() => {
  vi.restoreAllMocks();
  [out, err] = ['', ''];
});

async function run(flags: Parameters<typeof importCommand>[1] = {}): Promise<void> {
  writeFileSync(source, CONFIG);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
  await importCommand(source, flags);
}

const OURS = { model_name_or_path: 'owner/model', learning_rate: 1e-6, max_steps: 5 };

it('prints the config alone, to be redirected, and what became of its keys on standard error', async () => {
  await run();
  expect(parse(out)).toEqual(OURS);
  expect(out).toContain('#   line 4  repetition_penalty: refused: it would make sampler and trainer disagree; use');
  expect(err).toMatch(/theirs\.yaml: a config of TRL, 5 keys: 3 kept, 1 no meaning here, 1 refused\n$/);
});

it('writes it to a file, with a line for each key, and replaces none unasked', async () => {
  const output = join(folder, 'ours.yaml');
  await run({ output });
  expect(parse(readFileSync(output, 'utf8'))).toEqual(OURS);
  expect(out).toMatch(/^3 {2}use_vllm: true {2}no meaning here: rollouts run in the same engine/m);
  expect(out).toMatch(/^4 {2}repetition_penalty: 1\.1 {2}refused: it would make/m);
  expect(out).toMatch(/^to do {2}no rows: name a task/m);
  await expect(run({ output })).rejects.toThrow(/ours\.yaml {2}is there already; .* or --force/);
  await run({ output, force: true });
});

it('gives all of it as JSON, and says what it cannot read', async () => {
  await run({ json: true });
  expect(JSON.parse(out)).toMatchObject({
    trainer: 'TRL',
    keys: [{ path: 'model_name_or_path', became: 'kept' }, {}, {}, {}, {}],
  });
  await expect(importCommand(join(folder, 'none.yaml'), {})).rejects.toThrow(/none\.yaml {2}cannot be read \(ENOENT\)/);
  await expect(importCommand(undefined, {})).rejects.toThrow('give a file');
});
