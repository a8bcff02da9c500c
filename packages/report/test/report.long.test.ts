import { Window } from 'happy-dom';
import { describe, expect, it } from 'vitest';
import { referenceBackend } from '../../../src/kernels/reference/engine.ts';
import type { JsonObject } from '../../../src/run/json.ts';
import { session } from '../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';
import { openRun, parseConfig } from '../../../test/support/everything.ts';
import { createTasks } from '../../../test/support/tasks.ts';
import { PAGE_SCRIPT } from '../assets.ts';
import { makeReport } from '../report.ts';
import {
  completion,
  type Directory,
  directory,
  evaluation,
  FINGERPRINT,
  ONE_STAGE,
  SUMMARY,
  step,
  TWO_STAGES,
} from './run_directory.ts';

const EVIL = `</script><script>alert(1)</script><img src=x onerror=alert(2)> "quoted" & <!-- \u2028 \ud800`;

const report = async (files: Directory, name = 'a run'): Promise<string> => makeReport(await directory(files), name);

const threeSteps: Directory = {
  config: ONE_STAGE,
  fingerprint: FINGERPRINT,
  metrics: [
    evaluation('grpo', 0, 'baseline', 0.25),
    step('grpo', 1, { reward: 0.1, 'completions/clipped_ratio': 0 }),
    step('grpo', 2, { reward: 0.2, 'completions/clipped_ratio': 0.5 }),
    evaluation('grpo', 3, 'periodic', 0.75),
    step('grpo', 3, { reward: 0.3, 'completions/clipped_ratio': 0 }),
  ],
  completions: [
    completion(1, 0, { completion: 'first', prompt: 'p1' }),
    completion(1, 0, { completion: 'good', prompt: 'p1', status: 'correct', reason: 'it is', reward: 1, advantage: 1 }),
    completion(3, 0, { completion: 'twice', prompt: 'p3', advantage: 0 }),
    completion(3, 0, { completion: 'twice', prompt: 'p3', advantage: 0 }),
    completion(3, 1, { completion: 'endless', prompt: 'p4', finish_reason: 'length' }),
  ],
};

/** The page in a document, its script run as a browser would. @param hash  of its address */
function open(html: string, hash = '') {
  const window = new Window({ width: 1280, height: 900, url: `http://127.0.0.1/report.html${hash}` });
  // There is no layout here; charts are drawn as wide as this.
  Object.defineProperty(window.HTMLElement.prototype, 'clientWidth', { get: () => 600 });
  window.document.write(html);
  const resize = class {
    readonly #changed: () => void;
    constructor(changed: () => void) {
      this.#changed = changed;
    }
    observe(): void {
      this.#changed();
    }
  };
  // There is no canvas either; what is drawn on one is looked at in a browser.
  const canvas = new Proxy({}, { get: (_, name) => (name === 'measureText' ? () => ({ width: 9 }) : () => {}) });
  Object.defineProperty(window.HTMLCanvasElement.prototype, 'getContext', { value: () => canvas });
  const { document: page, location, history, navigator, CSS, Event, CustomEvent, MouseEvent, HTMLElement } = window;
  const globals = {
    window,
    document: page,
    location,
    history,
    navigator,
    CSS,
    Event,
    CustomEvent,
    MouseEvent,
    HTMLElement,
    devicePixelRatio: 1,
    Path2D: class {
      rect(): void {}
      moveTo(): void {}
      lineTo(): void {}
      arc(): void {}
      addPath(): void {}
    },
    matchMedia: () => ({ matches: false, addEventListener: () => {} }),
    addEventListener: window.addEventListener.bind(window),
    getComputedStyle: window.getComputedStyle.bind(window),
    ResizeObserver: resize,
    IntersectionObserver: class {
      readonly #look: (entries: readonly object[]) => void;
      constructor(look: (entries: readonly object[]) => void) {
        this.#look = look;
      }
      observe(target: object): void {
        this.#look([{ target, isIntersecting: true }]);
      }
    },
    requestAnimationFrame: (frame: () => void) => frame(),
  };
  new Function(...Object.keys(globals), PAGE_SCRIPT)(...Object.values(globals));
  const { document } = window;
  const all = (selector: string): string[] =>
    [...document.querySelectorAll(selector)].map((found) => found.textContent);
  const press = (selector: string, key: string): void => {
    document.querySelector(selector)?.dispatchEvent(new window.KeyboardEvent('keydown', { key }));
  };
  const choose = (label: string): void => {
    const found = [...document.querySelectorAll('.choices label')].find((each) => each.textContent.startsWith(label));
    const input = found?.querySelector('input') as unknown as {
      checked: boolean;
      dispatchEvent: (event: unknown) => void;
    };
    input.checked = true;
    input.dispatchEvent(new window.Event('change'));
  };
  const type = (selector: string, value: string): void => {
    const input = document.querySelector(selector) as unknown as {
      value: string;
      dispatchEvent: (event: unknown) => void;
    };
    input.value = value;
    input.dispatchEvent(new window.Event('input'));
  };
  return { document, all, press, choose, type, location: () => window.location };
}

