/** `doctor FILE`: logs in the forms of TRL, verl and TensorBoard (written by tensorboardX), and files that are none. */
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { program } from '../../../src/cli/program.ts';
import { joinBytes } from '../../../src/run/store/store.ts';
import { printed } from '../../../test/cli/printed.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { encodeEvent } from '../../trackers/event_file.ts';
import { ZOO } from '../../zoo/registries.ts';
import { diagnoseLog } from '../foreign/diagnose_log.ts';
import { readLogEntries } from '../foreign/log_entries.ts';
import { readEvents } from '../foreign/read_events.ts';

eachInOwnFolder();

const bytesOf = (name: string): Uint8Array => readFileSync(new URL(`./logs/${name}`, import.meta.url));
const registries = ZOO;
const examined = (name: string, options = {}) =>
  diagnoseLog(name, readLogEntries(name, bytesOf(name)), { ...options, registries });
const call = (...words: readonly string[]): Promise<string> =>
  printed(() => program().parseAsync([...words], { from: 'user' }));

const EVENTS = 'events.out.tfevents.1764230400.trl';

describe('the log of another trainer', () => {
  it.each([
    ['trl_entropy_collapse.json', 'TRL', ['entropy-collapse']],
    ['trl_not_finite.json', 'TRL', ['non-finite']],
    ['trl_truncated.json', 'TRL', ['truncated']],
    ['trl_sft_rises.json', 'TRL', ['sft-loss-rises']],
    [EVENTS, 'TRL', ['all-dead']],
    ['verl_console.log', 'verl', ['length-explosion', 'reward-collapse']],
    ['verl_metrics.jsonl', 'verl', ['clip-fraction', 'slow-verifier']],
  ])('%s is of %s, and suffers from %j', (name, trainer, codes) => {
    const found = examined(name);
    expect(found.trainer).toBe(trainer);
    expect(found.diagnosed.map(({ code }) => code)).toEqual(codes);
    expect(found.diagnosed.map(({ message }) => message).join(' ')).not.toMatch(/NaN(?!( first)? at step)|undefined/);
  });

  it('is said to be silent about what it does not log, and everything else was looked for', () => {
    const { looked, unseen } = examined('verl_console.log');
    expect(unseen).toContainEqual({ code: 'entropy-collapse', lacks: ['live'] });
    expect(unseen).toContainEqual({ code: 'duplicates', lacks: ['variety', 'live'] });
    expect(looked).toContain('reward-collapse');
    expect(looked.filter((code) => unseen.some((one) => one.code === code))).toEqual([]);
  });

  it('takes its settings from the log, from --set, and says what it has taken for granted', () => {
    const { assumed, diagnosed } = examined('trl_entropy_collapse.json', { set: ['num_generations=4'] });
    expect(assumed.join()).not.toContain('num_generations');
    expect(assumed).toContain('generation_batch_size: 8');
    expect(diagnosed[0].message).toContain('learning_rate (now 1e-6)');
  });

  it('is lost where its first figure is no number, and its cut completions are seen without their longest', () => {
    const history = [
      { step: 1, loss: 0, grad_norm: 'NaN', reward: 0 },
      { step: 2, loss: 'NaN', grad_norm: 'Infinity', reward: 0 },
      { step: 3, loss: '-Infinity', grad_norm: 1, reward: 0 },
    ].map((entry) => ({ ...entry, frac_reward_zero_std: 1, 'completions/clipped_ratio': 1, learning_rate: 1e-6 }));
    const text = JSON.stringify({ max_steps: 100, log_history: history }).replace(/"(NaN|-?Infinity)"/g, '$1');
    const { diagnosed } = diagnoseLog('x', readLogEntries('x', new TextEncoder().encode(text)), { registries });
    expect(diagnosed.map(({ code, step }) => [code, step])).toEqual(
      expect.arrayContaining([
        ['non-finite', 1],
        ['no-eos', 3],
      ]),
    );
    const words = diagnosed.map(({ message }) => message).join(' ');
    expect(words).toContain('The gradient norm is NaN first at step 1 (the loss NaN at step 2): the weights are lost');
    expect(words).toContain('all completions were cut at the limit');
  });

  it('is read as TRL prints it: Python dictionaries, a line each or beside a progress bar', () => {
    const text =
      "{'loss': '0.0', 'grad_norm': '0.5', 'learning_rate': '1e-06', 'reward': '0.0', 'epoch': '0.01'}\n" +
      " 2%|▏   | 2/100 [00:01<00:50]\r{'loss': 0.25, 'grad_norm': nan, 'learning_rate': 1e-06, 'reward': 1.0}\n" +
      "{'train_runtime': 9.5}\n{'loss': 0.1, 'grad";
    const log = readLogEntries('x', new TextEncoder().encode(text));
    expect(log).toMatchObject({ areCounted: true, isCut: true });
    expect(log.entries.map(({ step, figures }) => [step, figures.loss, figures.reward])).toEqual([
      [1, 0, 0],
      [2, 0.25, 1],
      [3, undefined, undefined],
    ]);
    const { diagnosed, assumed, entries } = diagnoseLog('x', log, { registries });
    expect(entries).toBe(2);
    expect(assumed).toContain('steps are the numbers of its entries');
    expect(diagnosed.map(({ code, step }) => [code, step])).toEqual([['non-finite', 2]]);
  });

  it('counts the completions of a step by the tokens that verl counts', () => {
    expect(examined('verl_metrics.jsonl').assumed.join()).not.toContain('generation_batch_size');
  });

  it('takes the share of right answers from the figure that is named', () => {
    const name = 'verl_metrics.jsonl';
    expect(() => examined(name, { accuracy: 'score' })).toThrow(
      /--accuracy score — no figure of the log; it has critic\/score\/mean/,
    );
    expect(examined(name, { accuracy: 'critic/score/mean' }).assumed.join()).not.toContain('share of right');
  });
});

