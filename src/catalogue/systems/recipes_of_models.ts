/** Names that people look for: published models, and the frameworks that train them. */
import type { System } from './system.ts';

const BRIEF = ['reward_funcs: [positions, {name: cosine, max_len: 8, weight: 0.2}]'];
const SEARCHING = ['task: {name: mini_search, level: 0}', 'reward_funcs: [accuracy]'];
const TWO_SUBJECTS = [
  'tasks: [{name: sort_digits, digits: 3}, {name: reverse_text}]',
  'reward_funcs: [accuracy]',
  'stages: [{stage: grpo, max_steps: 150, task_weights: {sort_digits: 1}}, {stage: grpo, max_steps: 150, task_weights: {reverse_text: 1}}]',
];
const IN_RANGE = ['prompt_source: {name: keep-range, lowest: 0.01, highest: 0.9}', 'loss_type: grpo'];
const RULES_ALONE = ['loss_type: grpo', 'num_generations: 16', 'beta: 0.001'];
const IMAGES = 'it samples images or videos by diffusion, which is no text; its advantages are those of `group`';
const FRAMEWORK = 'a framework, and no method';

export const RECIPES_OF_MODELS: readonly System[] = [
  {
    name: 'QwQ / QwQ-32B',
    does: 'Reinforces mathematics and programs by verdicts first, then general skills by a reward model and rules.',
    uses: 'stages mixture-staged group',
    keys: TWO_SUBJECTS,
    transfers: 'What is known of it is a note. A stage for each subject.',
  },
  {
    name: 'Open-R1',
    does: 'Reproduces DeepSeek-R1 in the open: traces to copy, then rewards of verdict, format, length and repetition.',
    uses: 'sft-warmup group format cosine repetition',
    keys: BRIEF,
    warm: true,
    transfers: 'To a pretrained model add the rewards `format` and `repetition`.',
  },
  {
    name: 'AM-Thinking-v1 / AM-Thinking',
    arxiv: '2505.08311',
    does: 'Copies reasoning, then reinforces problems that are neither always nor never solved.',
    uses: 'sft-warmup group keep-range',
    keys: IN_RANGE,
    warm: true,
  },
  {
    name: 'K2-Think',
    arxiv: '2509.07604',
    does: 'Copies long reasoning, reinforces by verdicts of six subjects, and votes among plans at the end.',
    uses: 'sft-warmup group key:tasks best-of-k',
    keys: IN_RANGE,
    warm: true,
    transfers: 'All but the planner that writes the prompt.',
  },
  {
    name: 'Seed1.5-Thinking / Seed-Thinking',
    arxiv: '2504.13914',
    does: 'Reinforces by VAPO and DAPO with a verifier that is a model which thinks.',
    uses: 'ppo-clip token-mean positive-nll gae dynamic-sampling async-reward',
    keys: ['epsilon_high: 0.28', 'loss_terms: [positive-nll]'],
    transfers: 'All but the critic; a verifier that is a model is `http`.',
  },
  {
    name: 'OLMo 3 / OlmoRL',
    arxiv: '2512.13961',
    does: 'Reinforces without KL or deviation, with clip-higher, live groups alone and corrected ratios, in the open.',
    uses: 'ppo-clip token-mean dynamic-sampling tis key:scale_rewards',
    keys: [
      'loss_type: dapo',
      'epsilon_high: 0.28',
      'scale_rewards: none',
      'dynamic_sampling: refill',
      'token_weights: [tis]',
    ],
  },
  {
    name: 'EXAONE Deep',
    arxiv: '2503.12524',
    does: 'Copies reasoning, prefers by pairs, then reinforces.',
    uses: 'stages sft-warmup dpo-pairs group',
    keys: [
      'stages: [{stage: sft, max_steps: 50, learning_rate: 3.0e-3}, {stage: grpo, max_steps: 50, objective: dpo-pairs}, {stage: grpo, max_steps: 200}]',
    ],
  },
  {
    name: 'FastCuRL',
    arxiv: '2503.17287',
    does: 'Lengthens the room of completions by stages, with problems sorted by their length.',
    uses: 'stages key:max_completion_length',
    keys: [
      'stages: [{stage: grpo, max_steps: 150, max_completion_length: 4}, {stage: grpo, max_steps: 150, max_completion_length: 8}]',
    ],
  },
  {
    name: 'INTELLECT-3',
    arxiv: '2512.16144',
    does: 'Reinforces a large mixture of experts far off policy, with tokens left out whose ratio is too far off.',
    uses: 'key:staleness icepop page:fleet.md',
    keys: ['staleness: 2', 'delta: 4'],
    transfers: 'Its mask of ratios is `token_weights: [icepop]`.',
  },
  {
    name: 'Demystifying Long CoT',
    arxiv: '2502.03373',
    does: 'Finds what lets reasoning grow: a reward of cosine shape over length, and a penalty for repeating.',
    uses: 'sft-warmup cosine repetition',
    keys: BRIEF,
    warm: true,
  },
  {
    name: 'Satori',
    arxiv: '2502.02508',
    does: 'Teaches to continue, to reflect and to try another way, and reinforces from the middle of earlier attempts.',
    uses: 'sft-warmup start-anywhere',
    keys: ['task: fsm_site', 'reward_funcs: [accuracy]', 'rollout_strategies: [start-anywhere]'],
    warm: true,
    differs: 'Episodes begin on the way of an expert, and not at the own mistakes.',
  },
  {
    name: 'Kimi-Researcher',
    does: 'Reinforces a whole agent that searches, by its last answer alone.',
    uses: 'mini-search tool-calls reinforce',
    keys: SEARCHING,
    warm: true,
  },
  {
    name: 'WebSailor',
    arxiv: '2507.02592',
    does: 'Makes questions of which the facts are veiled, and repeats groups with signal in the place of dead ones.',
    uses: 'mini-search tool-calls dynamic-sampling',
    keys: SEARCHING,
    warm: true,
    transfers: '`dynamic_sampling: refill` samples further groups in the place of dead ones.',
  },
  {
    name: 'DeepSWE / DeepSWE-Preview',
    does: 'Reinforces an agent that repairs programs, by tests alone, without KL, entropy or deviation.',
    uses: 'js_repair key:scale_rewards truncation-mask rloo',
    keys: ['task: {name: js_repair, level: 0}', 'reward_funcs: [accuracy]'],
    warm: true,
  },
  {
    name: 'VLM-R1 / Video-R1 / Open-R1-Multimodal',
    arxiv: '2504.07615',
    does: 'Reinforces a model that sees by rules for answer and format, as R1-Zero does.',
    uses: 'group kl-loss format',
    keys: RULES_ALONE,
    transfers: 'All but images and videos.',
  },
  {
    name: 'Thinkless / AdaptThink',
    arxiv: '2505.13417',
    does: 'Learns when to answer at once and when to reason first.',
    uses: '',
    why: 'it needs a model with both ways of answering; nearest are rewards of brevity, `cosine` and `exp-decay`',
  },
  {
    name: 'SEAL / Self-Adapting Language Models',
    arxiv: '2506.10943',
    does: 'Writes its own data to train on, and is paid by how well the trained copy does.',
    uses: '',
    why: 'each reward would be a training of its own; nearest are `rft` and `proposer-solver`',
  },
  {
    name: 'Flow-GRPO / DanceGRPO',
    arxiv: '2505.05470',
    does: 'Brings GRPO to models that make images by diffusion or flows.',
    uses: '',
    why: IMAGES,
  },
  {
    name: 'TRL',
    does: "Hugging Face's library of trainers for language models, GRPO among them.",
    uses: '',
    why: `${FRAMEWORK}; its keys are read here as they are (docs/trl.md), and its logs by \`rlvr-train doctor\``,
  },
  {
    name: 'HybridFlow / verl',
    arxiv: '2409.19256',
    does: 'A library that places the models of PPO and GRPO on many GPUs.',
    uses: '',
    why: `${FRAMEWORK}; its logs are read by \`rlvr-train doctor\`, and many processes are docs/fleet.md`,
  },
  {
    name: 'OpenRLHF / slime / SkyRL / ROLL / NeMo-RL / prime-rl / Trinity-RFT / Unsloth',
    does: 'Libraries that reinforce language models on GPUs.',
    uses: '',
    why: `${FRAMEWORK}; what of their options is here is in docs/reference/keys.md, and many processes are docs/fleet.md`,
  },
];
