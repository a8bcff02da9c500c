/**
 * A problem of the proposed kind is made by the task's generator, so its verifier is valid. Proposals are a group of a
 * kind of their own, normalised by themselves. In SSP, SPELL and SvS (arXiv:2510.18821, 2509.23863, 2508.14029) a large
 * model writes the problem itself; the three payments are theirs.
 */
import { categoryOf } from '../../../../src/methods/ledger.ts';
import { choice, type GroupRequest, integer, key, keys, meanOf, method, number, type RolloutStrategy } from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';
import { judgeWord } from '../support/rollouts/verdict_words.ts';
import { furtherGroups, replies } from '../uses/room.ts';
import { words } from '../uses/words.ts';

const PROPOSE = '<propose>';
/** What it may propose, in the order in which the run's tasks and levels are met. */
const KINDS = Array.from({ length: 8 }, (_, k) => `<kind${k}>`);

/** What a proposal is paid, by the share of its problem's completions that are right. */
const PAID = {
  hard: (share: number) => 1 - share,
  half: (share: number, width: number) => Math.exp(-((share - 0.5) ** 2) / (2 * width * width)),
  band: (share: number) => (share >= 0.125 && share <= 0.625 ? 1 : 0),
} as const;

/** Problems drawn at most to find one of a kind. */
const DRAWS = 64;

export const proposerSolver = method({
  id: 'proposer-solver',
  about: {
    does: 'Lets the policy propose which kind of problem it solves next, and pays it by how often it then solves it.',
    names: ['SSP', 'SPELL', 'SvS', 'self-play of proposer and solver'],
    formula:
      'R = 1 − p̂ (hard), exp(−(p̂ − ½)²/(2·width²)) (half), or 1 where 0.125 ≤ p̂ ≤ 0.625 (band); groups of their own',
    source: '2509.23863',
    certainty: 'after the paper',
    when: 'For several tasks or levels, where no curriculum is known; proposals take part of the sampling.',
  },
  options: keys({
    proposalsPaid: key(
      'paid',
      choice(['hard', 'half', 'band'])
        .default('half')
        .describe('Which problems pay most: unsolved, half solved, or those within a band.'),
    ),
    width: number({ above: 0, example: 0.25 })
      .default(0.25)
      .describe('How far from half solved still pays, as a standard deviation, of half.'),
    proposalGroups: key(
      'groups',
      integer({ min: 1, max: 64, example: 1 })
        .default(1)
        .describe('Groups of proposals in a batch. Each proposal has a group of its own that solves it.'),
    ),
    ...SOLVED_OPTIONS,
  }),
  uses: ({ proposalGroups }, { batch: { numGenerations } }) => [
    words({
      [PROPOSE]: 'Which kind of problem comes next?',
      ...Object.fromEntries(KINDS.map((word, k) => [word, `kind ${k}`])),
    }),
    replies(1),
    furtherGroups(proposalGroups * numGenerations),
  ],
  demonstrate: ({ followUp, word, ended, rng }) => ({
    prompt: followUp([new Int32Array(), PROPOSE]),
    tokens: ended(word(KINDS[rng.int(0, KINDS.length - 1)])),
  }),
  tells: ['judges'],
  work: ({ proposalGroups }, { batch: { numGenerations } }, { prompt, completion }) => ({
    rows: proposalGroups * (numGenerations + 1) * (prompt + completion),
  }),
  create: ({ proposalsPaid, width, proposalGroups, ...solved }, { batch: { numGenerations } }): RolloutStrategy => {
    const solves = solvedBy(solved);
    let kinds: string[] = [];
    return {
      async rollOut(requests, next, tools) {
        const { draw, followUp, said, metric, regroup } = tools;
        const groups = await next(requests);
        for (const { item } of requests) {
          const kind = categoryOf(item);
          if (!kinds.includes(kind) && kinds.length < KINDS.length) kinds.push(kind);
        }
        const known = kinds.map((_, k) => said(KINDS[k]));
        const asked = requests.slice(0, proposalGroups).map(
          ({ item }): GroupRequest => ({
            item,
            samples: numGenerations,
            prompt: followUp(item, [new Int32Array(), PROPOSE]),
            kind: 'propose',
            judge: (text) => judgeWord(text, known, known.find((word) => isSaid(text, word)) ?? known[0]),
          }),
        );
        const proposed = await next(asked);
        const wanted = proposed.flatMap(({ rollouts }) =>
          rollouts.map(({ text }) => known.findIndex((word) => isSaid(text, word))),
        );
        const solving: (GroupRequest | undefined)[] = [];
        for (const kind of wanted) solving.push(kind < 0 ? undefined : await requestOf(kinds[kind], draw));
        const attempts = await next(solving.filter((request) => request !== undefined));
        let [place, row] = [0, 0];
        const paid = proposed.map((group) =>
          regroup(
            group,
            group.rollouts.map((rollout) => {
              const answers = solving[row++] === undefined ? undefined : attempts[place++];
              const share = answers && meanOf(answers.rollouts.map((one) => Number(solves(one))));
              return { ...rollout, reward: share === undefined ? 0 : PAID[proposalsPaid](share, width) };
            }),
          ),
        );
        const rewards = paid.flatMap(({ rollouts }) => rollouts.map(({ reward }) => reward ?? 0));
        metric('valid', wanted.filter((kind) => kind >= 0).length / Math.max(1, wanted.length));
        metric('paid', meanOf(rewards));
        kinds.forEach((kind, k) =>
          metric(`proposed/${kind}`, wanted.filter((one) => one === k).length / Math.max(1, wanted.length)),
        );
        return [...groups, ...paid, ...attempts];
      },
      state: () => kinds,
      restore(state) {
        kinds = [...(state as readonly string[])]; // written by `state`
      },
    };
  },
});

function isSaid(text: string, word: string): boolean {
  return text.trim().toLowerCase() === word.toLowerCase();
}

/** A request for a problem of a kind; for the last one drawn where none is found. */
async function requestOf(
  kind: string,
  draw: (count: number) => Promise<readonly GroupRequest[]>,
): Promise<GroupRequest> {
  let [request] = await draw(1);
  for (let drawn = 1; drawn < DRAWS && categoryOf(request.item) !== kind; drawn++) [request] = await draw(1);
  return request;
}
