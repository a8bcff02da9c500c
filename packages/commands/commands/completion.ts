import { command } from '../../../src/cli/flags/command.ts';
import { ConfigError } from '../../../src/errors.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const COMPLETION = command({
  name: 'completion',
  does: 'print the completion of commands, flags and names for a shell',
  usage: 'bash|zsh|fish',
  words: [{ syntax: '<shell>', text: SHELLS.join(', ') }],
  examples: [
    { words: 'completion bash > rlvr-train.bash', does: 'then: source rlvr-train.bash (zsh likewise)' },
    { words: 'completion fish > rlvr-train.fish', does: 'belongs in ~/.config/fish/completions' },
  ],
  async run([word], _, all) {
    const shell = SHELLS.find((name) => name === word);
    if (shell !== undefined) return (await import('../actions/completion.ts')).printCompletion(shell, all);
    throw new ConfigError('unknown-shell', `${word} — no such shell here; use one of ${SHELLS.join(', ')}.`, { word });
  },
});
