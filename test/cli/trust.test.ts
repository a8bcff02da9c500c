/** Which code runs unasked, and that nothing of a file runs before it may. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approval, type TrustOptions } from '../../src/cli/process/trust.ts';
import { parseConfig } from '../../src/config/load.ts';
import { openPlugins } from '../../src/plugins/open_plugins.node.ts';

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
