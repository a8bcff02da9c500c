/** Which code runs unasked, and that nothing of a file runs before it may. */

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutPasswords } from '../../../src/format.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { LoopbackScorer } from '../../../test/support/loopback_scorer.ts';
import { asksOf } from '../../plugins/asks.node.ts';
import { openPlugins } from '../../plugins/open_plugins.node.ts';
import { approval, type TrustOptions } from '../process/trust.ts';
import { seedsCommand } from '../training/seeds.ts';
import { trainWhole } from '../training/whole_training.ts';

const home = process.cwd();
const stateHome = process.env.XDG_STATE_HOME;
let folder: string;
let asked: string[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'rlvr-train-trust-')));
  process.env.XDG_STATE_HOME = join(folder, 'state');
  mkdirSync(join(folder, 'project'));
  process.chdir(join(folder, 'project'));
  asked = [];
});

afterEach(() => {
  process.chdir(home);
  process.env.XDG_STATE_HOME = stateHome;
  rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A reward that leaves a mark when it is loaded. */
const marking = (text = ''): string =>
  `import { appendFileSync } from 'node:fs';
   appendFileSync(${JSON.stringify(join(folder, 'ran'))}, 'x');
   export default { score: ({ completions }) => completions.map(() => 0) };${text}`;

const ran = (): boolean => existsSync(join(folder, 'ran'));

interface Given extends Partial<TrustOptions> {
  readonly answer?: boolean;
  readonly overrides?: readonly string[];
}

/** Opens the config in `file`, whose one reward is `name`. */
async function open(file: string, name: string, { answer, overrides = [], ...options }: Given = {}): Promise<void> {
  rmSync(join(folder, 'ran'), { force: true });
  const loaded = parseConfig(`task: sort_digits\nmax_steps: 1\nreward_funcs: [${name}]`, { file }, overrides);
  const ask =
    answer === undefined
      ? undefined
      : async (question: string) => {
          asked.push(question);
          expect(ran()).toBe(false);
          return answer;
        };
  const approve = approval({ file, problems: loaded.problems, ask, ...options });
  const { directory } = options.run ?? {};
  const opened = await openPlugins(loaded, { file, directory, announce: () => {}, approve });
  await opened.close();
}

describe('code that a config names', () => {
  it("runs unasked in the config's folder, and where it is typed behind --set", async () => {
    write('rewards/mine.mjs', marking());
    await open('my.yaml', './rewards/mine.mjs');
    expect(ran()).toBe(true);
    write('../typed.mjs', marking(' // typed'));
    await open('my.yaml', 'accuracy', { overrides: ['reward_funcs=[../typed.mjs]'] });
    expect(ran()).toBe(true);
  });

  it('elsewhere is refused where nobody can be asked, with its line and the flag that agrees', async () => {
    write('../evil.mjs', marking());
    await expect(open('my.yaml', '../evil.mjs')).rejects.toThrow(
      new RegExp(
        "^my\\.yaml:3 {2}reward_funcs\\.0: \\.\\./evil\\.mjs — lies outside of the config's folder, and would run with your rights; " +
          `look at it, then add --trust ${join(folder, 'evil.mjs')}\\.$`,
      ),
    );
    expect(ran()).toBe(false);
    await open('my.yaml', '../evil.mjs', { trust: ['../evil.mjs'] });
    expect(ran()).toBe(true);
  });

  it('is not inside of a folder by a link that leads out of it', async () => {
    write('../evil.mjs', marking());
    symlinkSync('../evil.mjs', 'mine.mjs');
    await expect(open('my.yaml', './mine.mjs')).rejects.toThrow("lies outside of the config's folder");
    expect(ran()).toBe(false);
  });

  it('elsewhere is asked for once, until it or what it imports changes', async () => {
    write('../lib.mjs', 'export const one = 1;');
    write('../theirs.mjs', `import { one } from './lib.mjs';\n${marking('one;')}`);
    await expect(open('my.yaml', '../theirs.mjs', { answer: false })).rejects.toThrow('would run with your rights');
    await open('my.yaml', '../theirs.mjs', { answer: true });
    expect(asked).toHaveLength(2);
    expect(asked[1]).toContain(`  ${join(folder, 'theirs.mjs')}  lies outside of the config's folder\n`);
    await open('my.yaml', '../theirs.mjs');
    expect(ran()).toBe(true);
    write('../lib.mjs', 'export const one = 2;');
    await expect(open('my.yaml', '../theirs.mjs')).rejects.toThrow('would run with your rights');
  });

  it('below a folder that is trusted runs unasked', async () => {
    write('../shared/rewards/brief.mjs', marking());
    await open('my.yaml', '../shared/rewards/brief.mjs', { trust: ['../shared'] });
    expect(ran()).toBe(true);
  });
});

describe('code of a run', () => {
  const RUN = 'runs/one';
  const NAME = '../../rewards/mine.mjs';
  const config = join(RUN, 'config.yaml');

  /** As a training leaves it. */
  async function record(path: string): Promise<void> {
    const { createHash } = await import('node:crypto');
    const { readFileSync } = await import('node:fs');
    const sha256 = createHash('sha256')
      .update(readFileSync(join(RUN, path)))
      .digest('hex');
    const fingerprint = {
      packageVersion: '1', backend: 'wasm', backendFeatures: {}, engine: '', runtime: '', platform: '', arch: '',
      cpuModel: '', threads: 1, seed: 1, gitCommit: null, configHash: '', modules: { [path]: sha256 },
    }; // biome-ignore format: a record
    write(join(RUN, 'fingerprint.json'), JSON.stringify(fingerprint));
  }

  /** A training of `config` has run the file here. */
  const trained = (): Promise<void> => open('my.yaml', './rewards/mine.mjs');
  const GOALS = ['resume', 'use'] as const;

  it('runs unasked as it was when this machine made the run, for a resume as for its use', async () => {
    write('rewards/mine.mjs', marking());
    mkdirSync(RUN, { recursive: true });
    await record(NAME);
    await trained();
    for (const goal of GOALS) {
      await open(config, NAME, { run: { directory: RUN, goal } });
      expect(ran()).toBe(true);
    }
  });

  it.each([
    ['in the run directory', './tasks/add.mjs'],
    ['beside it, in the working directory', NAME],
  ])('of another machine is asked about, %s, whatever its own records say', async (_where, name) => {
    write(join(RUN, name), marking());
    await record(name);
    const ways: Given[] = [...GOALS.map((goal) => ({ run: { directory: RUN, goal } })), {}];
    ways.push({ run: { directory: RUN, goal: 'resume', force: true } });
    for (const way of ways) {
      await expect(open(config, name, way)).rejects.toThrow(
        'is the code of a run, and has not run on this machine, and would run with your rights; look at it, then add --trust',
      );
      expect(ran()).toBe(false);
    }
    await open(config, name, { ...ways[0], answer: true });
    expect(ran()).toBe(true);
    for (const way of ways) await open(config, name, way);
  });

  it('that has changed is refused before it runs; --force and --trust agree to it', async () => {
    write('rewards/mine.mjs', marking());
    mkdirSync(RUN, { recursive: true });
    await record(NAME);
    await trained();
    write('rewards/mine.mjs', marking(' // changed'));
    const resume = { directory: RUN, goal: 'resume' } as const;
    await expect(open(config, NAME, { run: resume })).rejects.toThrow(
      /^--resume: this run was started under other conditions.*\n {2}\.\.\/\.\.\/rewards\/mine\.mjs has changed \(SHA-256 \w{8} → \w{8}\)\nRestore them, or add --force/,
    );
    const use = { directory: RUN, goal: 'use' } as const;
    await expect(open(config, NAME, { run: use })).rejects.toThrow(
      'has changed since this run was trained, and would run with your rights; look at it, then add --trust rewards/mine.mjs',
    );
    expect(ran()).toBe(false);
    await open(config, NAME, { run: use, trust: ['rewards'] });
    expect(ran()).toBe(true);
    write('rewards/mine.mjs', marking(' // corrected'));
    await open(config, NAME, { run: { ...resume, force: true } });
    expect(ran()).toBe(true);
  });

  it('that names a file of the disk does not run it, however well its hash is recorded', async () => {
    write('../evil.mjs', marking());
    mkdirSync(RUN, { recursive: true });
    await record('../../../evil.mjs');
    for (const goal of ['resume', 'use'] as const) {
      await expect(open(config, '../../../evil.mjs', { run: { directory: RUN, goal } })).rejects.toThrow(
        'is the code of a run, and has not run on this machine',
      );
      expect(ran()).toBe(false);
    }
  });
});

describe('what a config asks besides code', () => {
  const HOST = '127.0.0.1:18099';
  const sending = `{name: http, url: "http://${HOST}/score", header_env: A_SECRET}`;
  const rows = (path: string): string => `{name: dataset, train: ${path}}`;

  /** Looks at what the config in `my.yaml` asks, and at nothing else of it. */
  async function look(task: string, reward: string, { answer, overrides, ...options }: Given = {}): Promise<void> {
    const text = `task: ${task}\nmax_steps: 1\nreward_funcs: [${reward}]`;
    write('my.yaml', text);
    const loaded = parseConfig(text, { file: 'my.yaml' }, overrides ?? []);
    const ask = answer === undefined ? undefined : async (question: string) => asked.push(question) > 0 && answer;
    await approval({ file: 'my.yaml', problems: loaded.problems, ask, ...options })(
      [],
      asksOf(loaded, { file: 'my.yaml' }),
    );
  }

  it('is refused where no one can be asked, with its line and the flag that agrees', async () => {
    await expect(look('sort_digits', sending)).rejects.toThrow(
      /^my\.yaml:3 {2}reward_funcs\.0: A_SECRET@127\.0\.0\.1:18099 — would be sent the value of A_SECRET, and what is sampled; if that is meant, add --trust A_SECRET@127\.0\.0\.1:18099\.$/,
    );
    await expect(look('sort_digits', sending, { trust: [HOST] })).rejects.toThrow('A_SECRET'); // that is less
    await look('sort_digits', sending, { trust: [`A_SECRET@${HOST}`] });
    await look('sort_digits', sending); // agreed to on this machine
    await expect(look('sort_digits', sending.replace('A_SECRET', 'ANOTHER'))).rejects.toThrow('ANOTHER@');
    await expect(look('sort_digits', sending.replace('18099', '18100'))).rejects.toThrow('127.0.0.1:18100');
  });

  it('is asked for once, and never by a dry run, which remembers nothing', async () => {
    const server = '{name: openenv, url: "ws://env.example:8000"}';
    await expect(look(server, 'accuracy', { answer: true, isDry: true })).rejects.toThrow(
      'add --trust env.example:8000',
    );
    await look(server, 'accuracy', { trust: ['env.example:8000'], isDry: true });
    expect(asked).toEqual([]);
    await expect(look(server, 'accuracy', { answer: false })).rejects.toThrow('would be sent what is sampled');
    await look(server, 'accuracy', { answer: true });
    expect(asked[1]).toContain('  env.example:8000  would be sent what is sampled\n');
    await look(server, 'accuracy');
    await look(server, 'accuracy', { isDry: true });
  });

  it('names the variable that a server is sent wherever it is set', async () => {
    process.env.OPENENV_TOKEN = 'secret';
    try {
      const server = '{name: openenv, url: "ws://env.example:8000"}';
      await expect(look(server, 'accuracy')).rejects.toThrow('OPENENV_TOKEN@env.example:8000');
    } finally {
      delete process.env.OPENENV_TOKEN;
    }
  });

  it('is a file of another folder, where that is neither typed nor trusted', async () => {
    write('data/mine.jsonl', '{}');
    write('../theirs.jsonl', '{}');
    await look(rows('data/mine.jsonl'), 'accuracy');
    await expect(look(rows('../theirs.jsonl'), 'accuracy')).rejects.toThrow(
      "lies outside of the config's folder, and would be read",
    );
    await look('sort_digits', 'accuracy', { overrides: [`task=${rows('../theirs.jsonl')}`] });
    await look(rows('../theirs.jsonl'), 'accuracy', { trust: ['..'] });
    await look(rows('../theirs.jsonl'), 'accuracy');
    write('../judge/config.json', '{}');
    await expect(look('sort_digits', '{name: classifier, model: ../judge}')).rejects.toThrow('/judge');
  });

  it('reaches no server before that: a config of a stranger in a fresh home sends nothing', async () => {
    const scorer = new LoopbackScorer();
    await scorer.start();
    process.env.A_SECRET = 'secret';
    try {
      const reward = `{name: http, url: "${scorer.url}", header_env: A_SECRET}`;
      const config = `task: sort_digits\nmax_steps: 1\nreward_funcs: [${reward}]\n`;
      write('strangers.yaml', config);
      const flags = { config: 'strangers.yaml', output: 'runs/one', quiet: true };
      for (const isDry of [false, true])
        await expect(trainWhole({ ...flags, dryRun: isDry })).rejects.toThrow('A_SECRET@127.0.0.1:');
      await expect(seedsCommand({ ...flags, seeds: [0, 1] }, [])).rejects.toThrow('A_SECRET@127.0.0.1:');
      expect(scorer.connections).toBe(0);
      await openPlugins(parseConfig(config, { file: 'strangers.yaml' }), {
        file: 'strangers.yaml',
        announce: () => {},
      }).then((opened) => opened.close());
      expect(scorer.connections).toBeGreaterThan(0); // so it would be
    } finally {
      delete process.env.A_SECRET;
      await scorer.stop();
    }
  });
});

it('a series of runs asks as one run does', async () => {
  write('../evil.mjs', marking());
  write('my.yaml', 'task: sort_digits\nmax_steps: 1\nreward_funcs: [../evil.mjs]');
  const series = seedsCommand({ config: 'my.yaml', output: 'runs/one', seeds: [0, 1], quiet: true }, []);
  await expect(series).rejects.toThrow('would run with your rights');
  expect(ran()).toBe(false);
});

it('what quotes the command line shows no password', () => {
  const shown = (text: string): string => withoutPasswords(text);
  expect(shown('--fleet nats://learner:s3cr3t%2F@host:4222 --config a.yaml')).toBe(
    '--fleet nats://learner:PASSWORD@host:4222 --config a.yaml',
  );
  expect(shown("'tls://t0ken@[::1]:4222'")).toBe("'tls://PASSWORD@[::1]:4222'");
  expect(shown('http://127.0.0.1:8000/a@b --trust A_SECRET@127.0.0.1:8000')).toBe(
    'http://127.0.0.1:8000/a@b --trust A_SECRET@127.0.0.1:8000',
  );
});
