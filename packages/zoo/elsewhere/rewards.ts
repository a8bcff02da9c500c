/** What other trainers call a reward, and what that is here: names too far from ours for a misspelling. */

/** By our entry of `reward_funcs`: names of TRL, of Open R1 and of the notebooks that people begin with. */
export const REWARD_NAMES: Readonly<Record<string, readonly string[]>> = {
  accuracy: [
    ...['accuracy_reward', 'reasoning_accuracy_reward', 'correctness_reward', 'correctness_reward_func'],
    ...['math_reward', 'exact_match', 'exact_match_reward', 'answer_reward', 'check_answer'],
  ],
  format: [
    ...['think_format_reward', 'format_reward', 'tag_count_reward', 'match_format_exactly'],
    ...['strict_format_reward_func', 'soft_format_reward_func', 'xmlcount_reward_func'],
  ],
  '{name: soft_overlong, max_tokens: 12, cache: 4}': [
    ...['get_soft_overlong_punishment', 'soft_overlong_punishment', 'overlong_reward', 'overlong_buffer'],
  ],
  '{name: cosine, max_len: 1000}': [
    ...['get_cosine_scaled_reward', 'cosine_scaled_reward', 'cosine_reward', 'len_reward', 'length_reward'],
  ],
  repetition: ['get_repetition_penalty_reward', 'repetition_penalty_reward', 'repetition_penalty'],
};