describe('what TRL logs of a real run', () => {
  const [state, events] = ['trainer_state.json', 'events.out.tfevents.1'];
  const ofRun = (run: string, file: string) => examined(`trl_run_${run}/${file}`);

  it.each([
    ['learns', ['truncated']],
    ['collapses', ['large-rate', 'truncated', 'all-right']],
  ])('%s: both of its files suffer from %j', (run, codes) => {
    for (const file of [state, events]) {
      const { trainer, diagnosed, entries } = ofRun(run, file);
      expect(trainer).toBe('TRL');
      expect(entries).toBe(20);
      expect(diagnosed.map(({ code }) => code)).toEqual(codes);
    }
  });

  it('has its settings in the events, so that none of them is taken for granted', () => {
    expect(ofRun('collapses', state).assumed.join()).toContain('num_generations: 8');
    const { assumed, diagnosed } = ofRun('collapses', events);
    expect(assumed.join()).not.toMatch(/num_generations|generation_batch_size|learning_rate/);
    expect(diagnosed[0].message).toContain('learning_rate is 0.1');
  });
});

describe('event files', () => {
  const event = (step: number, value: number): Uint8Array =>
    encodeEvent({ type: 'scalars', wallSeconds: 1, step, scalars: [['train/reward', value]] });
  const session = (step: number): Uint8Array => encodeEvent({ type: 'session', wallSeconds: 1, step });

  it('come back as they were written, NaN included; a new session voids what is beyond it', () => {
    const { scalars, isCut } = readEvents(
      joinBytes([event(1, 0.5), event(300, Number.NaN), session(2), event(2, 0.25)]),
    );
    expect(isCut).toBe(false);
    expect(scalars).toEqual([
      { step: 1, tag: 'train/reward', value: 0.5 },
      { step: 2, tag: 'train/reward', value: 0.25 },
    ]);
    expect(readEvents(event(7, Number.NaN)).scalars).toEqual([{ step: 7, tag: 'train/reward', value: Number.NaN }]);
  });

  it('of another writer are read whole, and up to where they are cut or damaged', () => {
    const bytes = bytesOf(EVENTS);
    const { scalars, isCut } = readEvents(bytes);
    expect(isCut).toBe(false);
    expect(new Set(scalars.map(({ step }) => step)).size).toBe(16);
    const half = readEvents(bytes.subarray(0, 12_000));
    expect(half.isCut).toBe(true);
    expect(half.scalars).toEqual(scalars.slice(0, half.scalars.length));
    const damaged = Uint8Array.from(bytes);
    damaged[12_000] ^= 1;
    expect(readEvents(damaged).scalars.length).toBeLessThan(scalars.length);
  });

  it('in a folder are one log, and our own are a log too', async () => {
    mkdirSync('runs');
    writeFileSync('runs/events.out.tfevents.1', joinBytes([event(1, 0.5), event(2, 0.5)]));
    writeFileSync('runs/events.out.tfevents.2', joinBytes([session(2), event(2, 0.75), event(3, 1)]));
    const { entries, lastStep } = JSON.parse(await call('doctor', 'runs', '--json'));
    expect([entries, lastStep]).toEqual([3, 3]);
  });
});

