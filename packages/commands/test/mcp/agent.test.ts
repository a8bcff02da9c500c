/** A scripted agent trains sort_digits from nothing, by the client of the official SDK and the lines of docs/serve.md. `.ci/run mcp` installs the SDK. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blockOf } from '../../../../test/support/page_blocks.ts';
import { AGENT_TOOLS } from '../../mcp/tools.ts';
import { PROGRAM, temporaryFolder } from '../e2e/command_line.ts';

interface Client {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<{
    readonly content: readonly { readonly text: string }[];
    readonly isError?: boolean;
  }>;
  close(): Promise<void>;
}

const SDK = '@modelcontextprotocol/sdk/client';
const folder = temporaryFolder();
let client: Client;

beforeAll(async () => {
  const { Client: Open } = (await import(`${SDK}/index.js`)) as { Client: new (info: object) => Client };
  const { StdioClientTransport } = (await import(`${SDK}/stdio.js`)) as {
    StdioClientTransport: new (server: object) => object;
  };
  const { mcpServers } = JSON.parse(blockOf('docs/serve.md', '{ "mcpServers"')) as {
    mcpServers: Record<string, { command: string; args: string[] }>;
  };
  const [, name, ...words] = mcpServers['rlvr-train'].args;
  expect(name).toBe('rlvr-train');
  client = new Open({ name: 'scripted', version: '1' });
  const started = { command: process.execPath, args: [PROGRAM, ...words], cwd: folder.path };
  await client.connect(new StdioClientTransport(started));
});
afterAll(async () => {
  await client.close();
  folder.remove();
});

async function call(name: string, given: object = {}): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: given });
  expect(isError, content[0].text).toBeUndefined();
  return content[0].text;
}

async function finished(run: string): Promise<void> {
  while (JSON.parse(await call('status', { run, wait_seconds: 30 })).state !== 'finished');
}

it('begins with lists and words, checks a config, trains it, and asks what it learned', async () => {
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(Object.keys(AGENT_TOOLS));
  expect(await call('list', { kind: 'configs' })).toContain('sort-digits');
  expect(await call('list', { kind: 'runs' })).toBe('[]');
  expect(await call('explain', { name: 'sort_digits' })).toContain('Sort digits');
  const config = { config: 'sort-digits', set: ['model.hidden_size=16', 'eval_samples=64'], max_steps: 4 };
  expect(await call('check_config', { config: config.config, set: config.set })).toBe('the config is right');
  expect(await call('dry_run', config)).toContain('hidden_size: 16');
  const { run } = JSON.parse(await call('start', { ...config, name: 'tiny' }));
  expect(run).toBe('runs/tiny');
  await call('pause', { run: 'tiny' });
  await call('resume', { run: 'tiny' });
  await finished('tiny');
  expect(await call('log', { run: 'tiny' })).toContain('runs/tiny/model');
  expect(JSON.parse(await call('log', { run: 'tiny', what: 'completions', lines: 1 }))).toHaveProperty('completion');
  expect(JSON.parse(await call('advise', { run: 'tiny' }))).toHaveProperty('advice');
  expect(JSON.parse(await call('sample', { run: 'tiny', prompts: ['3120>'] }))).toMatchObject({ prompt: '3120>' });
  const { run: other } = JSON.parse(await call('start', config));
  expect(other).toBe('runs/sort-digits');
  await call('stop', { run: other });
  while (JSON.parse(await call('status', { run: other })).asked !== undefined);
  await call('resume', { run: other });
  await finished(other);
  expect(JSON.parse(await call('compare', { runs: ['tiny', other] }))).toBeTypeOf('object');
  expect(readdirSync(folder.path)).toEqual(['runs']);
  expect(readdirSync(`${folder.path}/runs`).sort()).toEqual(['sort-digits', 'sort-digits.log', 'tiny', 'tiny.log']);
});

it('reads in one line what it did wrong', async () => {
  const set = ['learning_rat=1'];
  const { content, isError } = await client.callTool({
    name: 'check_config',
    arguments: { config: 'sort-digits', set },
  });
  expect(isError).toBe(true);
  expect(content[0].text).toMatch(/^--set +learning_rat: 1 — unknown key; the nearest is learning_rate\.$/);
});
