/** Turns that say more than one action: what they lead to, what they cost, what is shown of them, and what of them is read. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { closedCodec } from '../../../../../src/text/codec.ts';
import { withMarks } from '../../../../../src/text/control_words.ts';
import { characterTokenizer } from '../../../../../src/text/vocabulary_tokenizer.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { credit, reinforced } from '../../../../../test/grpo/step_parts.ts';
import { killedAndResumed } from '../../../../../test/support/killed_runs.ts';
import { finishRun, finishSmallRun, plainWasm, type SmallRun } from '../../../../../test/support/small_runs.ts';
import { outsideRoles, rolesByToken } from '../../../methods/support/rollouts/roles.ts';
import { episodeOf, paidIn, stepped } from '../../support/played_rollouts.ts';
import { playedBy } from '../../support/players.ts';

const LAKE = {
  task: { name: 'frozen_lake', size: 3, slip: 30 },
  advantage_estimator: 'turn-return',
  num_generations: 16,
  generation_batch_size: 48,
};

/** Nine moves of a rollout, the same whoever asks. */
const moveOf = (rollout: number, at: number): string => rngFor(`move|${rollout}|${at}`).pick([...'UDLRDR']);

const own = ({ turns = [] }: Rollout) => turns.filter(({ label }) => label === 'policy');
const said = ({ turns = [] }: Rollout) => turns.flatMap(({ label, text }) => (label === 'policy' ? [] : [text.trim()]));

describe('macro-actions', () => {
  const macros = (options = {}) => ({ group_steps: [{ name: 'macro-actions', turn_cost: 0, ...options }] });

  it('lead where their actions lead turn by turn, chance included', async () => {
    const { groups: plain } = await playedBy((rollout, turn) => moveOf(rollout, turn), await reinforced(LAKE));
    const run = await reinforced({ ...LAKE, ...macros({ most_actions: 2 }) });
    const pairs = (rollout: number, turn: number): string =>
      `${moveOf(rollout, 2 * turn)};${moveOf(rollout, 2 * turn + 1)}`;
    const { groups } = await playedBy(pairs, run);
    let answered = 0;
    for (const [g, { rollouts }] of groups.entries()) {
      for (const [i, rollout] of rollouts.entries()) {
        const other = plain[g].rollouts[i];
        expect(rollout.verdict).toEqual(other.verdict);
        expect(own(rollout)).toHaveLength(Math.ceil(own(other).length / 2));
        expect(said(rollout).join('')).toBe(
          said(other)
            .slice(0, 2 * said(rollout).length)
            .join(''),
        );
        expect(own(rollout).at(-1)?.potential).toBe(own(other).at(-1)?.potential);
        answered += said(rollout).length;
      }
    }
    expect(answered).toBeGreaterThan(20);
  });

  it('of one action each are the episodes without them, and what is beyond most_actions is not taken', async () => {
    const one = (rollout: number, turn: number): string => moveOf(rollout, turn);
    const { groups: plain } = await playedBy(one, await reinforced(LAKE));
    const run = await reinforced({ ...LAKE, ...macros({ most_actions: 2 }) });
    const { groups } = await playedBy(one, run);
    const texts = (of: typeof groups) =>
      of.flatMap(({ rollouts }) => rollouts.map(({ text, verdict }) => [text, verdict]));
    expect(texts(groups)).toEqual(texts(plain));
    const ends = async (rest: string) => {
      const pairs = (rollout: number, turn: number): string => `U;${moveOf(rollout, turn)}${rest}`;
      const played = await playedBy(pairs, await reinforced({ ...LAKE, ...macros({ most_actions: 2 }) }));
      return played.groups.flatMap(({ rollouts }) => rollouts.map((rollout) => [said(rollout), rollout.verdict]));
    };
    expect(await ends(';D;D;D')).toEqual(await ends(''));
  });

  it('stop at an action that breaks the rules; an episode has as many actions as without them', async () => {
    const run = await reinforced({ ...LAKE, task: { name: 'guess_number' }, ...macros({ most_actions: 3 }) });
    const { groups } = await playedBy((_, turn, { identity }) => {
      const { low } = identity as { readonly low: number };
      return turn === 0 ? `${low};?;1` : `${low};${low};${low}`;
    }, run);
    const lost = groups.flatMap(({ rollouts }) => rollouts).filter(({ verdict }) => verdict.score !== 1);
    expect(lost.length).toBeGreaterThan(0);
    for (const rollout of lost) {
      expect(own(rollout)[0].illegal).toBe(true);
      expect(said(rollout)[0]).toMatch(/^[<>]\?$/);
      // What is read after the last turn has no place any more.
      const guesses = 2 + 3 * (own(rollout).length - 1);
      const { maxTurns } = run.engine.tasks.environment;
      expect(guesses).toBeGreaterThanOrEqual(maxTurns);
      expect(guesses - 3).toBeLessThan(maxTurns);
    }
  });

  it('charges each turn, and says how many actions one has', () => {
    const actions = [{ text: 'U;D;L;R' }, { text: 'U', reward: 1 }];
    const steps = 'group_steps: [{name: macro-actions, turn_cost: 0.25, most_actions: 3}]';
    const { rollouts, logged } = stepped([episodeOf(1, actions), episodeOf(0, [{ text: 'U;D' }])], steps);
    expect(rollouts.map(paidIn)).toEqual([[-0.25, 0.75], [-0.25]]);
    expect(logged['macro-actions/actions']).toBe(2);
    expect(rollouts.map(({ reward }) => reward)).toEqual([1, 0]);
  });

  it('are shown by the teacher as he would play them: the same states, in fewer turns', async () => {
    const run = await reinforced({ ...LAKE, task: { name: 'frozen_lake', size: 4 }, ...macros({ joined_share: 0.7 }) });
    const { tasks } = run.engine;
    let joined = 0;
    for (let index = 0; index < 20; index++) {
      const item = tasks.trainItem(0, index);
      const { tokens } = tasks.demonstration(item, 0, index);
      const turns = tasks.codec.decode(tokens).split('<eos>');
      let at = tasks.environment.start(item, `0|${index}`);
      let read = '';
      for (const turn of turns.slice(0, -1)) {
        const action = turn.slice(read.length);
        joined += action.includes(';') ? 1 : 0;
        const step = tasks.environment.step(item, at, action, `0|${index}`, { finishReason: 'eos' });
        read = step.observation ?? '';
        at = step.next;
      }
      expect(tokens.length).toBeLessThanOrEqual(tasks.maxCompletionTokens);
    }
    expect(joined).toBeGreaterThan(10);
  });

  it('are refused where stages write them in two ways', async () => {
    const keys = { ...LAKE, ...macros({ most_actions: { from: 2, to: 4, over: 1 } }) };
    await expect(reinforced(keys)).rejects.toThrow('macro-actions: turns are written in one way all through a run');
  });
});

