/** An adapter from the command line: trained, killed and resumed, evaluated, asked, merged, gone on with. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smallPretrainedFiles } from '../../../models/test/support/small_pretrained.ts';
import { commandLine, readMetrics, readSummary, temporaryFolder } from './command_line.ts';

const folder = temporaryFolder();
const at = (path: string): string => join(folder.path, path);

/** A random model is never right: letters are what it is paid for. */
const REWARD = `export default {
  name: 'letters',
  score: ({ completions }) => completions.map((text) => text.replace(/[^a-z]/gi, '').length),
};
`;

const CONFIG = `model_name_or_path: ./base
use_peft: true
lora_r: 4
task: {name: sort_digits, digits: 2, examples: 1}
max_completion_length: 4
num_generations: 4
generation_batch_size: 16
learning_rate: 1.0e-2
beta: 0.01
max_steps: 20
eval_strategy: 'no'
num_generations_eval: 1
reward_funcs: [./letters.mjs]
save_seconds: 0.2
threads: 1
`;

async function succeed(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await commandLine(words, undefined, { cwd: folder.path });
  expect(stderr.replace(/^runs code from .*\n/gm, ''), words.join(' ')).toBe('');
  expect(code, words.join(' ')).toBe(0);
  return stdout;
}

beforeAll(async () => {
  const base = await smallPretrainedFiles();
  mkdirSync(at('base'));
  for (const name of await base.list('base')) {
    writeFileSync(at(`base/${name}`), (await base.read(`base/${name}`)) as Uint8Array);
  }
  writeFileSync(at('letters.mjs'), REWARD);
  writeFileSync(at('lora.yaml'), CONFIG);
  await succeed('--config', 'lora.yaml', '--output', 'runs/whole');
}, 120_000);

afterAll(() => folder.remove());

describe('a run of an adapter', () => {
  it('that was killed and resumed has the adapter of one that was not', async () => {
    const words = ['--config', 'lora.yaml', '--output', 'runs/killed', '--json'];
    const when = /"event":"checkpoint"/;
    const killed = await commandLine(words, { signal: 'SIGKILL', when }, { cwd: folder.path });
    expect(killed.signal).toBe('SIGKILL');
    const checkpoints = at('runs/killed/checkpoints');
    expect(existsSync(checkpoints)).toBe(true);
    const [newest] = readdirSync(checkpoints).filter((name) => !name.startsWith('.'));
    expect(statSync(join(checkpoints, newest as string, 'weights.safetensors')).size).toBeLessThan(
      statSync(at('base/model.safetensors')).size / 2,
    );
    await succeed('--resume', '--output', 'runs/killed');
    expect(readSummary(at('runs/killed')).weightsSha256).toBe(readSummary(at('runs/whole')).weightsSha256);
    expect(readMetrics(at('runs/killed'))).toEqual(readMetrics(at('runs/whole')));
    expect(readFileSync(at('runs/killed/model/adapter_model.safetensors'))).toEqual(
      readFileSync(at('runs/whole/model/adapter_model.safetensors')),
    );
  }, 120_000);

  it('is evaluated, asked, reported and listed', async () => {
    const own = JSON.parse(await succeed('eval', '--run', 'runs/whole', '--samples', '1', '--json'));
    expect(own).toMatchObject({ eval_accuracy: expect.any(Number) });
    expect(await succeed('sample', '--run', 'runs/whole', 'Sort the digits of 31.')).toContain('31');
    expect(await succeed('sample', '--model', 'runs/whole', '--max-tokens', '4', 'hello')).toContain('hello');
    await succeed('report', '--run', 'runs/whole');
    expect(await succeed('runs', 'ls')).toMatch(/whole +sort_digits/);
  }, 120_000);

  it('is merged into a model that says the same', async () => {
    await succeed('merge', 'runs/whole', '--output', 'merged');
    const ask = (model: string) => succeed('sample', '--model', model, '--max-tokens', '4', '--json', 'hello');
    expect(await ask('merged')).toBe(await ask('runs/whole'));
    expect(readFileSync(at('merged/tokenizer.json'))).toEqual(readFileSync(at('base/tokenizer.json')));
  }, 120_000);

  it('goes on in another run, by its folder alone', async () => {
    const config = CONFIG.replace('./base', './runs/whole')
      .replace(/use_peft.*\nlora_r.*\n/, '')
      .replace('max_steps: 20', 'max_steps: 2');
    writeFileSync(at('more.yaml'), config);
    await succeed('--config', 'more.yaml', '--output', 'runs/more');
    const files = (run: string) => JSON.parse(readFileSync(at(`runs/${run}/model/adapter_config.json`), 'utf8'));
    expect(files('more')).toEqual(files('whole'));
    expect(readSummary(at('runs/more')).weightsSha256).not.toBe(readSummary(at('runs/whole')).weightsSha256);
  }, 120_000);

  it('is refused beside another base, by eval and by a resume', async () => {
    cpSync(at('runs/whole'), at('runs/other'), { recursive: true });
    const weights = readFileSync(at('base/model.safetensors'));
    const other = Buffer.from(weights);
    other[other.length - 4] = 255 - (other.at(-4) ?? 0); // the lowest byte of the last weight
    writeFileSync(at('base/model.safetensors'), other);
    const refused = await commandLine(['eval', '--run', 'runs/other'], undefined, { cwd: folder.path });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/changed since this run was trained: model\.safetensors \(SHA-256 \w{8} → \w{8}\)/);
    const resumed = await commandLine(['--resume', '--output', 'runs/other'], undefined, { cwd: folder.path });
    expect(resumed.code).toBe(1);
    expect(resumed.stderr).toContain('model.safetensors of the model that it began with has changed');
    writeFileSync(at('base/model.safetensors'), weights);
  }, 120_000);
});