describe('a run with a fleet', () => {
  const line = {
    stage: 'grpo',
    step: 3,
    workers: 4,
    groups_by_workers: 120,
    groups_by_learner: 2,
    groups_under_way: 16,
    groups_checked: 6,
    answers_doubled: 3,
    answers_refused: 1,
    wasted_seconds: 12,
    waited_seconds: 4,
    broadcast_seconds: 1,
    broadcast_bytes: 2.5e6,
    seconds: 100,
    advice: 'fleet: the learner is busy 96 % of the time: more workers change nothing',
  };

  it('says who samples, who waits, and what would change nothing', async () => {
    const { document } = open(await report({ ...threeSteps, fleet: [{ ...line, workers: 1 }, line] }));
    const section = document.querySelector('[aria-labelledby="fleet-title"]')?.textContent.replace(/\s+/g, ' ');
    expect(section).toContain('Workers4at grpo step 3');
    expect(section).toContain('Groups sampled120by workers, 2 by the learner; 6 checked');
    expect(section).toContain('Learner waited4 %');
    expect(section).toContain('Weights sent2.5 MB1 % of the time');
    expect(section).toContain('3 came twice');
    expect(section).toContain('more workers change nothing');
  });

  it('or whose log is none says nothing of it', async () => {
    const withFleet = async (fleet?: JsonObject[]) => open(await report({ ...threeSteps, fleet })).document;
    for (const fleet of [undefined, [], [{ step: 1 }]])
      expect((await withFleet(fleet)).querySelector('[aria-labelledby="fleet-title"]')).toBeNull();
  });
});

describe('text from a policy', () => {
  const evilRun: Directory = {
    config: `task:\n  name: ${JSON.stringify(EVIL)}\n  knob: ${JSON.stringify(EVIL)}\nstages:\n  - stage: grpo\n    max_steps: 3\n`,
    metrics: [
      step('grpo', 1, { [EVIL]: 1 }),
      step('grpo', 2, { [EVIL]: 2 }),
      { step: 2, diagnosis: EVIL, message: EVIL },
    ],
    completions: [completion(1, 0, { prompt: EVIL, completion: EVIL, reason: EVIL, rewards: { [EVIL]: 1, b: 2 } })],
    failure: { message: EVIL },
  };

  it('never leaves the place where it is data', async () => {
    const html = await report(evilRun, EVIL);
    expect(html.match(/<script/gi)).toHaveLength(2);
    expect(html.match(/<\/script/gi)).toHaveLength(2);
    expect(html).not.toMatch(/<img|<!--/i);
    // As a browser reads it: the element ends at the first `</script`.
    const json = /<script type="application\/json" id="data">(.*?)<\/script/s.exec(html)?.[1] ?? '';
    const { completions } = JSON.parse(json) as { completions: { groups: { members: string[][] }[] } };
    expect(completions.groups[0]?.members[0]?.[0]).toBe(EVIL);
  });

  it('is shown as it is, and makes no element', async () => {
    const { document, all } = open(await report(evilRun, EVIL));
    expect(all('.completion')).toEqual([EVIL]);
    expect(all('.prompt')).toEqual([EVIL]);
    expect(all('.verdict')[0]).toContain(EVIL);
    expect(all('h1')).toEqual([EVIL]);
    expect(all('.notice strong')).toContain(EVIL);
    expect(document.querySelectorAll('script')).toHaveLength(2);
    expect(document.querySelectorAll('img')).toHaveLength(0);
  });
});