describe('role-tags', () => {
  const roles = ['plan', 'reflect'];

  it('leave of a turn what is outside of the roles', () => {
    expect(outsideRoles('<plan>go D</plan>R', roles)).toBe('R');
    expect(outsideRoles('U<reflect>no</reflect>D<plan>x', roles)).toBe('UD');
    expect(outsideRoles('<plan>a<reflect>b</plan>R</reflect>', roles)).toBe('R</reflect>');
    expect(outsideRoles('<act>R', roles)).toBe('<act>R');
  });

  it('are a token for each mark in a closed vocabulary, and label every token that writes a part of them', () => {
    const tokenizer = characterTokenizer({ name: 'moves', tokens: [...'UDLR'] });
    const codec = withMarks(closedCodec(tokenizer), ['<plan>', '</plan>', ' ']);
    const text = '<plan>D R</plan>D';
    const tokens = codec.encode(text);
    expect(tokens).toHaveLength(6);
    expect(codec.decode(tokens)).toBe(text);
    expect(rolesByToken(tokens, roles, codec.tokenText)).toEqual([...Array(5).fill('plan'), undefined]);
  });

  it('weigh the advantages of their tokens by role_factor and no others; what is answered stays given', async () => {
    const task = { name: 'frozen_lake', size: 3 };
    const player = (rollout: number, turn: number): string =>
      turn % 2 === 0 ? `<plan>${moveOf(rollout, turn)}</plan>${moveOf(rollout, turn)}` : moveOf(rollout, turn);
    const by = async (factor: number) => {
      const run = await reinforced({ ...LAKE, task, credit_steps: [{ name: 'role-tags', role_factor: factor }] });
      const { groups } = await playedBy(player, run);
      return { groups: await credit(run, groups), tokenText: run.engine.tasks.codec.tokenText };
    };
    const [whole, half, none] = await Promise.all([by(1), by(0.5), by(0)]);
    let [inside, outside] = [0, 0];
    for (const [g, group] of whole.groups.entries()) {
      for (const [i, rollout] of group.rollouts.entries()) {
        let at = 0;
        for (const { tokens, label } of rollout.turns ?? []) {
          const found = label === 'policy' ? rolesByToken(tokens, roles, whole.tokenText) : [];
          for (let t = 0; t < tokens.length; t++, at++) {
            const [a = 0, b, c] = [whole, half, none].map(({ groups }) => groups[g].tokenAdvantages?.[i][at]);
            if (found[t] === undefined) expect([b, c]).toEqual([a, a]);
            else expect([b, c]).toEqual([Math.fround(a / 2), 0 * a]);
            if (found[t] !== undefined && a !== 0) inside++;
            else if (a !== 0) outside++;
            if (label !== 'policy') expect(rollout.labels?.[at]).toBe(TOKEN.given);
          }
        }
      }
    }
    expect([inside > 20, outside > 20]).toEqual([true, true]);
  });

  it('of turns without roles are the episodes and the credit without them, to the bit', async () => {
    const player = (rollout: number, turn: number): string => moveOf(rollout, turn);
    const plain = await reinforced(LAKE);
    const tagged = await reinforced({ ...LAKE, credit_steps: [{ name: 'role-tags', role_factor: 0 }] });
    const [a, b] = await Promise.all(
      [plain, tagged].map(async (run) => credit(run, (await playedBy(player, run)).groups)),
    );
    expect(b.map(({ tokenAdvantages }) => tokenAdvantages)).toEqual(a.map(({ tokenAdvantages }) => tokenAdvantages));
  });

  it('are shown: a plan that names the actions to come, and after an error a look back that names it', async () => {
    const run = await reinforced({
      ...LAKE,
      task: { name: 'form_state', fields: 3, values: 4, changes: 2 },
      credit_steps: [{ name: 'role-tags', shown_share: 1 }],
    });
    const { tasks } = run.engine;
    let [plans, looks] = [0, 0];
    for (let index = 0; index < 20; index++) {
      const item = tasks.trainItem(0, index);
      const { tokens } = tasks.demonstration(item, 0, index);
      const text = tasks.codec.decode(tokens);
      const [, plan] = /^<plan>([^<]*)<\/plan>/.exec(text) ?? [];
      const [first, ...later] = text.split('<eos>');
      expect(first.endsWith(`</plan>${plan?.split(' ')[0]}`)).toBe(true);
      plans++;
      looks += later.filter((turn) => /<reflect>[^<]+<\/reflect>[abc]\d$/.test(turn)).length;
    }
    expect(plans).toBe(20);
    expect(looks).toBeGreaterThan(5);
  });
});

