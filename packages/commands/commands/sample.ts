/** `rlvr-train sample RUN [PROMPT…]`: ask a trained policy, with prompts from the command, a pipe or a keyboard. */

import { THREADS } from '../../../src/cli/commands/train.ts';
import { command } from '../../../src/cli/flags/command.ts';
import { type Flag, integer, text, toggle, withDefault } from '../../../src/cli/flags/flag.ts';
import { MOST_SAMPLES } from '../../../src/config/keys/limits.ts';
import { askedPolicy } from './required_run.ts';
import { ADAPTER, ASKED_WORD, MODEL_TEXT, RUN, TRUST, USE_ANYWAY } from './shared_flags.ts';

const TEMPERATURE: Flag<number> = {
  text: 'sampling temperature; 0 is greedy',
  value: '<number>',
  rule: 'number of 0 or more',
  letter: 't',
  read(given) {
    const value = Number(given);
    if (given.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
    throw new RangeError('use a number of 0 or more; 0 is greedy');
  },
};

export const SAMPLE = command({
  name: 'sample',
  does: 'ask a trained policy: prompts as arguments, line by line from a pipe, or typed',
  usage: 'RUN [prompt...] [options], or MODEL prompt...',
  words: [
    ASKED_WORD,
    {
      syntax: '[prompt...]',
      text: 'prompts, one each; - reads standard input; default: some held-out problems',
    },
  ],
  flags: {
    run: RUN,
    model: text('<path>', MODEL_TEXT, { excludes: ['run', 'force', 'trust'] }),
    adapter: ADAPTER,
    maxTokens: integer('<number>', 'most tokens of an answer of --model', { min: 1, max: 1_000_000, otherwise: '256' }),
    samples: withDefault(integer('<number>', 'completions per prompt', { min: 1, max: MOST_SAMPLES, letter: 'n' }), 1),
    temperature: withDefault(TEMPERATURE, 0),
    seed: withDefault(integer('<number>', 'seed of the random draws', { min: 0 }), 0),
    force: USE_ANYWAY,
    threads: THREADS,
    trust: TRUST,
    interactive: toggle('answer what is typed, until Ctrl-D', {
      letter: 'i',
      otherwise: 'on a terminal without prompts',
    }),
    json: toggle('one JSON object per completion', { excludes: ['interactive'] }),
  },
  examples: [
    { words: 'sample runs/countdown', does: 'held-out problems, with verdicts; then yours, as typed' },
    { words: 'sample runs/countdown "3 7 2 = 13 ?"', does: 'your own, one per argument' },
    { pipe: 'cat prompts.txt', words: 'sample runs/countdown --json', does: 'a JSON object per completion' },
  ],
  async run(prompts, flags) {
    const { kind, path, words } = askedPolicy(prompts, flags);
    if (kind === 'model') {
      const { sampleModelCommand } = await import('../actions/sample_model.ts');
      return sampleModelCommand(words, { ...flags, model: path });
    }
    const { sampleCommand } = await import('../actions/sample.ts');
    return sampleCommand(words, { ...flags, run: path });
  },
});
