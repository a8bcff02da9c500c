/** `npm run bench -- NAME [flags]`: runs a benchmark of this folder against build/ (`npm run build` first). */
const benchmarks = {
  step: "how fast is a whole GRPO step, against TRL's?",
  lora: "how fast is a GRPO step of an adapter beside a pretrained model, against TRL's with PEFT?",
  rollout: "how fast is sampling, against transformers' generate?",
  episodes: 'what does an episode of eight turns cost, against the same tokens in one turn?',
  sft: 'how fast is a supervised step, against plain PyTorch?',
  objective: "what does an objective on the host cost, against the engine's own kernel?",
  distributions: 'what does it cost that a method sees the log-probs of the whole vocabulary?',
  scale: 'does the cost of a step grow no faster than its work?',
  profile: 'what does a step on wasm spend its time on: kernels, barriers, host?',
  kernels: 'how near is each wasm kernel to what the machine can do, on one thread and on two?',
  webgpu: 'how near is WebGPU to its adapter, and how fast against wasm, PyTorch and TRL on the same machine?',
  pack: 'what the webgpu benchmark needs, in one archive for a machine without Node',
  logprobs: 'what do our kernels for tfjs-webgpu save at a real vocabulary?',
  watched: 'what does it cost a run that somebody watches its page?',
  page: 'how soon does the page show learning, and do its thread and its memory stay free?',
  seeds: 'what do the shipped configs reach, whatever the seed?',
  methods: 'what does each method reach from random weights, and is it stable off-policy?',
  arena: 'which method helps, from the same start, with the same number of sampled tokens?',
  advice: 'does advise name what a run suffers from, and is the run better once its words are followed?',
  ailments: 'does a run say what it suffers from, and nothing else, and is a healthy one silent?',
  'fleet-worker': 'how fast does one worker process sample, beside the same process alone?',
  'fleet-hard': 'does a fleet pay on a hard problem, where most groups are dead?',
  'fleet-overlap': 'how much of an update does sampling ahead hide, where a batch is several steps?',
  'fleet-weights': 'how many bytes are weights on their way to workers?',
  'trl-curve': "does this trainer learn as TRL's, from the same weights, on the same problems?",
  transfer: 'what does training on one task do to another? six tasks by six',
  'task-scaling': 'what do more tasks to train on do, at an equal number of steps?',
  fleet: 'when does a fleet pay, and how far?',
  staleness: 'what does it cost to learn from batches that were sampled ahead?',
  'quantised-rollout': 'what does it do to learning, and cost, to sample from a copy in 8 bits?',
  strategies: 'what do sources and strategies bring at the same number of sampled tokens?',
  'strategy-costs': 'what do a step and its memory cost with each source and strategy, beside a plain one?',
  environments: 'what does a policy learn of each environment in two minutes of one core?',
  recipe: 'which tasks of tier 1 does one recipe teach in two minutes?',
  datasets: 'how much memory and time do a million rows take?',
  sandbox: 'how many programs does a sandbox run in a second of one core?',
  tasks: 'how many problems does each task draw in a second, and how many answers does it judge?',
  openings: 'what does it save to compute once what all prompts begin with?',
  storage: 'what does a base in fewer bits cost and save, and what does it cost to compute layers again?',
  exports: 'do transformers and PEFT say of an export what this package says of its model?',
  llama: 'does llama.cpp read an exported GGUF file as this package reads its model?',
  'onnx-page': 'does transformers.js, in Node and in a browser, say what this package says, with an exported model?',
  'model-page': 'does a pretrained model learn in a browser as it does in Node?',
  'model-learns': 'does a pretrained model learn in a tab, which is closed on the way?',
  'memory-shapes': 'do models and jobs of several shapes take the memory that was planned?',
  'model-shapes': 'do models of the shapes that people have fit where the plan says, and take a step?',
  memory: 'does a run take the memory that was planned, and no more as time passes?',
};

const [name] = process.argv.slice(2);
if (name !== undefined && Object.hasOwn(benchmarks, name)) {
  try {
    await import(`./${name.replaceAll('-', '_')}.mjs`);
  } catch (error) {
    if (error.name !== 'PeerError') throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1); // compute threads of our side may still be waiting
  }
} else {
  const list = Object.entries(benchmarks).map(([known, question]) => `  ${known.padEnd(13)} ${question}`);
  process.stderr.write(`${name ?? 'no name'} — not a benchmark; use npm run bench -- NAME:\n${list.join('\n')}\n`);
  process.exitCode = 1;
}