describe('both in one stage', () => {
  const both: SmallRun = {
    yaml: `
task: {name: frozen_lake, size: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
stages:
  - {stage: sft, max_steps: 6, per_device_train_batch_size: 16, learning_rate: 1.0e-2, eval_strategy: "no"}
  - stage: grpo
    max_steps: 3
    learning_rate: 1.0e-2
    num_generations: 4
    generation_batch_size: 16
    num_iterations: 2
    group_steps: [macro-actions, tag-rules]
    credit_steps: [{name: role-tags, role_factor: 0.5}]
    advantage_estimator: turn-return
    num_generations_eval: 2
    eval_strategy: "no"
`,
  };

  it('learns from shown episodes on, and goes on after a kill as if there had been none', async () => {
    const whole = await finishSmallRun(await plainWasm(), both);
    const steps = whole.metrics.filter((step) => 'macro-actions/actions' in step);
    expect(steps).toHaveLength(2); // of two passes over a batch the first samples it
    expect(steps.every((step) => Number(step['macro-actions/actions']) >= 1)).toBe(true);
    expect(Math.max(...steps.map((step) => Number(step['role-tags/plan'])))).toBeGreaterThan(0);
    const { resumed } = await killedAndResumed(both);
    expect((await finishRun(resumed)).sha256).toBe(whole.sha256);
  });
});
