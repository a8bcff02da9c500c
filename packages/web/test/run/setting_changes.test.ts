/** Settings that were changed within a run: read back up to where it stands, and applied as `--set` would. */
import { expect, it } from 'vitest';
import { withConfig } from '../../../../src/grpo/run.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { readChanges, type SettingChange, writeChange } from '../../../../src/run/checkpoint/setting_changes.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { type SessionEvent, session } from '../../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { changedConfig, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { ofPreset, yamlOf } from '../../../../web/src/experiment.ts';
import { allFiles } from '../../store/refuge_store.ts';

it('come back up to the position, and change every grpo stage', async () => {
  const store = memoryStore();
  await writeChange(store, { stageIndex: 0, step: 10, settings: { learning_rate: 2e-4 } });
  await writeChange(store, { stageIndex: 1, step: 5, settings: { temperature: 0.7, learning_rate: 1e-4 } });
  await writeChange(store, { stageIndex: 1, step: 9, settings: { entropy_coef: 0.5 } });
  await store.append('changes.jsonl', '{"stageIndex": 1, "st');
  const changes = await readChanges(store, { stageIndex: 1, step: 5 });
  expect(changes).toHaveLength(2);
  const config = changedConfig(parseConfig(yamlOf(ofPreset('reverse-text')), { file: 'page' }).config, changes);
  expect(config.stages.at(-1)).toMatchObject({
    optimizer: { learningRate: 1e-4 },
    sampling: { temperature: 0.7 },
    methods: { lossTerms: [] },
  });
});

it('a value that the config would refuse names the key and the rule', () => {
  const { config } = parseConfig(yamlOf(ofPreset('sort-digits')), { file: 'page' });
  const changes = [{ stageIndex: 0, step: 0, settings: { learning_rate: -1 } }];
  expect(() => changedConfig(config, changes)).toThrow(/learning_rate: -1/);
});

const YAML = `
task: {name: sort_digits, digits: 2}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
max_steps: 6
num_generations: 4
generation_batch_size: 16
learning_rate: 1.0e-3
reward_funcs: [positions]
eval_strategy: "no"
`;

interface Part {
  readonly resume?: boolean;
  readonly stopAt?: number;
  readonly maxSteps?: number;
  /** As the page opens a run: with the changes made. */
  readonly changes?: readonly SettingChange[];
}

async function trained(store: Store, { resume = false, stopAt, maxSteps, changes = [] }: Part) {
  const { config: startConfig } = parseConfig(YAML, { file: 'inline' });
  const config = changedConfig(startConfig, changes);
  const opened = await openRun(
    startConfig,
    createTasks(startConfig, { heldOutSample: 4 }),
    await wasmBackend({ inline: true }),
  );
  const run = withConfig(opened, config);
  const fingerprint = await fingerprintOf(opened);
  const shouldStop = (): boolean => run.journal.state.step === stopAt;
  const events: SessionEvent[] = [];
  for await (const event of session({
    run,
    startConfig,
    store,
    fingerprint,
    resume,
    force: false,
    maxSteps,
    shouldStop,
  }))
    events.push(event);
  await run.engine.policy.close();
  return {
    notes: events.flatMap((event) => (event.type === 'note' ? [event.message] : [])),
    sha: events.flatMap((event) => (event.type === 'finished' ? [event.summary.weightsSha256] : []))[0],
  };
}

const copyOf = async (store: Store): Promise<Store> => {
  const copy = memoryStore();
  for (const [path, bytes] of await allFiles(store)) await copy.writeAtomic(path, bytes);
  return copy;
};

it.each([0, 3])(
  'made at step %i are kept by whoever resumes the run, without force, with the same bits',
  async (at) => {
    const kept = memoryStore();
    const changes = [{ stageIndex: 0, step: at, settings: { learning_rate: 0.01 } }];
    if (at > 0) await trained(kept, { stopAt: at });
    await writeChange(kept, changes[0] as SettingChange);
    await trained(kept, { resume: at > 0, stopAt: 4, changes });
    const elsewhere = await copyOf(kept);
    const page = await trained(kept, { resume: true, changes });
    const commandLine = await trained(elsewhere, { resume: true });
    expect(commandLine.sha).toBe(page.sha);
    expect(commandLine.notes).toContain(`settings changed since the start: learning_rate 0.01 from step ${at + 1} on.`);
    expect(page.notes.filter((note) => note.includes('learning_rate'))).toEqual([]);
    expect((await trained(memoryStore(), {})).sha).not.toBe(page.sha);
  },
);

it('a finished run takes more steps, and is the same run when it is killed on the way', async () => {
  const kept = memoryStore();
  const finished = await trained(kept, {});
  const elsewhere = await copyOf(kept);
  const longer = await trained(kept, { resume: true, maxSteps: 9 });
  expect(longer.notes).toContain('settings changed since the start: max_steps 9 from step 7 on.');
  expect(longer.sha).not.toBe(finished.sha);
  await trained(elsewhere, { resume: true, maxSteps: 9, stopAt: 8 });
  expect(await elsewhere.exists('summary.json')).toBe(false);
  expect((await trained(elsewhere, { resume: true })).sha).toBe(longer.sha);
  // The same words again find nothing left to do; fewer steps than were taken are refused.
  expect((await trained(elsewhere, { resume: true, maxSteps: 9 })).sha).toBe(longer.sha);
  await expect(trained(elsewhere, { resume: true, maxSteps: 8 })).rejects.toThrow(
    'max_steps: 8 — the run has taken 9 steps of its last stage; give more.',
  );
});

it('an unfinished run may end earlier than its config says', async () => {
  const store = memoryStore();
  await trained(store, { stopAt: 2 });
  await trained(store, { resume: true, maxSteps: 4 });
  const lines = new TextDecoder()
    .decode(await store.read('metrics.jsonl'))
    .trim()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line).step).at(-1)).toBe(4);
});
