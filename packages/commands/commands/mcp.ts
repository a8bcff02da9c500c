import { command } from '../../../src/cli/flags/command.ts';
import { text } from '../../../src/cli/flags/flag.ts';
import { refuseWords } from '../../../src/cli/mistaken_words.ts';

export const MCP = command({
  name: 'mcp',
  does: 'tools for coding agents, over the Model Context Protocol on standard input and output',
  explainsWords: true,
  flags: {
    folder: text('<directory>', 'where configs are read and runs are written, and nowhere else', {
      otherwise: 'where it is started',
    }),
  },
  examples: [
    { words: 'mcp', does: 'as an agent starts it, for the runs of this folder' },
    { words: 'mcp --folder experiments', does: 'for those of another' },
  ],
  async run(words, flags, all) {
    refuseWords(words, all);
    await (await import('../actions/mcp.ts')).mcpCommand(flags);
  },
});
