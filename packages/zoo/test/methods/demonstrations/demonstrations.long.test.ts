/** What a supervised stage shows of problems that are played: by hand, by its loss and gradient, and in whole runs. */
import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../../../src/config/dump.ts';
import type { TrainingRun } from '../../../../../src/grpo/run.ts';
import { openSupervised } from '../../../../../src/grpo/step.ts';
import { playedDemonstration } from '../../../../../src/grpo/update/played_demonstrations.ts';
import { wasmBackend } from '../../../../../src/kernels/wasm/backend.ts';
import type { TrainedText } from '../../../../../src/methods/points.ts';
import { packBatch } from '../../../../../src/model/batch.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { slopes, supervise, supervised } from '../../../../../test/grpo/step_parts.ts';
import { DEMONSTRATIONS, parseConfig } from '../../../../../test/support/everything.ts';
import { killedAndResumed } from '../../../../../test/support/killed_runs.ts';
import { finishRun, finishSmallRun, plainWasm } from '../../../../../test/support/small_runs.ts';

const FORM = '{name: form_state, fields: 3, values: 4, changes: 2}';

function opened(demonstrations: unknown, keys: Readonly<Record<string, unknown>> = {}): Promise<TrainingRun> {
  return supervised({ demonstrations, ...keys }, { overrides: [`task=${FORM}`] });
}

/** What the first problems of the stream are shown as. */
function shown(run: TrainingRun, count: number) {
  const { engine, config } = run;
  const [stage] = config.stages;
  if (stage.stage !== 'sft') throw new Error('expected a supervised stage');
  const step = openSupervised(run, stage);
  return Array.from({ length: count }, (_, index) => {
    const item = engine.tasks.trainItem(config.seed, index);
    return { item, index, text: playedDemonstration(engine.tasks, step, { item, index }, 0) };
  });
}

/** The text with what is learned in brackets. */
function marked({ engine }: TrainingRun, { tokens, labels = new Uint8Array() }: TrainedText): string {
  const { codec } = engine.tasks;
  return [...tokens]
    .map((id, t) => (labels[t] === TOKEN.given ? codec.tokenText(id) : `[${codec.tokenText(id)}]`))
    .join('');
}

describe('token-weighted-sft', () => {
  const weigh = (options: object, tokens: readonly number[], labels?: readonly number[]) => {
    const method = DEMONSTRATIONS.find(({ id }) => id === 'token-weighted-sft');
    const { weigh: own } = method?.create({ openingMark: '=', answerWeight: 3, ...options }, {} as never) ?? {};
    const textOf = (part: Int32Array): string => [...part].map((id) => 'ab=c'[id]).join('');
    return [
      ...(own?.({ tokens: Int32Array.from(tokens), ...(labels && { labels: Uint8Array.from(labels) }) }, textOf) ?? []),
    ];
  };

  it('weighs what follows the last mark of each turn', () => {
    expect(weigh({}, [0, 2, 1, 2, 3, 1])).toEqual([1, 1, 1, 1, 3, 3]);
    expect(weigh({}, [0, 1, 3])).toEqual([1, 1, 1]);
    const [own, given] = [TOKEN.sampled, TOKEN.given];
    expect(weigh({}, [0, 2, 1, 2, 2, 3], [own, own, own, given, own, own])).toEqual([1, 1, 3, 1, 1, 3]);
  });

  it('with a weight of 1 is the plain stage to the bit, and with another is not', async () => {
    const trainedBy = async (demonstrations?: unknown): Promise<Float32Array> => {
      const keys = demonstrations === undefined ? {} : { demonstrations };
      const run = await supervised(keys, { overrides: ['task={name: chain_sum, level: 0}'] });
      for (let step = 0; step < 2; step++) await supervise(run);
      return run.engine.policy.readVector('weights');
    };
    const plain = await trainedBy();
    // No demonstration has this mark.
    expect(await trainedBy({ name: 'token-weighted-sft', mark: '#', answer_weight: 5 })).toEqual(plain);
    expect(await trainedBy({ name: 'token-weighted-sft', mark: '1', answer_weight: 1 })).toEqual(plain);
    expect(await trainedBy({ name: 'token-weighted-sft', mark: '1', answer_weight: 5 })).not.toEqual(plain);
  });
});

