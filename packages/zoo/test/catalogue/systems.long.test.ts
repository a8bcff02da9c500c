/** The table of published systems: what it says runs here is in the system's config, and each system has its config. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../../src/config/dump.ts';
import { membersOf, parseConfig } from '../../../../test/support/everything.ts';
import { BASES, MECHANISMS, RECIPE_SUBJECTS } from '../../catalogue/systems/papers.ts';
import { configName, systemConfig, systemsWithConfigs } from '../../catalogue/systems/system_config.ts';
import { systemsNamed } from '../../catalogue/systems/system_facts.ts';
import { type Part, systemStates } from '../../catalogue/systems/system_state.ts';
import { countsText, systemsPage } from '../../catalogue/systems/systems_page.ts';
import { PAPERS, SYSTEMS } from '../../catalogue/systems/table.ts';

const of = systemStates();
const CONFIGS = new URL('../../../../configs/systems/', import.meta.url);

describe('the table', () => {
  it('has the 237 names of the list that it was made from, each once', () => {
    const names = SYSTEMS.map(({ name }) => name);
    expect(new Set(names).size).toBe(237);
    expect(names).toHaveLength(237);
    const hash = createHash('sha256')
      .update([...names].sort().join('\n'))
      .digest('hex');
    expect(hash.slice(0, 16)).toBe('19e5e496772dd61a');
  });

  it('is found by each of its names', () => {
    for (const system of PAPERS) expect(systemsNamed(system.name), system.name).toContain(system);
    expect(systemsNamed('w-reinforce').map(({ name }) => name)).toEqual(['NSR / W-REINFORCE']);
    expect(systemsNamed('RAPO')).toHaveLength(2);
  });

  it('says of no system that it runs here whose config lacks one of its parts', { timeout: 120_000 }, () => {
    for (const system of PAPERS) {
      const { status, parts } = of(system);
      const isConfigured = configName(system) !== undefined;
      if (status === 'run here') expect(isConfigured && system.differs === undefined, system.name).toBe(true);
      if (!isConfigured) continue;
      const { config } = parseConfig(systemConfig(system), { file: system.name });
      // Read as text, with every default written out, and as the methods of its stages.
      const ids = config.stages.flatMap((stage) => (stage.stage === 'grpo' ? membersOf(stage) : []));
      const words = new Set(`${systemConfig(system)}\n${resolvedYaml(config)}`.split(/[^\w-]+/));
      for (const { method } of ids) words.add(method.id);
      const isThere = ({ by }: Part): boolean =>
        by.some(({ kind, name }) => kind === 'category' || kind === 'stages' || words.has(name));
      for (const part of parts) {
        const isSaid = part.at === 'lines' || part.at === 'default';
        if (isSaid) expect(isThere(part), `${system.name}: ${part.id}`).toBe(true);
        if (status === 'run here') expect(isSaid, `${system.name}: ${part.id}`).toBe(true);
      }
    }
  });

  it('reads of a config what its lines name, what it has by default, and what is apart from it', () => {
    const at = (name: string): Record<string, string> =>
      Object.fromEntries(of(systemsNamed(name)[0]).parts.map((part) => [part.id, part.at]));
    expect(at('DAPO')).toMatchObject({ 'ppo-clip': 'default', 'dynamic-sampling': 'lines', soft_overlong: 'lines' });
    expect(at('Writing-Zero')).toEqual({ brpo: 'lines', 'async-reward': 'apart' });
    expect(at('RLFR')).toEqual({ 'latent-flow': 'nowhere' });
    expect(at('VerIPO')).toMatchObject({ stages: 'lines' });
    expect(of(systemsNamed('SimPO')[0]).status).toBe('not here');
  });

  it('says why a system is not here, and runs no other method under its name', () => {
    for (const system of PAPERS) {
      const { status, parts } = of(system);
      expect(system.why === undefined, system.name).toBe(parts.length > 0);
      if (status === 'not here' && parts.length > 0) {
        expect(system.nearest ?? system.transfers, system.name).toMatch(/\w\.?$/);
        expect(system.keys, system.name).toBeUndefined();
      } else expect(system.nearest, system.name).toBeUndefined();
    }
  });

  it('names what each mechanism is here, and only mechanisms that a system has', () => {
    const used = new Set(PAPERS.flatMap(({ uses }) => uses.split(' ')));
    expect(Object.keys(MECHANISMS).filter((id) => !used.has(id))).toEqual([]);
    const bases = new Set(PAPERS.map(({ base = 'partial' }) => base));
    expect(Object.keys(BASES).filter((id) => !bases.has(id))).toEqual([]);
    const misspelled = SYSTEMS.flatMap(({ uses }) => uses.split(' ')).filter((id) => !/^[a-z0-9-]*$/.test(id));
    expect(misspelled).toEqual([]);
  });

  it('says in sentences what a system proposes, and its number as arXiv writes it', () => {
    for (const { name, does, arxiv = '2402.03300' } of PAPERS) {
      expect(does, name).toMatch(/^[A-Z0-9].{15,118}\.$/);
      expect(arxiv, name).toMatch(/^\d{4}\.\d{5}$/);
    }
  });

  it('counts on its page what runs here and what does not', { timeout: 120_000 }, () => {
    const [, run, parts, not] =
      /: (\d+) run here, of (\d+) parts are here, (\d+) are not here/.exec(countsText(SYSTEMS.map(of))) ?? [];
    expect(Number(run) + Number(parts) + Number(not)).toBe(237);
    const page = systemsPage();
    expect(page.match(/^\| \*\*/gm)).toHaveLength(PAPERS.length);
    expect(page.split('## Recipes')[0].match(/\| \*\*run here\*\*/g)).toHaveLength(Number(run));
  });
});

