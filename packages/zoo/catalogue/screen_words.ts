/** What the words of the screen, the pages, the tables and the messages mean, where they are no name of a config or a log. */
import { plainName } from './spelled_alike.ts';

/** A word, and others for the same. */
type WordRow = readonly [words: string, text: string];

const WORDS: readonly WordRow[] = [
  // A run and its parts.
  ['run', 'One training: its directory holds config, logs, checkpoints and the model.'],
  ['policy', 'The model that is trained: given a prompt, it has a probability for each next token.'],
  ['prompt|question', 'What the policy is asked. Several completions of one prompt are a group.'],
  ['completion|completions|answer|rollout', 'What the policy writes after a prompt, token by token, up to its end.'],
  ['token|tokens', 'A piece of text that the policy reads and writes as one: a letter, a word or a part of one.'],
  ['group', 'The completions of one prompt in a step (num_generations): each is compared with the mean of them.'],
  ['batch', 'The completions that are sampled together before an update (generation_batch_size).'],
  ['step|Optimizer steps', 'One change of the weights, by all completions of a step.'],
  ['stage', 'A part of the training: sft imitates right answers, grpo reinforces answers that were rewarded.'],
  ['sft|supervised', 'The stage that learns from right answers, token by token.'],
  ['grpo|reinforcement', 'The stage that samples a group for each prompt and makes the better answers likelier.'],
  [
    'epoch|epochs',
    'One pass over a data set (num_train_epochs). Problems of a built-in task are an endless stream: there, max_steps counts.',
  ],
  ['baseline', 'The evaluation before the first step of reinforcement: what everything after it is compared with.'],
  ['periodic|requested', 'An evaluation on the way: every eval_steps, or because you asked for it.'],
  ['final', 'The evaluation after the last step.'],
  [
    'best|Best so far|Best evaluation',
    'The evaluation with the best metric_for_best_model; load_best_model_at_end keeps its weights.',
  ],
  ['checkpoint', 'All that a run needs to continue, bit for bit, saved every save_seconds.'],
  ['task', 'What is learned: it asks problems and judges answers.'],
  ['problem', 'One question of a task, with what makes an answer right.'],
  ['held-out|held-out problems', 'Problems that training never sees. Accuracy is measured on them.'],
  ['verifier', 'The part of a task that says whether an answer is right, by rules and not by a model.'],
  ['verdict', 'What the verifier says of an answer: correct, incorrect, invalid or truncated, with a reason.'],
  ['correct|right', 'The strict verifier accepts the answer.'],
  ['incorrect|wrong', 'The answer has the right form, and is not the right one.'],
  ['invalid', 'The answer does not have the form that the task asks for.'],
  [
    'truncated|cut off|Truncated completions',
    'The completion reached max_completion_length before it ended; the logs call the share completions/clipped_ratio.',
  ],
  ['eos|finish_reason', 'Why a completion ended: eos, because the policy ended it, or length, because the limit did.'],
  // Figures.
  ['greedy|accuracy|Held-out accuracy|Greedy accuracy', 'Share of held-out problems whose likeliest answer is right.'],
  [
    'sampled|mean@4|Sampled accuracy',
    'Share of sampled answers to held-out problems that are right (num_generations_eval of each).',
  ],
  ['pass@4|pass@k|pass@8', 'Share of held-out problems of which at least one of k sampled answers is right.'],
  ['pass^4', 'Share of held-out problems of which all of k sampled answers are right.'],
  ['maj@4', 'Share of held-out problems whose commonest sampled answer is right.'],
  ['metric|metrics', 'A number that a run logs, in metrics.jsonl, by its name there: docs/reference/metrics.md.'],
  ['interval|95 %', 'With 95 % probability the true value lies in it; two overlapping ones may be equal.'],
  ['reward|Rewards by function', 'What a completion is paid: a sum of reward functions (reward_funcs).'],
  [
    'advantage|advantages',
    'Reward of a completion relative to its group: above 0 it becomes likelier, below 0 less likely.',
  ],
  [
    'dead|dead groups|dead group',
    'Groups whose completions all got the same reward: nothing can be learned from them.',
  ],
  ['live|live group', 'A group whose rewards differ: the update is made of these.'],
  ['length|Completion length', 'Mean length of the completions, in tokens.'],
  ['entropy', 'How undecided the policy is, in nats per token; at 0 it tries nothing new.'],
  ['loss|Supervised loss', 'What an update makes smaller. Under sft it says how surprising right answers are.'],
  ['policy loss', 'The loss of reinforcement without entropy_coef. It stays near 0: watch reward and accuracy.'],
  ['kl', 'How far the policy has moved from the reference, in nats per token; beta penalises it.'],
  [
    'clip|clipped|Clipped tokens',
    'Tokens whose probability has changed by more than epsilon within a batch: the objective stops pushing them.',
  ],
  ['grad norm|Gradient norm|norm', 'Size of the gradient before it is clipped to max_grad_norm.'],
  ['learning rate|rate', 'How far each step moves the weights (learning_rate), warm-up and schedule included.'],
  ['ratio', 'Probability of a token now, over that when it was sampled: 1 at the first update on a batch.'],
  ['logprob|logprobs|log-prob', 'Logarithm of the probability that the policy gave a token, in nats; 0 is certainty.'],
  ['surprise|surprising', 'A token that the policy thought unlikely when it sampled it.'],
  ['temperature', 'Above 1 sampling is more random, below 1 less; 0 always takes the likeliest token.'],
  ['tokens/s|tokensPerSecond|Tokens per second', 'Completion tokens per second, evaluations not counted.'],
  ['seed', 'Number that all random draws follow from: the same seed gives the same bits.'],
  ['so|rise|What rose', 'Whether the model solves more problems than before, or the same ones more often.'],
  ['start', 'How many held-out problems the untrained policy solves at times: what reinforcement has to work with.'],
  ['gained|lost', 'Problems that one run solves and the other does not.'],
  [
    'McNemar|p|sign test',
    'Probability of a difference at least this large if both were equally good; below 0.05 it is rarely chance.',
  ],
  ['crossing', 'The k from which on the other run has the higher pass@k.'],
  ['parameters', 'Numbers that training changes: the size of the model.'],
  ['wallSeconds|Time', 'Seconds that the run took.'],
  ['split|rollout|verify|update|eval', 'Seconds by activity: sampling, judging, changing the weights, evaluating.'],
  ['weightsSha256', 'Digest of the weights at the end: equal for runs of the same seed, config and version.'],
  [
    'diagnoses|diagnosis|Diagnostics',
    'What kept the policy from learning, and which key to change: docs/diagnostics.md.',
  ],
  ['note', 'A diagnosis that is worth knowing.'],
  ['warning', 'A diagnosis: learning is in danger or impossible.'],
  ['stop', 'A diagnosis that ends the run with the weights of the last good step.'],
  ['withdrawn', 'A diagnosis that no longer holds.'],
  // Where and how it runs.
  ['backend', 'What computes: wasm (the CPU), webgpu (the GPU), reference, or TensorFlow.js.'],
  ['thread|threads', 'Cores that compute. They do not change the result.'],
  ['memory', 'All that the run allocates, known before its first step.'],
  [
    'model',
    'In a run directory, the weights at the end, as transformers reads them; in a config, the shape of a new one.',
  ],
  ['figures', 'The files with the numbers of a run: summary.json, metrics.jsonl, completions.jsonl.'],
  ['look|ask it', 'The command to type next.'],
  ['Workers', 'Processes that sample for this training: docs/fleet.md.'],
  ['Groups sampled', 'Groups that workers have sampled.'],
  ['Groups under way', 'Groups that workers are sampling.'],
  ['Learner waited', 'Share of the time in which the training had nothing to do, as no group had arrived.'],
  ['Weights sent', 'Bytes of weights that went to workers.'],
  ['Wasted', 'Time of workers whose groups came too late.'],
  ['Refused', 'Answers of workers that were not what this machine computes for the same request.'],
  ['Time left', 'Estimate from the steps so far.'],
  ['Time in training steps', 'Seconds of the steps that have been logged.'],
  // States and columns of the list of runs.
  ['running', 'A process is working on the run.'],
  ['stopped', 'The run was cut off; --resume continues it with the same bits.'],
  ['finished', 'The run has reached its last step.'],
  ['failed', 'A value was not finite; the last good weights are kept.'],
  ['damaged', 'A file of the run cannot be read; the line below it says which.'],
  ['state', 'Whether a run is running, stopped, finished, failed or damaged.'],
  ['changed', 'When a file of the run was last written.'],
  ['size', 'Bytes of the run directory.'],
  ['starting', 'The kernels are being prepared.'],
  ['evaluating', 'The held-out problems are being asked.'],
  ['evaluating after this step|e', 'An evaluation was asked for; it changes no bit of the run.'],
  ['pausing after this step|paused|pause|p', 'The run waits; p continues it with the same bits.'],
  ['stopping and saving|q', 'The run saves what --resume needs, and ends.'],
  // What people bring from elsewhere.
  [
    'LoRA|adapter|QLoRA',
    'Small matrices that are trained beside fixed weights: use_peft and lora_r; load_in_4bit stores the fixed ones in 4 bits.',
  ],
  ['vllm', 'Not needed here: the engine that trains also samples, on the same weights.'],
  [
    'wandb',
    'Not a tracker here. report_to takes tensorboard, mlflow and trackio, and the page of rlvr-train ui needs none.',
  ],
  ['reference', 'The policy that kl is measured against: the one at the start of the stage (beta).'],
];

const BY_WORD: ReadonlyMap<string, string> = new Map(
  WORDS.flatMap(([words, text]) => words.split('|').map((word) => [spelling(word), text] as const)),
);

/** How a word is looked up: in small letters, however joined; signs tell pass@4 and pass^4 apart. */
function spelling(word: string): string {
  const ofAnyK = word.replace(/^(pass|mean|maj)([@^])\d+$/i, '$1$24');
  return /[@^%/]/.test(word) ? ofAnyK.toLowerCase() : plainName(word);
}

/** What a word of the screen means; undefined for another. */
export function screenWord(word: string): string | undefined {
  return BY_WORD.get(spelling(word));
}

/** Every word that is explained. */
export function screenWords(): string[] {
  return WORDS.flatMap(([words]) => words.split('|'));
}
