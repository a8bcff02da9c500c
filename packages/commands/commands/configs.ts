/** `rlvr-train configs ls` and `configs cp NAME [FILE]`: the configs of the package. */

import { command } from '../../../src/cli/flags/command.ts';
import { toggle } from '../../../src/cli/flags/flag.ts';
import { ConfigError } from '../../../src/errors.ts';

export const CONFIGS = command({
  name: 'configs',
  does: 'the shipped configs',
  usage: 'ls | cp <name> [file]',
  inner: [
    command({
      name: 'ls',
      isDefault: true,
      does: 'what each teaches, and how long it takes',
      explainsWords: true,
      flags: { json: toggle('print them as JSON') },
      async run([word], flags) {
        if (word === undefined) return (await import('../actions/configs.ts')).listConfigs(flags);
        const remedy = 'configs ls lists them, configs cp NAME copies one';
        throw new ConfigError('unknown-command', `configs ${word} — no such command; ${remedy}.`, { word });
      },
    }),
    command({
      name: 'cp',
      does: 'copy one, to change it',
      words: [{ syntax: '<name>' }, { syntax: '[file]', text: 'default: <name>.yaml in this directory' }],
      flags: { force: toggle('replace the file if it is there') },
      run: async ([name, file], flags) => (await import('../actions/configs.ts')).copyConfig(name, file, flags),
    }),
  ],
  examples: [
    { words: 'configs ls', does: 'the shipped configs' },
    { words: 'configs cp sort-digits mine.yaml', does: 'a copy to edit; then: train mine.yaml' },
  ],
});
