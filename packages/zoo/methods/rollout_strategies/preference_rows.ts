/**
 * Rows of preferences in the place of samples: of each row its chosen and its rejected completion, or one completion with
 * a label. They are off-policy of log-prob 0; `preference` learns from them. A row that exceeds `max_completion_length` is
 * left out.
 *
 * `mismatched: true` adds to each row the completion of the row before it in the batch, beside this row's prompt, and to
 * the first that of the last: KTO estimates by these how far the policy is from the reference.
 */
import { sidesOf } from '../../data/datasets/preferences.ts';
import type { GroupRequest, Rollout, RolloutGroup, RolloutStrategy, RolloutTools } from '../kit.ts';
import { flag, keys, method, usesMethod } from '../kit.ts';
import { ORIGIN } from '../support/rollouts/preference_origins.ts';
import { preferenceRows as rowsOfPreferences } from '../uses/preference_rows.ts';

export const preferenceRows = method({
  id: 'preference-rows',
  about: {
    does: 'Takes chosen and rejected completions of rows in the place of samples, for objective preference.',
    names: ['offline preference optimisation', 'pairs of a file'],
    formula: 'group of a row = its chosen and its rejected completion, or its one completion and another row’s',
    source: '2305.18290',
    certainty: 'after the paper',
    when: 'Where pairs of a file say what is better, and no verifier does; stage: dpo puts it into a stage.',
  },
  options: keys({
    mismatched: flag().default(false).describe("Whether each row also gets another row's completion, as KTO needs."),
  }),
  uses: () => [rowsOfPreferences],
  samplesOffPolicy: true,
  tells: ['rows'],
  helps: Object.values(ORIGIN),
  warn: (_, methods) =>
    usesMethod(methods, 'preference') ? undefined : 'gives pairs, which objective: preference learns from',
  create: ({ mismatched }): RolloutStrategy => ({
    async rollOut(requests, _, tools) {
      const rows = requests.map((request) => rowOf(request, tools));
      const groups: RolloutGroup[] = [];
      for (const [i, { request, sides }] of rows.entries()) {
        const others = mismatched ? (rows.at(i - 1)?.sides.slice(0, 1) ?? []) : [];
        const given = [...sides, ...others];
        const rollouts = await tools.references(
          request.item,
          given.map(({ tokens }) => tokens),
        );
        if (rollouts.length < given.length) continue; // one of them is too long
        const members = rollouts.map((rollout, at) => marked(rollout, given[at].isChosen, at < sides.length));
        const { item } = request;
        const group = { item, prompt: tools.shown(item), rollouts: members, dead: false }; // nothing besides is shown
        groups.push(tools.regroup(group, members));
      }
      tools.metric('rows', groups.length);
      return groups;
    },
  }),
});

interface Row {
  readonly request: GroupRequest;
  readonly sides: readonly { readonly tokens: Int32Array; readonly isChosen: boolean }[];
}

function rowOf(request: GroupRequest, { tokensOf }: RolloutTools): Row {
  const sides = sidesOf(request.item.columns ?? {}) ?? [];
  return { request, sides: sides.map(({ text, isChosen }) => ({ tokens: tokensOf(text), isChosen })) };
}

function marked(rollout: Rollout, isChosen: boolean, isOwn: boolean): Rollout {
  return { ...rollout, origin: isOwn ? (isChosen ? ORIGIN.chosen : ORIGIN.rejected) : ORIGIN.mismatched };
}