describe('the page', () => {
  it('asks nothing of a network, and may run no script but its own', async () => {
    const html = await report(threeSteps);
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(PAGE_SCRIPT))).toString(
      'base64',
    );
    expect(html).toContain(
      `content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; script-src &#39;sha256-${hash}&#39;"`,
    );
    expect(html).toContain(`<script type="module">${PAGE_SCRIPT}</script>`);
    expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/|url\(|@import|<link|src=/);
  });

  it('says of a finished run what it reached, in how long, on what, and the hash of its weights', async () => {
    const { all } = open(await report({ ...threeSteps, summary: SUMMARY }));
    expect(all('.status')).toEqual(['finished']);
    const figures = all('.figures > div').map((text) => text.replace(/\s+/g, ' '));
    expect(figures[0]).toBe('Greedy accuracy25.0 % → 75.0 %held-out, best guess; 95 %: 70.0–80.0');
    const rose = figures.find((text) => text.startsWith('What rose'));
    expect(rose).toBe('What rosesolves moreit solves more than before, by its best guess or in several tries');
    expect(figures).toContain('Time2m 05s9,000 tokens/s on average');
    expect(all('.splits dt')).toEqual(['rollout', 'verify', 'update', 'eval', 'other: checkpoints, logs']);
    const facts = all('.facts dd');
    for (const fact of ['A Processor (linux x64)', 'node 20.20.2, v8 11.3', 'abc123', '7'])
      expect(facts).toContain(fact);
    expect(all('.config')[0]).toBe(ONE_STAGE);
    expect(all('.command')).toEqual(['npx --no-install rlvr-train --config config.yaml --output runs/again']);
    expect(all('#details .quiet')[0]).toContain(FINGERPRINT.configHash.slice(0, 16));
  });

  it.each([
    ['best', 'its weights are the model'],
    ['last', 'the model has the last weights'],
  ])('says which evaluation was the best, and that the model is the %s', async (model, words) => {
    const best = { stage: 'grpo', step: 2, metric: 'eval_accuracy', metrics: { eval_accuracy: 0.9 } };
    const { all } = open(await report({ ...threeSteps, summary: { ...SUMMARY, best, model } }));
    const figures = all('.figures > div').map((text) => text.replace(/\s+/g, ' '));
    expect(figures).toContain(`Best evaluation90.0 %greedy, grpo step 2; ${words}`);
  });

  it.each<[string, Directory, string]>([
    ['is under way', threeSteps, 'unfinished, grpo step 3 of 600'],
    ['has only a supervised stage', { config: TWO_STAGES, metrics: [step('sft', 1)] }, 'unfinished, sft step 1 of 40'],
    ['has logged nothing yet', {}, 'unfinished, no step yet'],
    ['broke off', { ...threeSteps, failure: { message: 'the loss is NaN' } }, 'stopped by an error'],
  ])('tells of a run that %s', async (_what, files, status) => {
    expect(open(await report(files)).all('.status')).toEqual([status]);
  });

  it('lists what the run diagnosed, once a kind', async () => {
    const diagnosis = { step: 2, diagnosis: 'all-dead', message: 'all groups are dead' };
    const { all } = open(
      await report({ ...threeSteps, metrics: [...(threeSteps.metrics ?? []), diagnosis, diagnosis] }),
    );
    expect(all('.notices li')).toEqual(['all-dead grpo step 2all groups are dead']);
  });

  it('says in a quiet line what no longer holds', async () => {
    const said = (step: number, level: string) => ({ step, diagnosis: 'below-best', level, message: `it is ${level}` });
    const metrics = [...(threeSteps.metrics ?? []), said(2, 'warning'), said(3, 'withdrawn')];
    const { all } = open(await report({ ...threeSteps, metrics }));
    expect(all('.notices li')).toEqual([]);
    expect(all('.quiet')).toEqual(
      expect.arrayContaining([
        'Diagnostics that hold: none.',
        'No longer so: below-best (grpo step 2, withdrawn at 3).',
      ]),
    );
  });

  it('stays below a megabyte however long the run was', async () => {
    const numbers = Array.from({ length: 2_500 }, (_, i) => i + 1);
    const names = Array.from({ length: 15 }, (_, i) => `metric/${i}`);
    const metrics = numbers.map((n) =>
      step('grpo', n, Object.fromEntries(names.map((name, i) => [name, Math.sin(n * i)]))),
    );
    const completions = numbers.map((n) => completion(n, 0, { completion: `${n} ${'é'.repeat(500)}` }));
    const html = await report({ metrics, completions });
    const size = Buffer.byteLength(html);
    expect(size).toBeLessThan(1_000_000);
    expect(size).toBeGreaterThan(800_000); // and wastes little of it
    expect(html).toContain('"stepsRecorded":2500');
  });

  it('is refused where there is no run, and where a log is damaged', async () => {
    await expect(makeReport(memoryStore(), 'x')).rejects.toMatchObject({ code: 'no-run' });
    const store = await directory(threeSteps);
    await store.append('metrics.jsonl', 'not json\n');
    await expect(makeReport(store, 'x')).rejects.toThrow('metrics.jsonl:6  not a JSON object.');
  });

  it.each([
    ['an anchor that is missing', 'task: *nowhere\nstages: []\n'],
    ['text that is no YAML', 'task: [\n'],
    [
      'aliases that grow without end',
      `a: &a [x,x]\n${'bcdefghijklmnopqrstuvwxyz'.replace(/./g, (name, at: number) => `${name}: &${name} [${`*${'abcdefghijklmnopqrstuvwxyz'[at]},`.repeat(9)}]\n`)}`,
    ],
    ['another document', 'just a text'],
  ])('is refused where config.yaml has %s', async (_, config) => {
    await expect(report({ config })).rejects.toMatchObject({ code: 'run-malformed' });
    await expect(report({ config })).rejects.toThrow(
      /^config\.yaml is not one that a training wrote \(.+\)\. Restore it\.$/,
    );
  });

  it.each([
    ['dashes', '-'],
    ['spaces', ' '],
    ['keys', 'a.'],
  ])('shows a config with a line of 100,000 %s in less than a second', async (_, part) => {
    const before = process.cpuUsage();
    await report({ config: `${ONE_STAGE}\n# long\nlong: "x\n  ${part.repeat(100_000)}x"\n` });
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
  });

  it('reads a log whose last line is still being written', async () => {
    const store = await directory(threeSteps);
    await store.append('metrics.jsonl', '{"step":4,"st');
    expect(open(await makeReport(store, 'x')).all('.status')).toEqual(['unfinished, grpo step 3 of 600']);
  });
});

