/** Mistakes that people who tried the command made: each is answered in words, with what to type instead. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../test/cli/called.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';

const BASE = `task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1}
max_steps: 2
`;

const FILES: Readonly<Record<string, string>> = {
  'my.yaml': BASE,
  'broken.gguf': 'GGUF and nothing else',
  'rewards.py': 'def f(): return 1\n',
  'rows.csv': 'question,answer\n"open,1\n',
  'verl.yaml': `${BASE}data: {train_files: a.parquet}\n`,
  'axolotl.yaml': `${BASE}base_model: Qwen/Qwen3-0.6B\n`,
  'unsloth.yaml': `${BASE}max_seq_length: 512\n`,
  'indent.yaml': 'task:\n  name: sort_digits\n   digits: 3\n',
  'tab.yaml': 'task:\n\tname: sort_digits\n',
  'twice.yaml': `${BASE}max_steps: 3\n`,
  'open.yaml': `${BASE}reward_funcs: [accuracy\n`,
  'empty.yaml': '',
  'list.yaml': '- 1\n',
};
const train = (...words: string[]): string[] => ['my.yaml', '--dry-run', ...words];
const set = (assignment: string): string[] => train('--set', assignment);

// biome-ignore format: a table
const MISTAKES: readonly (readonly [words: readonly string[], says: string])[] = [
  // Commands and their words.
  [['trian'], 'did you mean "train"?'],
  [['evla', '--samples', '2'], 'did you mean "eval"?'],
  [['smaple'], 'did you mean "sample"?'],
  [['sort-digit'], 'did you mean "sort-digits"?'],
  [['tranform'], 'rlvr-train --help lists the commands'],
  [['train', 'nothere.yaml'], 'no such file'],
  [['my.yaml', 'empty.yaml'], 'one config'],
  [['resume'], 'use --resume'],
  [['--confg', 'my.yaml'], 'did you mean --config?'],
  [['my.yaml', '--lr', '1e-3'], "unknown option '--lr'"],
  [['my.yaml', '--learning_rate', '1e-3'], 'use --set learning_rate=VALUE'],
  [['my.yaml', '--seed', 'x'], 'whole number of 0 or more'],
  [['my.yaml', '--seed', '1', '--seed', '2'], 'given twice'],
  [['my.yaml', '--json', '--quiet'], 'cannot be used with'],
  [['my.yaml', '--resume', '--output', 'nowhere'], 'holds no run to resume'],
  [['eval'], 'which run?'],
  [['eval', 'nowhere'], 'holds no run'],
  [['eval', 'my.yaml'], 'holds no run'],
  [['eval', '--run', 'a', 'b'], 'leave it out'],
  [['sample', '3 7 2 = 13 ?'], 'the run comes before the prompts'],
  [['sample', 'nowhere', '-t', 'hot'], 'use a number of 0 or more'],
  [['sample', 'broken.gguf', 'hello'], 'broken.gguf'],
  [['report'], 'which run?'],
  [['report', 'nowhere'], 'nowhere'],
  [['advise', 'empty'], 'holds no run'],
  [['compare', 'runs/a'], 'give another run'],
  [['export', 'nowhere', '-o', 'x.gguf'], 'nowhere'],
  [['export', 'nowhere'], '--output'],
  [['configs', 'cp', 'countdwon'], 'did you mean "countdown"?'],
  [['configs', 'show'], 'configs ls lists them'],
  [['show', 'cuntdown'], 'did you mean "countdown"?'],
  [['explain', 'learnig_rate'], 'did you mean "learning_rate"?'],
  [['explain', 'Sudoku'], 'mini_sudoku'],
  [['methods', 'show', 'cipso'], 'did you mean "cispo"?'],
  [['tasks', 'show', 'gdc'], 'tasks ls has them all'],
  [['rewards', 'check', 'rewards.py'], 'rewards.py'],
  [['completion', 'powershell'], 'use one of bash, zsh, fish'],
  [['data', 'show', 'rows.csv'], 'rows.csv'],
  [['worker'], '--fleet'],
  [['train', 'empty'], 'empty'],
  // Configs.
  [['indent.yaml'], 'line 3 is indented'],
  [['tab.yaml'], 'tab.yaml:2'],
  [['twice.yaml'], 'max_steps'],
  [['open.yaml'], 'open.yaml'],
  [['empty.yaml'], 'empty.yaml'],
  [['list.yaml'], 'list.yaml'],
  [['verl.yaml'], 'verl has this section'],
  [['axolotl.yaml'], 'model_name_or_path'],
  [['unsloth.yaml'], 'max_completion_length'],
  [set('epochs=3'), 'num_train_epochs'],
  [set('system_prompt=hi'), 'task: {name: …, system: …}'],
  [set('num_generations=1'), 'num_generations'],
  [set('generation_batch_size=30'), 'generation_batch_size'],
  [set('max_steps=-5'), 'max_steps'],
  [set('use_peft=yes'), 'use_peft'],
  [set('reward_funcs=[acuracy]'), 'accuracy'],
  [set('reward_funcs=[rewards.py]'), 'rewards.py'],
  [set('task=sort_digitz'), 'sort_digits'],
  [set('model_name_or_path=Qwen/Qwen-none'), 'Qwen/Qwen-none'],
  [set('model_name_or_path=empty'), 'empty'],
  [train('--backend', 'cuda'), 'not a backend'],
  [['my.yaml', '--output', '/'], 'the root of a disk'],
];

describe('a typed mistake', () => {
  eachInOwnFolder();

  it.each(MISTAKES.map(([words, says]) => [words.join(' '), words, says] as const))('%s', async (_, words, says) => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(name, text);
    mkdirSync('empty');
    const message = await messageOf(words);
    expect(message).toContain(says);
    expect(message).not.toMatch(/^ +at /m);
    expect(message).toMatch(/[.?)]$/);
  });
});
