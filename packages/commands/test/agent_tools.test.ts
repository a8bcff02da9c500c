/** The tools of `rlvr-train mcp`: what they refuse, in one message each, and that they stay in their folder. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/run/json.ts';
import { run } from '../../../test/cli/called.ts';
import { folderOfFile } from '../../../test/support/folders.ts';
import { AgentFolder } from '../mcp/folder.ts';
import { listedTools, toolResult } from '../mcp/server.ts';
import { AGENT_TOOLS } from '../mcp/tools.ts';

const folder = folderOfFile();
let agent: AgentFolder;

beforeAll(() => {
  agent = new AgentFolder(folder, 'no-program.js');
  mkdirSync(join(folder, 'runs', 'mine'), { recursive: true });
  symlinkSync('/', join(folder, 'out'));
});

const called = (name: string, given: JsonObject) => toolResult(name, given, agent, new AbortController().signal);

// biome-ignore format: a table
describe.each<[string, JsonObject, string]>([
  ['train', {}, 'train — no such tool; there is list, explain,'],
  ['list', {}, 'kind — missing: a text.'],
  ['list', { kind: 'models' }, 'kind: "models" — must be configs or tasks or rewards or methods or runs.'],
  ['list', { kinds: 'runs' }, 'kinds — not known here; did you mean kind?'],
  ['explain', { name: 3 }, 'name: 3 — must be a text.'],
  ['dry_run', { config: '../other.yaml' }, '../other.yaml — not inside of'],
  ['dry_run', { config: '/etc/passwd' }, '/etc/passwd — not inside of'],
  ['dry_run', { config: 'out/etc/other.yaml' }, 'out/etc/other.yaml — not inside of'],
  ['dry_run', { config: '--output=/tmp/run' }, '--output=/tmp/run — not inside of'],
  ['dry_run', { config: 'sort-digits', set: 'seed=1' }, 'set: "seed=1" — must be a list of texts.'],
  ['start', { config: 'sort-digits', max_steps: 0 }, 'max_steps: 0 — must be a number of 1 or more.'],
  ['start', { config: 'sort-digits', name: 'mine' }, 'name: mine — runs/mine is there already'],
  ['start', { config: 'sort-digits', name: 'a/b' }, 'name: a/b — runs/a/b is there already, or no name below runs/'],
  ['start', { config: 'sort-digits', name: '../../else' }, '../else — not inside of'],
  ['status', { run: 'gone' }, 'gone — there is no such run in runs/'],
  ['status', { run: 'mine', wait_seconds: 1e9 }, 'wait_seconds: 1000000000 — must be from 0 to 60.'],
  ['log', { run: 'mine', lines: 0 }, 'lines: 0 — must be from 1 to 1000.'],
  ['log', { run: 'mine', what: 'secrets' }, 'what: "secrets" — must be printed or metrics or completions.'],
  ['stop', { run: 'mine' }, 'cannot be asked to stop: no process works on it.'],
  ['pause', { run: 'runs/mine' }, 'cannot be asked to pause: no process works on it.'],
  ['compare', { runs: ['mine'] }, 'runs: ["mine"] — must be two runs or more.'],
  ['compare', { runs: ['mine', '/'] }, '/ — not inside of'],
  ['sample', { run: 'mine', temperature: 'hot' }, 'temperature: "hot" — must be'],
])('%s %j', (name, given, says) => {
  it(`is refused: ${says}`, async () => {
    const { content, isError } = await called(name, given);
    expect(isError).toBe(true);
    expect(content[0].text).toContain(says);
    expect(content[0].text).not.toContain('\n');
  });
});

it('a run is found by its name and its directory, and its log by lines', async () => {
  writeFileSync(join(folder, 'runs', 'mine.log'), 'one\ntwo\nthree\n');
  const { content } = await called('log', { run: 'mine', lines: 2 });
  expect(content[0].text).toBe('two\nthree');
  expect(await called('log', { run: 'runs/mine', lines: 2 })).toEqual({ content });
});

it('every tool is listed with a schema that names what it takes, and only those that write say so', () => {
  const listed = listedTools() as { name: string; annotations: { readOnlyHint: boolean } }[];
  expect(listed.map(({ name }) => name)).toEqual(Object.keys(AGENT_TOOLS));
  const writers = listed.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name);
  expect(writers).toEqual(['start', 'resume', 'pause', 'stop']);
});

it('the command says what installs its SDK', async () => {
  const said = async (...words: readonly string[]): Promise<string> => String((await run('mcp', ...words)).error);
  expect(await said()).toContain('@modelcontextprotocol/sdk is an optional package and not installed; npm install');
  expect(await said('--folder', 'nowhere')).toContain('--folder nowhere — there is no such directory; make it first.');
});