describe('the table of tasks', () => {
  const ofTask = (label: string, greedy: number): JsonObject =>
    Object.fromEntries(
      [`eval_accuracy/${label}`, `eval_mean@4/${label}`].flatMap((key, i) => [
        [key, greedy / (1 + i)],
        [`${key}_low`, greedy / (1 + i) - 0.1],
        [`${key}_high`, greedy / (1 + i) + 0.1],
      ]),
    );
  const rows = async (files: Directory): Promise<string[]> =>
    open(await report(files))
      .all('.tasks tbody tr')
      .map((text) => text.trim());
  const stages = 'stages:\n  - stage: grpo\n    max_steps: 3\n';

  it('has each part of a mixture by its level, before and after', async () => {
    const config = `tasks:\n  - {name: gcd, level: 0, weight: 2}\n  - {name: gcd, level: 1, weight: 1}\n  - {name: lcm, weight: 1}\n${stages}`;
    const at = (number: number, moment: string, accuracies: readonly number[]): JsonObject => ({
      ...evaluation('grpo', number, moment, 0.5),
      ...Object.assign({}, ...accuracies.map((value, i) => ofTask(['gcd#1', 'gcd#2', 'lcm'][i] as string, value))),
    });
    const metrics = [at(0, 'baseline', [0.2, 0.1, 0.3]), step('grpo', 3), at(3, 'final', [0.8, 0.4, 0.3])];
    expect(await rows({ config, metrics })).toEqual([
      'gcd: level 020.0 % 10.0–30.080.0 % 70.0–90.010.0 % 0.0–20.040.0 % 30.0–50.0',
      'gcd: level 110.0 % 0.0–20.040.0 % 30.0–50.05.0 % -5.0–15.020.0 % 10.0–30.0',
      'lcm30.0 % 20.0–40.030.0 % 20.0–40.015.0 % 5.0–25.015.0 % 5.0–25.0',
    ]);
    expect(open(await report({ config, metrics })).all('.about')[0]).toContain('gcd: level 0 + gcd: level 1 + lcm');
  });

  it('has one task with its level, and without an evaluation before the stage what is known', async () => {
    const config = `task: {name: gcd, level: 2}\n${stages}`;
    const final = evaluation('grpo', 3, 'final', 0.5);
    expect(await rows({ config, metrics: [step('grpo', 3), final] })).toEqual([
      'gcd: level 2–50.0 % 45.0–55.0–25.0 % 20.0–30.0',
    ]);
  });

  it('is left out where it would say what the figures say', async () => {
    expect(await rows(threeSteps)).toEqual([]);
    expect(await rows({ config: `task: {name: gcd, level: 2}\n${stages}`, metrics: [step('grpo', 1)] })).toEqual([]);
  });
});

