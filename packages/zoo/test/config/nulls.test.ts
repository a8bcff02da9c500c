/** TRL writes its configs out with `null` for what was not given. */
import { expect, it } from 'vitest';
import { resolvedYaml } from '../../../../src/config/dump.ts';
import { RUN_KEYS } from '../../../../src/config/keys/run_keys.ts';
import { MODEL_KEYS } from '../../../../src/config/model_config.ts';
import { STAGE_KEYS } from '../../../../src/config/stage_config.ts';
import { parseConfig } from '../../../../test/support/everything.ts';
import { UNSUPPORTED_TRL_KEYS } from '../../elsewhere/trl_keys.ts';

const HEAD = 'task: countdown\nmax_steps: 3\n';
const resolved = (text: string): string => resolvedYaml(parseConfig(text, { file: 'run.yaml' }).config);
const nulls = (names: readonly string[]): string => names.map((name) => `${name}: null\n`).join('');

const given = ['task', 'max_steps'];
const keys = [
  ...new Set(Object.values({ ...RUN_KEYS, ...STAGE_KEYS.sft, ...STAGE_KEYS.grpo }).map(({ yaml }) => yaml)),
];
const others = keys.filter((name) => !given.includes(name));

it.each([...others, 'model', 'stages'])('%s: null is not given', (name) => {
  expect(resolved(HEAD + nulls([name]))).toBe(resolved(HEAD));
});

it('every key at once may be null, and so may every key of the model and those of TRL that are refused otherwise', () => {
  const model = `model: {${Object.values(MODEL_KEYS).map(({ yaml }) => `${yaml}: null`)}}\n`;
  const refused = Object.keys(UNSUPPORTED_TRL_KEYS);
  expect(resolved(HEAD + model + nulls([...others, ...refused]))).toBe(resolved(HEAD));
  expect(resolved(`${HEAD}stages: [{stage: sft, eval_steps: null}, {stage: grpo, temperature: null}]\n`)).toBe(
    resolved(`${HEAD}stages: [{stage: sft}, {stage: grpo}]\n`),
  );
});

it('what has no default is missed, and a key that nobody knows is refused all the same', () => {
  expect(() => resolved('task: null\nmax_steps: null\n')).toThrow(
    /^run\.yaml:1 {2}task: missing — must be a name.*\n.*max_steps: missing — the training stream is endless/,
  );
  expect(resolved('task: null\ntasks: [countdown]\nmax_steps: 3\n')).toBe(resolved(HEAD));
  expect(() => resolved(`${HEAD}learning_rat: null\n`)).toThrow('unknown key; the nearest is learning_rate');
});
