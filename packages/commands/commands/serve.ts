import { DIRECTORY_FLAGS, THREADS, WHAT_FLAGS } from '../../../src/cli/commands/train.ts';
import { command } from '../../../src/cli/flags/command.ts';
import { integer, text, withDefault } from '../../../src/cli/flags/flag.ts';
import { askedPolicy, refuseFurther } from './required_run.ts';
import { ADAPTER, ASKED_WORD, HOST, KEY, MODEL_TEXT, PORT, RUN, TRUST, USE_ANYWAY } from './shared_flags.ts';

export const SERVE = command({
  name: 'serve',
  does: 'answer other programs over HTTP, as OpenAI and vLLM do, with token ids and exact log-probs',
  usage: 'RUN or MODEL [options], or --train CONFIG [options]',
  words: [ASKED_WORD],
  flags: {
    run: RUN,
    model: text('<path>', MODEL_TEXT, { excludes: ['run', 'force', 'trust'] }),
    adapter: ADAPTER,
    port: PORT,
    host: HOST,
    key: KEY,
    name: text('<name>', 'by which requests name the model', { otherwise: "its folder's" }),
    context: integer('<number>', 'most tokens of prompt and answer together, of --model', {
      min: 2,
      otherwise: '1,280',
    }),
    parallel: withDefault(integer('<number>', 'answers that are sampled side by side', { min: 1, max: 1024 }), 16),
    train: text('<file>', 'train on the episodes of its task sessions, which other programs play', {
      excludes: ['run', 'model', 'adapter', 'name', 'context', 'force'],
    }),
    output: DIRECTORY_FLAGS.output,
    resume: DIRECTORY_FLAGS.resume,
    set: WHAT_FLAGS.set,
    force: USE_ANYWAY,
    threads: THREADS,
    trust: TRUST,
  },
  examples: [
    { words: 'serve runs/countdown', does: 'at http://127.0.0.1:8000/v1, for this machine alone' },
    { words: 'serve --train booking.yaml', does: 'a training on episodes of other programs' },
    { words: 'serve SmolLM2-135M-Instruct --port 0 --parallel 32', does: 'a model, at a port that is free' },
  ],
  async run(words, flags) {
    if (flags.train !== undefined || flags.resume === true) {
      refuseFurther(words, 'a training has its config by --train; leave it out');
      const { train: config, output, resume, set, threads, trust } = flags;
      const { serveTraining } = await import('../actions/serve_training.ts');
      return serveTraining({ config, output, resume, set, threads, trust }, flags);
    }
    const { kind, path, words: others } = askedPolicy(words, flags);
    refuseFurther(others, 'one run or model is served; leave it out');
    return (await import('../actions/serve.ts')).serveCommand({ kind, path }, flags);
  },
});