describe('the curves', () => {
  it('show what the run logged, and leave out what it did not', async () => {
    const { all } = open(await report(threeSteps));
    const panels = ['Held-out accuracy', 'Reward', 'Truncated completions', 'Tokens per second', 'Policy loss'];
    expect(all('#charts > .panels h3').slice(0, 5)).toEqual(panels);
    expect(all('.panel .legend')).toContain('reward 0.3');
  });

  it('follow the arrow keys, all together, and tell the values', async () => {
    const { document, press, all } = open(await report(threeSteps));
    const reward = '.plot[aria-label="Reward"]';
    press(reward, 'ArrowLeft');
    expect(document.querySelector(reward)?.getAttribute('aria-valuetext')).toBe('step 2 · 1s · 200 tokens: reward 0.2');
    expect(
      document.querySelector('.plot[aria-label="Truncated completions"]')?.getAttribute('aria-valuetext'),
    ).toContain('50.0 %');
    press(reward, 'Home');
    expect(document.querySelector(reward)?.getAttribute('aria-valuenow')).toBe('1');
    press(reward, 'Enter');
    expect(all('.navigation output')).toEqual(['step 1']);
    press(reward, 'Escape');
    expect(all('.place').join('')).toBe('');
  });

  it('are drawn over steps, time or tokens, of one stage or all', async () => {
    const metrics = [
      step('sft', 1),
      step('sft', 2),
      step('grpo', 1, { num_tokens: 300 }),
      step('grpo', 2, { num_tokens: 400 }),
    ];
    const { choose, document, press, location } = open(await report({ config: TWO_STAGES, metrics }));
    const shown = (): (string | null)[] =>
      [...document.querySelectorAll('.panel')]
        .filter((panel) => !panel.hasAttribute('hidden'))
        .map((panel) => panel.querySelector('h3')?.textContent ?? null);
    expect(shown()).toEqual(expect.arrayContaining(['Supervised loss', 'Policy loss']));
    const place = '.plot[aria-label="Policy loss"]';
    press(place, 'Home');
    expect(document.querySelector(place)?.getAttribute('aria-valuetext')).toMatch(
      /^grpo step 1 · 1\.5s · 300 tokens: /,
    );
    choose('tokens');
    expect(location().hash).toBe('#over=tokens');
    choose('grpo');
    expect(shown()).not.toContain('Supervised loss');
  });
});

describe('a link to a report', () => {
  it('restores axis, stage, smoothing, series and step, and passes over what is none of them', async () => {
    const metrics = [step('sft', 1), step('grpo', 1, { reward: 1 }), step('grpo', 2, { reward: 2 })];
    const completions = [completion(1, 0, { completion: 'early' }), completion(2, 0, { completion: 'late' })];
    const hash = '#over=tokens&stage=1&smoothing=0.5&scale=log&off=Reward%2Freward&step=1-1&evil=%3Cimg%3E&part=x~y';
    const { document, all } = open(await report({ config: TWO_STAGES, metrics, completions }), hash);
    const chosen = [...document.querySelectorAll('.choices input')].filter(
      (input) => 'checked' in input && input.checked,
    );
    expect(chosen.map((input) => input.getAttribute('value'))).toEqual(['tokens', '1', 'log', 'all']);
    expect(document.querySelector('.legend[aria-pressed="false"]')?.textContent).toContain('reward');
    expect(all('.navigation output')).toEqual(['grpo step 1']);
    expect(all('.completion')).toEqual(['early']);
  });
});

