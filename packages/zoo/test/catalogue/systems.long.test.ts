/** The table of published systems: what it says is here is here, and each system has its config. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../../test/support/everything.ts';
import { MECHANISMS, RECIPE_SUBJECTS } from '../../catalogue/systems/papers.ts';
import { configName, systemConfig, systemConfigs } from '../../catalogue/systems/system_config.ts';
import { systemsNamed } from '../../catalogue/systems/system_facts.ts';
import { systemStates } from '../../catalogue/systems/system_state.ts';
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

  it('calls nothing whole of which a part is missing, in part, or otherwise here', () => {
    for (const system of PAPERS) {
      const { status, parts } = of(system);
      const isWhole = parts.length > 0 && parts.every(({ by, lacks }) => by.length > 0 && lacks === undefined);
      expect(status === 'whole', system.name).toBe(isWhole && system.differs === undefined);
      if (status === 'outside') expect(system.why, system.name).toMatch(/\w/);
      else expect(system.why, system.name).toBeUndefined();
      if (status === 'not built') expect(system.nearest ?? system.transfers, system.name).toMatch(/\w\.?$/);
      else expect(system.nearest, system.name).toBeUndefined();
    }
  });

  it('names what each mechanism is here, and only mechanisms that a system has', () => {
    const used = new Set(PAPERS.flatMap(({ uses }) => uses.split(' ')));
    expect(Object.keys(MECHANISMS).filter((id) => !used.has(id))).toEqual([]);
    const misspelled = SYSTEMS.flatMap(({ uses }) => uses.split(' ')).filter((id) => !/^[a-z0-9-]*$/.test(id));
    expect(misspelled).toEqual([]);
  });

  it('says in sentences what a system proposes, and its number as arXiv writes it', () => {
    for (const { name, does, arxiv = '2402.03300' } of PAPERS) {
      expect(does, name).toMatch(/^[A-Z0-9].{15,118}\.$/);
      expect(arxiv, name).toMatch(/^\d{4}\.\d{5}$/);
    }
  });

  it('counts on its page what is whole and what is missing', () => {
    const [, whole, partly, notBuilt, outside] =
      /: (\d+) whole, (\d+) partly, (\d+) not built, (\d+) outside/.exec(countsText(SYSTEMS.map(of))) ?? [];
    expect(Number(whole) + Number(partly) + Number(notBuilt) + Number(outside)).toBe(237);
    const page = systemsPage();
    expect(page.match(/^\| \*\*/gm)).toHaveLength(PAPERS.length);
    expect(page.split('## Recipes')[0].match(/\| \*\*whole\*\*/g)).toHaveLength(Number(whole));
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

  it('are each run by lines of a config', () => {
    for (const { name, keys = [], why } of recipes) expect(keys.length > 0, name).toBe(why === undefined);
  });
});

describe('configs/systems', () => {
  it('has the config of each system that a small task runs, as the table gives it', () => {
    const written = new Map(
      readdirSync(CONFIGS).map((file) => [file.replace(/\.yaml$/, ''), readFileSync(new URL(file, CONFIGS), 'utf8')]),
    );
    const made = systemConfigs();
    expect([...made.keys()].sort()).toEqual([...new Set(PAPERS.flatMap((system) => configName(system) ?? []))].sort());
    expect([...written.keys()].sort()).toEqual([...made.keys()].sort());
    for (const [name, text] of made) expect(written.get(name), name).toBe(text);
    expect([...made.values()].join('').length).toBeLessThan(78_000);
  });

  it('is a config that can be read, also of those systems that need more than a small task', () => {
    for (const system of PAPERS) {
      if (system.keys === undefined) continue;
      const { config } = parseConfig(systemConfig(system), { file: `${system.name}.yaml` });
      expect(config.stages.length, system.name).toBeGreaterThan(0);
    }
  });
});
