/** LoRA in the config: TRL's keys and defaults, what they resolve to, and what is refused with its line. */

import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../src/config/dump.ts';
import { ADAPTER_TARGETS } from '../../src/model/adapter.ts';
import { trainedOf } from '../../src/planning/capacity.ts';
import { parseConfig } from '../support/everything.ts';

const HEAD = 'task: countdown\nmax_steps: 3\n';
const LORA = `${HEAD}model_name_or_path: ./base\nuse_peft: true\n`;
const configOf = (text: string) => parseConfig(text, { file: 'run.yaml' }).config;

describe('use_peft', () => {
  it('is an adapter of TRL’s rank and alpha beside all linear layers', () => {
    const config = configOf(LORA);
    expect(config.adapter).toEqual({ rank: 16, alpha: 32, useRslora: false, targets: [...ADAPTER_TARGETS] });
    expect(trainedOf(config)).toEqual({ adapter: { rank: 16, scale: 2, targets: [...ADAPTER_TARGETS] } });
  });

  it('takes rank, alpha, rslora and modules, each once and in the order of a layer', () => {
    const options = 'lora_r: 4\nlora_alpha: 10\nuse_rslora: true\nlora_target_modules: [v_proj, q_proj, v_proj]\n';
    const config = configOf(LORA + options);
    expect(config.adapter).toEqual({ rank: 4, alpha: 10, useRslora: true, targets: ['q_proj', 'v_proj'] });
    expect(trainedOf(config).adapter?.scale).toBe(5);
  });

  it('is read back as it is written out, and without it nothing is', () => {
    for (const text of [LORA, `${LORA}lora_r: 4\nlora_target_modules: [q_proj]\n`]) {
      const config = configOf(text);
      expect(configOf(resolvedYaml(config))).toEqual(config);
    }
    expect(resolvedYaml(configOf(HEAD))).not.toMatch(/lora|peft/);
    expect(trainedOf(configOf(HEAD))).toEqual({});
  });

  it('has magnitudes where use_dora asks for them, and is what it was where nobody does', () => {
    const config = configOf(`${LORA}use_dora: true\n`);
    expect(config.adapter?.useDora).toBe(true);
    expect(trainedOf(config).adapter?.useDora).toBe(true);
    expect(configOf(resolvedYaml(config))).toEqual(config);
    expect(resolvedYaml(configOf(LORA))).not.toContain('dora');
    expect(configOf(`${LORA}use_dora: false\n`)).toEqual(configOf(LORA));
  });

  it.each([
    ['beside random weights', `${HEAD}use_peft: true\n`, 'run.yaml:3  use_peft: true — random weights would stay'],
    [
      'with dropout',
      `${LORA}lora_dropout: 0.05\n`,
      'run.yaml:5  lora_dropout: 0.05 — with dropout in the update alone',
    ],
    ['of rank 0', `${LORA}lora_r: 0\n`, 'run.yaml:5  lora_r: 0 — must be from 1'],
    ['beside the head', `${LORA}lora_target_modules: [lm_head]\n`, 'lm_head — not a module that can have an adapter'],
    ['beside nothing', `${LORA}lora_target_modules: []\n`, 'must be all-linear, or a list of q_proj'],
    ['beside a word', `${LORA}lora_target_modules: everything\n`, 'must be all-linear, or a list of q_proj'],
  ])('%s is refused', (_, text, message) => {
    expect(() => configOf(text)).toThrow(message);
  });
});

describe('without use_peft', () => {
  it('the defaults that TRL writes out are accepted', () => {
    const defaults = 'use_peft: false\nlora_r: 16\nlora_alpha: 32\nlora_dropout: 0.05\nlora_target_modules: null\n';
    expect(configOf(HEAD + defaults)).toEqual(configOf(HEAD));
  });

  it.each([
    'lora_r: 8',
    'lora_alpha: 16',
    'use_rslora: true',
    'use_dora: true',
    'lora_target_modules: [q_proj]',
    'lora_dropout: 0.1',
  ])('%s is refused: no one would read it', (line) => {
    expect(() => configOf(`${HEAD}${line}\n`)).toThrow(`run.yaml:3  ${line.split(':')[0]}: `);
    expect(() => configOf(`${HEAD}${line}\n`)).toThrow('add use_peft: true, or leave it out');
  });
});