describe('world-model-stage', () => {
  it('shows the record after each action and learns that alone, whoever acts', async () => {
    for (const share of [0, 1]) {
      const run = await opened({ name: 'world-model-stage', random_share: share });
      let answered = 0;
      for (const { item, text } of shown(run, 20)) {
        if (text === undefined) continue;
        const { record, goal } = item.identity as { record: string; goal: string };
        let now = record;
        const turns = marked(run, text).split('<eos>');
        for (const [k, turn] of turns.slice(0, -1).entries()) {
          const action = k === 0 ? turn : turn.replace(/^(\[.\])+/, '');
          expect(action).toMatch(/^[abc][0-3]$/); // a submission would have ended it
          const field = 'abc'.indexOf(action[0]);
          if (share === 0) expect([record[field] !== goal[field], action[1]]).toEqual([true, goal[field]]);
          now = now.slice(0, field) + action[1] + now.slice(field + 1);
          const written = [...now].map((value, at) => `[${'abc'[at]}][${value}]`).join('');
          expect(turns[k + 1].startsWith(written)).toBe(true);
          answered++;
        }
      }
      expect(answered).toBeGreaterThan(20);
    }
  });

  it('mixes the players by random_share, and follows a schedule of it', async () => {
    const run = await opened({ name: 'world-model-stage', random_share: { from: 1, to: 0, over: 0.5 } });
    const [stage] = run.config.stages;
    if (stage.stage !== 'sft') throw new Error('expected a supervised stage');
    const step = openSupervised(run, stage);
    const item = run.engine.tasks.trainItem(0, 1);
    const at = (number: number) => playedDemonstration(run.engine.tasks, step, { item, index: 1 }, number);
    expect(at(0)).toEqual(at(0));
    expect(at(2)).not.toEqual(at(0));
    expect(at(2)).toEqual(at(3));
  });
});

describe('reflection-sft', () => {
  it('shows worse actions with their outcomes, then the action of the expert, after turns of his', async () => {
    const run = await opened({ name: 'reflection-sft', reflected_share: 1, worse_actions: 2 });
    let [reflected, worse] = [0, 0];
    for (const { item, text } of shown(run, 40)) {
      if (text === undefined) continue;
      reflected++;
      const { record, goal } = item.identity as { record: string; goal: string };
      const [before, after] = marked(run, text).split('<reflect>');
      // What the expert did before, from the left, with the record after each.
      const steps = before.split('<eos>');
      let now = record;
      steps.slice(0, -1).forEach((turn, k) => {
        const action = turn.slice(k === 0 ? 0 : 6);
        const field = 'abc'.indexOf(action[0]);
        now = now.slice(0, field) + action[1] + now.slice(field + 1);
        expect(steps[k + 1].slice(0, 6)).toBe([...now].map((value, at) => 'abc'[at] + value).join(''));
      });
      const [alternatives, best] = after.split('<better>');
      const wrong = [...now].findIndex((value, at) => value !== goal[at]);
      expect(best).toBe(wrong < 0 ? '[!][<eos>]' : `[${'abc'[wrong]}][${goal[wrong]}][<eos>]`);
      const right = (state: string): number => [...state].filter((value, at) => value === goal[at]).length;
      const nearest = wrong < 0 ? 4 : right(now) + 1;
      for (const [, action, outcome] of alternatives.matchAll(/([abc]\d|!)<leads>((?:\[.\]){6}|\[<lost>\])/g)) {
        worse++;
        if (action === '!') {
          expect([outcome, wrong < 0]).toEqual(['[<lost>]', false]);
          continue;
        }
        const field = 'abc'.indexOf(action[0]);
        const led = now.slice(0, field) + action[1] + now.slice(field + 1);
        expect(outcome).toBe([...led].map((value, at) => `[${'abc'[at]}][${value}]`).join(''));
        expect(right(led)).toBeLessThan(nearest);
      }
      expect(text.tokens.length).toBeLessThanOrEqual(run.engine.tasks.maxCompletionTokens);
    }
    expect(reflected).toBeGreaterThan(20);
    expect(worse).toBeGreaterThan(reflected);
  });

  it('shows the other problems as their task does', async () => {
    const run = await opened({ name: 'reflection-sft', reflected_share: 0 });
    expect(shown(run, 20).every(({ text }) => text === undefined)).toBe(true);
    const plain = await supervised({ learning_rate: 1e-30 }, { overrides: [`task=${FORM}`] });
    expect((await supervise(run)).completionTokens).toBe((await supervise(plain)).completionTokens);
  });
});

