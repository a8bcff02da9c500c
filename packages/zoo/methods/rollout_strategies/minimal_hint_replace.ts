/**
 * All levels of the hint are sampled in one call. The completion is trained under what it was sampled under, on-policy,
 * unless `trained` says otherwise.
 */
import { helpedRows, integer, isRight, keys, method, type RolloutStrategy } from '../kit.ts';
import {
  asSampled,
  HINT_OPTIONS,
  hinted,
  hintForm,
  hintsOf,
  hintUses,
  TRAINED_OPTION,
  withoutHint,
} from '../support/rollouts/hints.ts';
import { isUnsolved } from '../support/rollouts/unsolved.ts';
import { furtherPrompts } from '../uses/room.ts';

export const minimalHintReplace = method({
  id: 'minimal-hint-replace',
  about: {
    does: 'Puts the right completion that took the smallest hint into a group that has none.',
    names: ['Scaf-GRPO', 'scaffolded'],
    formula:
      'where all are wrong: the last member ← the right one of the least level, of 1 … hint_levels sampled at once',
    source: '2510.19807',
    certainty: 'paper',
  },
  against: ['all-wrong', 'low-solve-rate'],
  options: keys({
    hintLevels: integer({ min: 1, max: 32, example: 3 })
      .default(3)
      .describe('Lengths of a hint, all tried at once. Default {default}: a quarter, a half, three quarters.'),
    levelSamples: integer({ min: 1, max: 64, example: 2 }).default(2).describe('Completions at each length.'),
    ...HINT_OPTIONS,
    ...TRAINED_OPTION,
  }),
  uses: (options) => [...hintUses(options), ...(asSampled(options) ? [furtherPrompts(1)] : [])],
  demonstrate: hintForm,
  samplesOffPolicy: (options) => !asSampled(options),
  tells: ['hints'],
  helps: ['hinted'],
  readsVerdicts: true,
  work: ({ hintLevels, levelSamples }, _, lengths) => ({ rows: hintLevels * helpedRows(levelSamples, lengths) }),
  create: ({ hintLevels, levelSamples, ...options }): RolloutStrategy => ({
    async rollOut(requests, next, tools) {
      const { metric, regroup } = tools;
      const groups = [...(await next(requests))];
      const asked = groups.flatMap((group, i) =>
        isUnsolved(group)
          ? hintsOf(group.item, hintLevels, options, tools).map((hint, level) => ({ i, level, hint }))
          : [],
      );
      const tried = new Set(asked.map(({ i }) => i)).size;
      metric('rate', tried / groups.length);
      if (asked.length === 0) return groups;
      const again = await next(asked.map(({ i, hint }) => hinted(groups[i].item, levelSamples, hint, options, tools)));
      const levels = new Map<number, number>();
      asked.forEach(({ i, level }, k) => {
        const right = again[k].rollouts.find(isRight);
        if (right === undefined || levels.has(i)) return; // levels of a group are in order
        levels.set(i, level + 1);
        const member = asSampled(options) ? right : withoutHint(right);
        groups[i] = regroup(groups[i], [...groups[i].rollouts.slice(0, -1), member]);
      });
      for (let level = 1; level <= hintLevels; level++) {
        metric(`replaced_at_${level}`, [...levels.values()].filter((own) => own === level).length / tried);
      }
      return groups;
    },
  }),
});
