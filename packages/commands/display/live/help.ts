/** What keys do and what figures mean, shown in the place of the charts. */

/** For 80 columns. */
export const HELP: readonly string[] = [
  'p  pause after this step; continue      q  stop at once, save, quit',
  'e  evaluate on all held-out problems    Ctrl-C as q, twice: at once',
  'reward       mean of the completions of a step, by the training rewards',
  'held-out     share of problems, never trained on, that are solved: greedy, by',
  "             the policy's best guess; sampled, mean of a few tries",
  'entropy      nats per token: how undecided the policy is; 0: it tries nothing',
  'cut off      share of completions that reached the length limit',
  'dead groups  share of prompts whose completions all got the same reward',
];
