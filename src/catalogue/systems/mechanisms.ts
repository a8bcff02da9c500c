/**
 * Mechanisms of the published systems that are here under other names than the catalogue's, or only in part. Any other is
 * here where a method, a reward, a task or a figure has its name, and missing until one has.
 */

export interface Mechanism {
  /** What it is here: methods, rewards, tasks, figures, apart by spaces; `key:NAME` of a config, `page:PAGE` of docs/. */
  readonly by: string;
  /** What of it is not here; absent: nothing. */
  readonly lacks?: string;
}

export const MECHANISMS: Readonly<Record<string, Mechanism>> = {
  admission: { by: 'admission page:command.md' },
  agree: { by: 'agree', lacks: 'it compares two rewards; no program of an answer is run for it' },
  'async-reward': { by: 'http page:rewards.md#what-a-reward-receives' },
  'branch-shared': { by: 'prefix-branch' },
  'crypto-string': { by: 'caesar_cipher reverse_text sort_digits letter_counting roman_numerals number_format' },
  'diversity-reward': { by: 'diversity' },
  'dynamic-sampling': { by: 'refill key:dynamic_sampling' },
  'exact-math': {
    by: 'inequality simple_equations fraction_simplification gcd lcm prime_factorization complex_arithmetic',
  },
  'exec-trace': { by: 'line_trace vm_trace js_output stack_machine bf' },
  'failure-class': { by: 'failure-class failure-mask feedback-retry' },
  format: { by: 'format sections' },
  fsm: { by: 'fsm_site' },
  games: { by: 'tic_tac_toe nim kuhn_poker blackjack mastermind hangman wordle sokoban minesweeper' },
  gate: { by: 'soft-gate key:reward_gate' },
  'graph-grid': { by: 'maze shortest_path topological_order graph_color course_schedule largest_island' },
  'group-std': { by: 'group' },
  guided: { by: 'hint-resample' },
  holdout: { by: 'page:run_directory.md' },
  'large-groups': { by: 'key:num_generations' },
  ledger: { by: 'weakness sas' },
  logic: { by: 'knights_knaves syllogism propositional_logic bool_expression mini_sudoku futoshiki binairo n_queens' },
  'm-boundary': { by: 'key:num_generations_eval page:run_directory.md hint-resample' },
  'm-diversity': { by: 'm-diversity diversity' },
  'm-grad': { by: 'm-grad key:max_grad_norm' },
  'm-pass-hat-k': { by: 'pass-hat-k' },
  'm-pass-k': { by: 'key:num_generations_eval best-of-k maj-k weighted-maj' },
  'm-proxy-gap': { by: 'm-proxy-gap noisy-wrapper overopt-stop' },
  'm-task-scaling': { by: 'key:tasks page:choosing.md#more-tasks-at-once' },
  'm-transfer': { by: 'key:tasks page:choosing.md#from-one-task-to-another' },
  'm-vb-vf': { by: 'rft page:choosing.md#cloning-what-was-solved' },
  'm-verifier-audit': { by: 'verify_tasks page:how_it_is_tested.md' },
  'math-equiv': { by: 'page:datasets.md#answers fraction_simplification polynomial_expand derivative' },
  'mixture-dynamic': { by: 'mixture-dynamic dynamic-weights' },
  'mixture-fixed': { by: 'key:tasks' },
  'mixture-surrogate': { by: 'page:command.md#the-best-mixture-of-tasks key:task_weights' },
  'mixture-staged': { by: 'page:stages.md' },
  'multi-turn-env': { by: 'page:environments.md' },
  'pseudo-label-select': { by: 'trajectory-select pseudo-label-select' },
  'role-batches': { by: 'self-verify recycle-judge' },
  'rollout-router': { by: 'page:command.md#data-of-a-run' },
  'rules-interpreter': { by: 'statutes' },
  series: { by: 'series number_sequence' },
  'sft-warmup': { by: 'page:stages.md sft-nll' },
  'sibling-pairs': { by: 'prefix-branch dpo-pairs' },
  stages: { by: 'page:stages.md until' },
  'sub-rollouts': { by: 'vsrm' },
  'tool-calls': { by: 'page:environments.md#tools calculator lookup' },
  tools: { by: 'calculator lookup' },
  'soft-judge': { by: 'classifier' },
  'toy-code': { by: 'stack_vm stack_machine bf js_function js_repair' },
  'program-io': { by: 'js_function js_repair part' },
  'mini-sql': { by: 'sql_select' },
  sql: { by: 'sql_select similarity part' },
  'weighted-sum': { by: 'key:reward_funcs' },
};