describe('the recipes', () => {
  const recipes = RECIPE_SUBJECTS.flatMap(({ systems }) => systems);

  it('are found by the names that people use', () => {
    const names = [
      'R1-Zero',
      'deepseek-r1-zero',
      'Open Reasoner Zero',
      'SimpleRL-Zoo',
      'oat-zero',
      'Light-R1',
      'kimi k1.5',
    ];
    for (const name of [
      ...names,
      'Magistral',
      'MiMo',
      'Qwen3',
      'polaris',
      'DeepScaleR',
      'DAPO',
      'Search-R1',
      'RAGEN',
      'KTO',
      'SimPO',
      'QwQ',
      'verl',
    ])
      expect(systemsNamed(name), name).not.toHaveLength(0);
    expect(systemsNamed('2501.12948')).toHaveLength(2);
  });

  it('are each run by lines of a config, or it is said why not', () => {
    for (const { name, keys, why, nearest, transfers } of recipes)
      if (keys === undefined) expect(why ?? nearest ?? transfers, name).toMatch(/\w/);
  });
});

describe('configs/systems', () => {
  it('has the config of each system that a small task runs, as the table gives it', () => {
    const written = new Map(
      readdirSync(CONFIGS).map((file) => [file.replace(/\.yaml$/, ''), readFileSync(new URL(file, CONFIGS), 'utf8')]),
    );
    const made = new Map([...systemsWithConfigs()].map(([name, system]) => [name, systemConfig(system)]));
    expect([...made.keys()].sort()).toEqual([...new Set(PAPERS.flatMap((system) => configName(system) ?? []))].sort());
    expect([...written.keys()].sort()).toEqual([...made.keys()].sort());
    for (const [name, text] of made) expect(written.get(name), name).toBe(text);
    expect([...made.values()].join('').length).toBeLessThan(240_000);
  });

  it('is a config that can be read, also of those systems that need more than a small task', () => {
    for (const system of PAPERS) {
      if (system.keys === undefined) continue;
      const { config } = parseConfig(systemConfig(system), { file: `${system.name}.yaml` });
      expect(config.stages.length, system.name).toBeGreaterThan(0);
    }
  });
});