describe.each(['world-model-stage', 'reflection-sft'])('a stage that shows %s', (name) => {
  it('has the mean negative log-prob of what is learned as loss, and its gradient', async () => {
    const run = await opened(name, { learning_rate: 1e-30 });
    const { tasks, policy } = run.engine;
    const groups = shown(run, 6).map(({ item, index, text }) => {
      const { prompt, tokens, labels } = text ?? tasks.demonstration(item, run.config.seed, index);
      return { prompt, completions: [tokens], labels: [labels] };
    });
    const mean = async (): Promise<number> => {
      let [sum, count] = [0, 0];
      for (const group of groups) {
        const batch = packBatch([group]);
        await policy.score(batch, 1);
        const scored = await policy.engine.read(policy.slots.results.logprobs, batch.lossRowCount);
        sum -= Array.from(scored).reduce((total, value) => total + value, 0);
        count += batch.lossRowCount;
      }
      return sum / count;
    };
    const { loss } = await supervise(run);
    expect(loss).toBeCloseTo(await mean(), 6);
    const { gradient, differences, norm } = await slopes(run, mean);
    expect(Math.abs(gradient - differences)).toBeLessThan(1e-6 * norm);
  });

  const yaml = `
task: ${FORM}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 32, initializer_range: 0.3}
seed: 3
stages:
  - {stage: sft, max_steps: 6, per_device_train_batch_size: 8, learning_rate: 1.0e-2, eval_strategy: "no", demonstrations: ${name}}
  - {stage: grpo, max_steps: 2, num_generations: 4, generation_batch_size: 16, learning_rate: 1.0e-2, eval_strategy: "no", reward_funcs: [accuracy, {name: ./any.ts}]}
`;
  const any = {
    name: 'any',
    score: ({ completionTokens }: { completionTokens: readonly Int32Array[] }) =>
      completionTokens.map(({ length }) => (length % 5) / 4),
  };
  const small = { yaml, rewards: { './any.ts': any } };

  it('lowers its loss, and ends with the same bits after a kill and with two threads', async () => {
    const whole = await finishSmallRun(await plainWasm(), small);
    const losses = whole.metrics.slice(0, 6).map(({ loss }) => Number(loss));
    expect(losses[5]).toBeLessThan(losses[0]);
    const { resumed } = await killedAndResumed(small, (event) => event.type === 'step' && event.step === 3);
    expect((await finishRun(resumed)).sha256).toBe(whole.sha256);
    const threads = await wasmBackend({ threads: 2, fma: false });
    expect((await finishSmallRun(threads, small)).sha256).toBe(whole.sha256);
  });

  it('comes back from the config that is written out', () => {
    const { config } = parseConfig(yaml.replace(', {name: ./any.ts}', ''), { file: 'a' });
    expect(config.stages[0]).toMatchObject({ demonstrations: { name } });
    expect(parseConfig(resolvedYaml(config), { file: 'b' }).config).toEqual(config);
  });

  it('says what it does, by which formula, and where that is from', () => {
    const about = DEMONSTRATIONS.find(({ id }) => id === name)?.about;
    expect(about?.does).toMatch(/^[A-Z].+\.$/);
    expect(about?.source).toMatch(/^(own|\d{4}\.\d{5})$/);
  });

  it('is refused to a task of one turn, before step 1', async () => {
    const rule = `${name}: tells the turns of an episode apart, and reverse_text is answered in one`;
    await expect(supervised({ demonstrations: name })).rejects.toThrow(rule);
  });
});

describe('the key demonstrations', () => {
  const parsed =
    (line: string, kind = 'sft') =>
    () =>
      parseConfig(`task: guess_number\nstages: [{stage: ${kind}, max_steps: 2, ${line}}]`, { file: 'run.yaml' });

  it.each([
    [
      'demonstrations: world-model-stages',
      'no such method (reflection-sft, teacher-samples, token-weighted-sft, world-model-stage); the nearest is world-model-stage',
    ],
    ['demonstrations: {name: world-model-stage, random_share: 2}', 'random_share: must be'],
    ['demonstrations: {name: world-model-stage, share: 1}', 'share'],
    ['demonstrations: world-model-stage, data_files: rows.jsonl', 'data_files already says what this stage shows'],
  ])('refuses %s with its line', (line, message) => {
    expect(parsed(line)).toThrow(message);
    expect(parsed(line)).toThrow('run.yaml:2');
  });

  it('belongs to a supervised stage', () => {
    expect(parsed('demonstrations: world-model-stage', 'grpo')).toThrow('demonstrations');
  });
});
