import { command } from '../../../src/cli/flags/command.ts';

export const SCHEMA = command({
  name: 'schema',
  does: 'print the JSON Schema of a config, for editors',
  examples: [
    { words: 'schema', does: 'the JSON Schema of a config' },
    { words: 'schema > rlvr-train.schema.json', does: 'the same in a file, for an editor' },
  ],
  run: async () => (await import('../actions/schema.ts')).schemaCommand(),
});