describe('`doctor FILE`', () => {
  it('prints what it suffers from, what to call the settings there, and what it could not look for', async () => {
    writeFileSync('train.log', bytesOf('verl_console.log'));
    const text = await call('doctor', 'train.log');
    expect(text).toMatch(/^train\.log {2}verl's console, of verl: 24 entries, steps 1 to 24\.\n/);
    expect(text).toContain('In verl: learning_rate is actor_rollout_ref.actor.optim.lr');
    expect(text).toContain('entropy-collapse (share of dead groups)');
  });

  it('takes the last checkpoint of a folder', async () => {
    for (const step of [90, 100]) mkdirSync(`out/checkpoint-${step}`, { recursive: true });
    writeFileSync('out/checkpoint-90/trainer_state.json', bytesOf('trl_truncated.json'));
    writeFileSync('out/checkpoint-100/trainer_state.json', bytesOf('trl_not_finite.json'));
    expect(await call('doctor', 'out')).toContain('checkpoint-100/trainer_state.json');
  });

  it.each([
    ['nothing there', () => {}, 'x', /x {2}does not exist; give the log/],
    [
      'no log',
      () => writeFileSync('x', 'hello\n'),
      'x',
      /x {2}no log that is known here; it takes trainer_state\.json/,
    ],
    ['other JSON', () => writeFileSync('x', '{"a": 1}'), 'x', /JSON without log_history/],
    [
      'half of a trainer_state.json',
      () => writeFileSync('x', bytesOf('trl_truncated.json').subarray(0, 5000)),
      'x',
      /JSON that ends in the middle.*copy the file again/,
    ],
    ['no step yet', () => writeFileSync('x', '{"log_history": [], "max_steps": 9}'), 'x', /with no step in it yet/],
    ['other figures', () => writeFileSync('x', '{"step":1,"data":{"fps":3}}\n'), 'x', /it has fps/],
    [
      'more than a string holds',
      () => {
        writeFileSync('x', '{');
        truncateSync('x', 600 * 1024 ** 2); // without a block on the disk
      },
      'x',
      /x {2}has 0\.6 GiB, and 0\.25 GiB are read at most; keep the lines/,
    ],
    ['an empty folder', () => mkdirSync('x'), 'x', /x {2}holds no trainer_state\.json/],
    [
      'a run of this package',
      () => {
        mkdirSync('x');
        writeFileSync('x/metrics.jsonl', '');
      },
      'x',
      /is a run of rlvr-train; use rlvr-train advise x/,
    ],
  ])('says of %s what it is', async (_, make, place, words) => {
    make();
    await expect(call('doctor', place)).rejects.toThrow(words);
  });

  it('reads what is whole of lines that end in the middle, and says so', async () => {
    writeFileSync('x.jsonl', bytesOf('verl_metrics.jsonl').subarray(0, 9000));
    expect(await call('doctor', 'x.jsonl')).toContain('the file ends in the middle of an entry');
  });

  it('refuses what only a log has a meaning for, and a mistaken setting', async () => {
    await expect(call('doctor', '--accuracy', 'reward')).rejects.toThrow(/--accuracy — is said of a log/);
    writeFileSync('x.jsonl', bytesOf('verl_metrics.jsonl'));
    await expect(call('doctor', 'x.jsonl', '--set', 'num_generation=4')).rejects.toThrow(/num_generations/);
  });
});
