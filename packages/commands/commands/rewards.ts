/** `rlvr-train rewards`: the reward functions there are, and the check of one of the user's. */
import { command } from '../../../src/cli/flags/command.ts';
import { text, toggle, withDefault } from '../../../src/cli/flags/flag.ts';

export const REWARDS = command({
  name: 'rewards',
  does: 'the reward functions, and the check of one of yours',
  usage: 'ls | check <name or file>',
  inner: [
    command({
      name: 'ls',
      isDefault: true,
      does: 'every reward function: what it pays, and its options',
      flags: { json: toggle('print them as JSON') },
      run: async (_, flags) => (await import('../actions/list.ts')).listCommand('rewards', flags),
    }),
    command({
      name: 'check',
      does: 'try a reward on made-up answers: what it gives, whether it always gives the same, what it pays for right, wrong and empty ones, its time; exit status 1 where no run can be trained on it',
      words: [
        {
          syntax: '<reward>',
          text: "a file, or an entry of reward_funcs: ./rewards/mine.ts, '{name: ./rewards/mine.ts, scale: 2}'",
        },
      ],
      flags: {
        task: withDefault(
          text('<task>', "whose problems are answered, as in a config: ./tasks/mine.ts, '{name: gcd, max: 30}'"),
          'chain_sum',
        ),
        json: toggle('print what was found as JSON'),
      },
      run: async ([entry], flags) => (await import('../own_files/check_reward.ts')).checkRewardCommand(entry, flags),
    }),
  ],
  examples: [
    { words: 'rewards ls', does: 'every reward function and its options' },
    { words: 'rewards check ./rewards/mine.ts --task gcd', does: 'try a reward of yours on problems of a task' },
  ],
});