describe('the completions', () => {
  it('of a run under way leave out the step whose metrics are not written yet', async () => {
    const half = [...(threeSteps.completions ?? []), completion(4, 0, { prompt: 'p5' })];
    const all = async (files: Directory): Promise<string> => report({ ...threeSteps, ...files, completions: half });
    expect(await all({})).not.toContain('p5');
    expect(await all({})).toContain('p4');
    expect(await all({ summary: SUMMARY })).toContain('p5');
  });

  it('begin with the last step, members that say the same together', async () => {
    const { all } = open(await report(threeSteps));
    expect(all('.navigation output')).toEqual(['step 3']);
    expect(all('.prompt')).toEqual(['p3', 'p4']);
    expect(all('.verdict')).toEqual(['× 2✕ wrong not it', '… truncated not it']);
    expect(all('.group header .quiet')[0]).toBe('group 1 · 0 of 2 right · dead: all rewards are equal');
  });

  it('put the best of a group first, each with reward and advantage', async () => {
    const { all, type } = open(await report(threeSteps));
    type('.navigation input', '0');
    expect(all('.completion')).toEqual(['good', 'first']);
    expect(all('.credit')).toEqual(['reward 1advantage +1', 'reward 0advantage −1']);
  });

  it('of several turns are a conversation: who said what, its tokens, and what an action was paid', async () => {
    const turns: JsonObject[] = [
      { label: 'policy', text: '50', tokens: 3, potential: 0.5, reward: 0.25 },
      { label: 'environment', text: '\n<\n', tokens: 1 },
      { label: 'policy', text: '<b>', tokens: 1 },
    ];
    const played = completion(1, 0, { prompt: '0 99>', completion: '50\n<\n<b>', turns });
    const { all } = open(await report({ metrics: [step('grpo', 1)], completions: [played] }));
    expect(all('.turn .who')).toEqual([
      'policy · 3 tokens · reward 0.25 · potential 0.5',
      'environment · 1 token',
      'policy · 1 token',
    ]);
    expect(all('.turn code')).toEqual(['50', '<', '<b>']);
    expect(all('.turn.others code')).toEqual(['<']);
    expect(all('.turns b')).toEqual([]);
  });

  it('are found by verdict and by text, and the rest of a group on request', async () => {
    const { all, choose, type, document } = open(await report(threeSteps));
    choose('right');
    expect(all('.navigation output')).toEqual(['step 1']);
    expect(all('.completion')).toEqual(['good']);
    (document.querySelector('button.more') as unknown as { click: () => void }).click();
    expect(all('.completion')).toEqual(['good', 'first']);
    choose('all');
    type('input[type="search"]', 'endless');
    expect(all('.completion')).toEqual(['endless']);
    expect(all('[role="status"]')).toEqual(['1 completion matches, in 1 step.']);
    type('input[type="search"]', 'nowhere');
    expect(all('.navigation output')).toEqual(['no step']);
  });
});

it('a run of our own makes a page with all its parts', async () => {
  const yaml = `
task: {name: reverse_text, min_length: 3, max_length: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
stages:
  - {stage: sft, max_steps: 2, per_device_train_batch_size: 2}
  - {stage: grpo, max_steps: 2, num_generations: 2, generation_batch_size: 4, num_generations_eval: 2, reward_funcs: [lcs, accuracy]}`;
  const { config } = parseConfig(yaml, { file: 'inline' });
  const run = await openRun(config, createTasks(config, { heldOutSample: 2 }), referenceBackend);
  const store: Store = memoryStore();
  const options = { run, store, fingerprint: FINGERPRINT, resume: false, force: false, shouldStop: () => false };
  for await (const event of session(options)) expect(event.type).not.toBe('stopped');
  const { all } = open(await makeReport(store, 'ours'));
  expect(all('.status')).toEqual(['finished']);
  expect(all('h3')).toEqual(
    expect.arrayContaining(['Held-out accuracy', 'Rewards by function', 'Supervised loss', 'Dead groups']),
  );
  expect(all('.member').length).toBeGreaterThan(0);
  expect(all('.parts')[0]).toMatch(/^lcs .+ · accuracy 0$/);
});
