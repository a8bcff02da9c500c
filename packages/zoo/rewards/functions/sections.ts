/**
 * A completion in sections, each in tags of its own, with a checker for each. The sections come in their order, each once and
 * filled, with nothing between them but white space; a completion that breaks this is worth 0. Otherwise
 *
 *   R = Σ w·met / Σ w,   over the sections that have a weight
 *
 * After SATORI-R1 and BTL-UI, which check three sections by rules, and GCA, whose first section is a constraint that must hold.
 */
import { z } from 'zod';
import { options } from '../../../../src/options/keys.ts';
import { readNumber } from '../../../../src/parsing/number.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import type { RewardItem } from '../../../../src/rewards/reward_function.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { equationsIn } from '../../parsing/equations.ts';
import { readJson } from '../../parsing/json_value.ts';
import { readList } from '../../parsing/list.ts';
import { type Criterion, metOf, textCheck } from './rubric_criteria.ts';

const FORMS = ['filled', 'number', 'list', 'json', 'equations'] as const;

const check = z.union(
  [z.enum([...FORMS, 'correct', 'readable']), textCheck, z.strictObject({ column: z.string().min(1) })],
  {
    error:
      'not a check of a section; use filled, number, list, json, equations, correct, {column: NAME}, {part: NAME}, {contains: TEXT} or another check of a rubric',
  },
);

const section = z.strictObject(
  {
    tag: z
      .string({ error: 'must be a tag; for example plan' })
      .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, { error: 'must be letters and digits; for example plan' }),
    check: check.default('filled'),
    weight: z.number({ error: 'must be a number from 0; for example 1' }).min(0).default(1),
  },
  { error: 'must be {tag, check, weight}; for example {tag: plan, check: filled}' },
);

type Section = z.infer<typeof section>;

const list = z
  .array(section, { error: 'must be a list of sections; for example [{tag: plan}, {tag: answer, check: correct}]' })
  .min(1, { error: 'has no section; for example [{tag: plan}, {tag: answer, check: correct}]' })
  .meta({ examples: [[{ tag: 'plan' }, { tag: 'answer', check: 'correct' }]] })
  .describe(
    'The sections in their order: {tag, check, weight}. check: filled, number, list, json, equations (some, and all of them true), correct (the verdict of the completion), {column: NAME} (the text of that column), or what a rubric checks of a text.',
  );

export const sectionsReward = defineReward({
  does: 'The weighted share of the sections of a completion that pass the check of each; 0 where their order or form is broken.',
  options: options({ sections: list }),
  rules: ({ sections }) => {
    const tags = sections.map(({ tag }) => tag);
    const twice = tags.find((tag, i) => tags.indexOf(tag) !== i);
    if (twice !== undefined) return [{ key: 'sections', rule: `${twice} is there twice; give each section a tag` }];
    return sections.some(({ weight }) => weight > 0)
      ? []
      : [{ key: 'sections', rule: 'no weight is above 0; give one such' }];
  },
  create: ({ sections }) => ({
    name: 'sections',
    range: [0, 1],
    score: ({ completions, items, verdicts }) =>
      completions.map((completion, row) => {
        const bodies = bodiesOf(completion, sections);
        if (bodies === undefined) return 0;
        let [paid, payable] = [0, 0];
        sections.forEach(({ check: asked, weight }, i) => {
          paid += weight * metBy(bodies[i], asked, verdicts[row], items[row]);
          payable += weight;
        });
        return paid / payable;
      }),
  }),
});

/** What is in each section; undefined where one is missing, empty, there twice or out of order, or text is around them. */
function bodiesOf(completion: string, sections: readonly Section[]): string[] | undefined {
  let rest = trimAscii(completion);
  const bodies: string[] = [];
  for (const { tag } of sections) {
    const [open, close] = [`<${tag}>`, `</${tag}>`];
    const end = rest.indexOf(close);
    if (!rest.startsWith(open) || end < 0) return undefined;
    const body = trimAscii(rest.slice(open.length, end));
    if (body === '' || sections.some((other) => body.includes(`<${other.tag}>`))) return undefined;
    bodies.push(body);
    rest = trimAscii(rest.slice(end + close.length));
  }
  return rest === '' ? bodies : undefined;
}

function metBy(body: string, asked: Section['check'], verdict: Verdict, item: RewardItem): number {
  if (asked === 'filled') return 1;
  if (asked === 'number') return Number(readNumber(body).ok);
  if (asked === 'list') return Number(readList(body).ok);
  if (asked === 'json') return Number(readJson(body).ok);
  if (asked === 'equations') {
    const claimed = equationsIn(body);
    return Number(claimed.length > 0 && claimed.every(({ isTrue }) => isTrue));
  }
  if (typeof asked === 'object' && 'column' in asked) {
    return Number(trimAscii(String(item.columns?.[asked.column] ?? '')) === body);
  }
  const criterion: Criterion = { id: 'section', weight: 1, check: asked };
  return metOf([criterion], { completions: [body], verdicts: [verdict] }, 0)[0];
}
