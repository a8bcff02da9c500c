import { command } from '../../../src/cli/flags/command.ts';

export const SCHEMA = command({
  name: 'schema',
  does: 'print the JSON Schema of a config, for editors',
  examples: [{ words: 'schema', does: 'the JSON Schema of a config' }],
  run: async () => (await import('../actions/schema.ts')).schemaCommand(),
});
