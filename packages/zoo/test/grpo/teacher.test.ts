/** Runs with a teacher: what they learn from, that nothing else changes, kills, and what is refused. */
import { afterAll, describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { captureCheckpoint } from '../../../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../../../src/run/checkpoint/restore.ts';
import { runFingerprint } from '../../../../src/run/fingerprint/run_fingerprint.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import type { OpenedModel } from '../../../../src/run/models.ts';
import { rewards, YAML } from '../../../../test/grpo/tiny_stage.ts';
import { finishRun, finishSmallRun, openSmallRun, plainWasm } from '../../../../test/support/small_runs.ts';

const NAMED = `${YAML}\nmodels: {teacher: {path: runs/teacher}}`;
const TERM = 'loss_terms: [{name: teacher-kl, teacher_kl_coef: 2}]';
const ALONE = `objective: terms-only\n${TERM}`;

/** The weights of a run, as a further model of another one. */
function asModel({ engine: { policy, tasks } }: TrainingRun): OpenedModel {
  return {
    name: 'runs/teacher',
    codec: tasks.codec,
    notes: [],
    model: { shape: policy.shape, context: 1000 },
    async loadWeights(to) {
      for (const [i, parameter] of policy.parameters.entries())
        to.writeParameter(to.parameters[i], await policy.readParameter(parameter));
    },
    recorded: async () => ({
      name: { name: 'runs/teacher' },
      shown: 'runs/teacher',
      files: { 'model.safetensors': 'abc' },
      sha256: 'abc',
    }),
  };
}

const opened: TrainingRun[] = [];
const openRun = async (yaml: string, models = {}): Promise<TrainingRun> => {
  const run = await openSmallRun(await plainWasm(), { yaml, rewards, models });
  opened.push(run);
  return run;
};
afterAll(async () => {
  for (const { engine } of opened) for (const { policy } of Object.values(engine.models)) await policy.close();
});

/** A larger policy with the vocabulary of the student. */
const teacherRun = openRun(YAML.replace('hidden_size: 16', 'hidden_size: 24').replace('seed: 5', 'seed: 6'));
const teacher = async (): Promise<OpenedModel> => asModel(await teacherRun);

const finish = async (yaml: string, models: Readonly<Record<string, OpenedModel>> = {}) =>
  finishSmallRun(await plainWasm(), { yaml, rewards, models });

describe('a run with a teacher', () => {
  it.each([
    ['with rewards', TERM],
    ['alone', ALONE],
    ['by sampled tokens', ALONE.replace('}]', ', teacher_over: sampled}]')],
  ])('comes nearer to it, %s', async (_, lines) => {
    const isSampled = lines.includes('sampled'); // then both sides are estimates
    const [steps, batch] = isSampled ? [20, 240] : [12, 48];
    const longer = NAMED.replace('max_steps: 3', `max_steps: ${steps}`).replace(
      'batch_size: 12',
      `batch_size: ${batch}`,
    );
    const { metrics } = await finish(`${longer}\n${lines}`, { teacher: await teacher() });
    const [first, last] = [metrics[0], metrics[steps - 1]].map(({ teacher_kl: kl }) => Number(kl));
    expect(first).toBeGreaterThan(0);
    expect(last).toBeLessThan(0.8 * first);
    expect(Object.keys(metrics[0]).includes('teacher_top1')).toBe(!isSampled);
  });

  it('teaches where no reward does: every group is dead', async () => {
    const equal: RewardFunction = { name: 'equal', score: ({ completionTokens }) => completionTokens.map(() => 1) };
    const yaml = NAMED.replace('[varied]', '[equal]');
    const own = { rewards: { equal }, models: { teacher: await teacher() } };
    const { metrics } = await finishSmallRun(await plainWasm(), { yaml: `${yaml}\n${TERM}`, ...own });
    expect(metrics.map(({ grad_norm: norm }) => Number(norm) > 0)).toEqual([true, true, true]);
    await expect(finishSmallRun(await plainWasm(), { yaml, ...own })).rejects.toThrow(/nothing to learn|in a row/);
  });

  it('learns nothing from one that is the policy itself', async () => {
    const same = asModel(await openRun(YAML));
    const { metrics } = await finish(`${NAMED.replace('max_steps: 3', 'max_steps: 1')}\n${ALONE}`, { teacher: same });
    expect(metrics[0]).toMatchObject({ loss: 0, grad_norm: 0, teacher_kl: 0, teacher_top1: 1 });
  });

  it('trains to the same bits as without where nothing weighs it, or no method learns from it', async () => {
    const plain = await finish(YAML);
    const off = await finish(`${NAMED}\nloss_terms: [{name: teacher-kl, teacher_kl_coef: 0}]`);
    const unused = await openRun(NAMED);
    expect(unused.remarks.map(({ message }) => message)).toContain(
      'models.teacher: no method of this run learns from it, so it is not opened; add loss_terms: [teacher-kl], or leave it out',
    );
    expect(Object.keys(unused.engine.models)).toEqual(['policy']);
    expect([off.sha256, (await finish(NAMED)).sha256]).toEqual([plain.sha256, plain.sha256]);
  });

  it('has the same bits in one micro-batch and in three, and after a kill', async () => {
    const models = { teacher: await teacher() };
    const yaml = `${NAMED}\n${TERM}`;
    const whole = await finish(yaml, models);
    expect((await finish(`${yaml}\nper_device_train_batch_size: 4`, models)).sha256).toBe(whole.sha256);
    const killed = await openRun(yaml, models);
    let saved: Awaited<ReturnType<typeof captureCheckpoint>> | undefined;
    for await (const event of train(killed)) {
      if (event.type !== 'step') continue;
      saved = await captureCheckpoint(killed, { metrics: 0, completions: 0 }, 0);
      break;
    }
    const resumed = await openRun(yaml, models);
    restoreCheckpoint(resumed, saved as NonNullable<typeof saved>);
    expect((await finishRun(resumed)).sha256).toBe(whole.sha256);
  });

  it('says before the first step at how many tokens both find the same one likeliest', async () => {
    const said = async (own: OpenedModel): Promise<string[]> => {
      const messages: string[] = [];
      for await (const event of train(await openRun(`${NAMED}\n${TERM}`, { teacher: own }))) {
        if (event.type === 'step') break;
        if (event.type === 'diagnosis') messages.push(event.diagnosis.message);
      }
      return messages;
    };
    const text = /^models\.teacher: at (\d+) % of \d+ tokens that the policy writes now/;
    const shareOf = (messages: readonly string[]): number =>
      Number(messages.flatMap((message) => text.exec(message)?.[1] ?? [])[0]);
    expect(shareOf(await said(asModel(await openRun(YAML))))).toBe(100);
    expect(shareOf(await said(await teacher()))).toBeLessThan(100);
  });

  it('shows what it writes in a supervised stage, right answers alone, and is refused where it has none', async () => {
    const digits = NAMED.split('\n').filter((line) => /^(model|seed)/.test(line));
    digits.push('task: {name: sort_digits, digits: 2}', 'eval_strategy: "no"');
    const stage = (options: string, steps = 3) =>
      `${digits.join('\n')}\nstages: [{stage: sft, max_steps: ${steps}, learning_rate: 0.01, ${options}, per_device_train_batch_size: 16}]`;
    const able = await openRun(stage('warmup_steps: 5', 150));
    for await (const event of train(able)) if (event.type === 'end') break;
    const sft = stage('demonstrations: teacher-samples');
    const losses = (await finish(sft, { teacher: asModel(able) })).metrics.map(({ loss }) => Number(loss));
    expect(losses).toHaveLength(3);
    expect(losses[2]).toBeLessThan(losses[0]);
    const unable = asModel(await openRun(stage('warmup_steps: 0', 1)));
    await expect(finish(sft, { teacher: unable })).rejects.toThrow(
      /demonstrations: the teacher solves \d+ of \d+ problems, and a step needs 16; take easier problems or a better model, or set verified: false\./,
    );
    const any = stage('demonstrations: {name: teacher-samples, verified: false}');
    expect((await finish(any, { teacher: unable })).metrics).toHaveLength(3);
  });

  it('records of which files it is', async () => {
    const run = await openRun(`${NAMED}\n${TERM}`, { teacher: await teacher() });
    expect(await runFingerprint(run)).toMatchObject({ models: { 'teacher/model.safetensors': 'abc' } });
    expect(await runFingerprint(await openRun(YAML))).not.toHaveProperty('models');
    expect(await weightsSha256(run.engine.models.teacher.policy)).toBe(
      await weightsSha256((await teacherRun).engine.policy),
    );
  });

  it('credits tokens by it, where teacher-credit takes it in the place of the reference', async () => {
    const step = 'credit_steps: [{name: teacher-credit, teacher_from: teacher, teacher_weight: 1}]';
    const same = asModel(await openRun(YAML));
    const plain = await finish(YAML);
    expect((await finish(`${NAMED}\n${step}`, { teacher: same })).metrics[0]).toMatchObject({
      'teacher-credit/difference': 0,
      'teacher-credit/taught': 1,
    });
    const { metrics, sha256 } = await finish(`${NAMED}\n${step}`, { teacher: await teacher() });
    expect(Number(metrics[0]['teacher-credit/difference'])).toBeLessThan(0);
    expect(sha256).not.toBe(plain.sha256);
  });
});

describe('what is refused', () => {
  it('a method that learns from a teacher where the config names none, or none was opened', async () => {
    await expect(openRun(`${YAML}\n${TERM}`)).rejects.toThrow(
      'models.teacher: missing — teacher-kl learns from it; add models: {teacher: {path: runs/teacher}}, or leave teacher-kl out.',
    );
    await expect(openRun(`${NAMED}\n${TERM}`)).rejects.toThrow(/models\.teacher: runs\/teacher — .*was not opened/);
  });

  it('another vocabulary, in size or in a token', async () => {
    const other = await teacher();
    const smaller = { ...other, model: { ...other.model, shape: { ...other.model.shape, vocabSize: 7 } } };
    await expect(openRun(`${NAMED}\n${TERM}`, { teacher: smaller })).rejects.toThrow(
      /models\.teacher: runs\/teacher — it has 7 tokens, and the policy \d+, and tokens are compared one by one; take a model with the vocabulary of the policy\./,
    );
    const { codec } = other;
    const shuffled = {
      ...other,
      codec: { ...codec, tokenText: (id: number) => (id === 3 ? '?' : codec.tokenText(id)) },
    };
    await expect(openRun(`${NAMED}\n${TERM}`, { teacher: shuffled })).rejects.toThrow(
      /its token 3 is "\?", and the policy's "."/,
    );
  });

  it('one that reads less than the run writes', async () => {
    const other = await teacher();
    const short = { ...other, model: { ...other.model, context: 4 } };
    await expect(openRun(`${NAMED}\n${TERM}`, { teacher: short })).rejects.toThrow(
      /models\.teacher: runs\/teacher — reads 4 tokens, and prompt and completion take up to \d+; lower max_completion_length\./,
    );
  });

  it('two models that do not fit together: which, and by how much', async () => {
    const backend = await plainWasm();
    const run = (memory: { bytes: number; reason: string }) =>
      openSmallRun({ ...backend, memory }, { yaml: `${NAMED}\n${TERM}`, rewards, models: { teacher: teacherModel } });
    const teacherModel = await teacher();
    await expect(run({ bytes: 2 ** 20, reason: 'is all there is' })).rejects.toThrow(
      /^policy 0\.0 GiB, teacher 0\.0 GiB: 0\.0 GiB of memory needed, and 0\.0 GiB is all there is, 0\.0 GiB too little\./,
    );
  });

  it('another name than teacher', async () => {
    await expect(openRun(`${YAML}\nmodels: {critic: {path: a}}`)).rejects.toThrow(/models/);
  });
});
