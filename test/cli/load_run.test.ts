import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadRun } from '../../src/cli/runs/load_run.ts';
import { allInOneFolder } from '../support/folders.ts';

// Where a run goes depends on what is under runs/ of the working directory.
allInOneFolder(() => writeFileSync('mine.yaml', 'task: sort_digits\nmax_steps: 30\nwarmup_steps: 20\n'));

function makeRun(directory: string, config: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'config.yaml'), config);
}

describe('loadRun', () => {
  it('without a config takes that of the main job, whatever lies in the directory', async () => {
    mkdirSync('countdown');
    const loaded = await loadRun({});
    expect(loaded.config.tasks[0]?.task.name).toBe('countdown');
    expect(loaded).toMatchObject({ isMainJob: true, directory: join('runs', 'countdown') });
    expect(loaded.file).toMatch(/countdown\.yaml$/);
  });

  it('takes a shipped config by its name, unless a file has that name', async () => {
    const shipped = await loadRun({ config: 'sort-digits' });
    expect(shipped).toMatchObject({ isMainJob: false, directory: join('runs', 'sort-digits') });
    writeFileSync('sort-digits', 'task: countdown\nmax_steps: 3\n');
    expect((await loadRun({ config: 'sort-digits' })).config.tasks[0]?.task.name).toBe('countdown');
  });

  it('numbers the directories of new runs, and resumes the newest', async () => {
    makeRun('runs/mine', 'task: sort_digits\nmax_steps: 5\n');
    makeRun('runs/mine-2', 'task: sort_digits\nmax_steps: 6\n');
    expect((await loadRun({ config: 'mine.yaml' })).directory).toBe(join('runs', 'mine-3'));
    expect((await loadRun({ config: 'mine.yaml', resume: true })).directory).toBe(join('runs', 'mine-2'));
  });

  it('resumes a directory with the config that it holds', async () => {
    const loaded = await loadRun({ resume: true, output: 'runs/mine' });
    expect(loaded).toMatchObject({
      isMainJob: false,
      directory: 'runs/mine',
      file: join('runs', 'mine', 'config.yaml'),
    });
    expect(loaded.config.stages[0]?.optimizer.maxSteps).toBe(5);
  });

  it('names flags as the origin of what they set', async () => {
    const { config, origins } = await loadRun({ config: 'mine.yaml', seed: 9, maxSteps: 10, set: ['beta=0.1'] });
    expect(config.stages[0]).toMatchObject({
      optimizer: { maxSteps: 10, warmupSteps: 10 },
      methods: { lossTerms: [{ name: 'kl-loss', beta: 0.1 }] },
    });
    const named = ['seed', 'stages.0.max_steps', 'stages.0.beta', 'stages.0.warmup_steps'].map((key) =>
      origins.get(key),
    );
    expect(named).toEqual(['--seed', '--max-steps', '--set', 'mine.yaml:3']);
  });

  it('a cap above the stage changes nothing', async () => {
    const { config, origins } = await loadRun({ config: 'mine.yaml', maxSteps: 99 });
    expect(config.stages[0]?.optimizer.maxSteps).toBe(30);
    expect(origins.get('stages.0.max_steps')).toBe('mine.yaml:2');
  });

  it('says what is wrong with a flag by its own name', async () => {
    await expect(loadRun({ config: 'mine.yaml', backend: 'cuda' })).rejects.toThrow(/^--backend {2}backend: cuda — /);
  });
});
