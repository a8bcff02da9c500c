import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listCommand, referencePage } from '../../src/cli/list.ts';
import { type Catalogue, catalogue } from '../../src/config/catalogue.ts';
import { registeredTasks } from '../../src/data/registry.ts';
import { METHODS } from '../../src/methods/registry.ts';
import { builtInRewards } from '../../src/rewards/built_in.ts';

function listed(name?: string, options: Parameters<typeof listCommand>[1] = {}): string {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  listCommand(name, options);
  return text;
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('the list names every task, reward and method, and each of their options', () => {
  const { tasks, rewards, methods } = catalogue();
  expect(tasks.map(({ name }) => name)).toEqual(Object.keys(registeredTasks));
  expect(rewards.map(({ name }) => name)).toEqual(Object.keys(builtInRewards));
  expect(methods.map(({ name }) => name)).toEqual(Object.values(METHODS).flatMap((own) => own.map(({ id }) => id)));
  const page = referencePage();
  for (const { name, options } of [...tasks, ...rewards, ...methods]) {
    expect(page).toContain(`### ${name}\n`);
    for (const option of options) expect(page).toContain(`| \`${option.name}\` |`);
  }
});

it('docs/reference.md is that of the definitions', () => {
  expect(readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8')).toBe(referencePage());
});

describe('rlvr-train list', () => {
  it('shows one entry with its options, what they take and their defaults', () => {
    const text = listed('countdown');
    expect(text).toContain('numbers  How many numbers. (2 to 4; default 3)');
    expect(text).toContain('train_max_number');
    expect(text).toContain('may be left out');
    expect(text).toContain('levels: 0 {numbers: 2}; 1 the defaults; 2 {numbers: 4}');
    expect(text).not.toContain('sort_digits');
  });

  it('shows all names without their options, or one group with them', () => {
    expect(listed()).toContain('soft_overlong');
    expect(listed()).not.toContain('max_tokens  ');
    expect(listed('rewards')).toContain("max_tokens  TRL's max_completion_len");
  });

  it('gives the same as JSON', () => {
    expect(JSON.parse(listed(undefined, { json: true })) as Catalogue).toEqual(JSON.parse(JSON.stringify(catalogue())));
  });

  it('refuses another name with the nearest one', () => {
    expect(() => listed('contdown')).toThrow('contdown — no such task, reward or method; did you mean "countdown"?');
  });
});
