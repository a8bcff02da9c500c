/** `rlvr-train export PATH --output FILE.gguf`: a model, with its adapter merged, as a file for other programs. */
import { CheckpointError } from '../../errors.ts';
import { printable, shellQuoted } from '../../format.ts';
import { GGUF_ENCODERS, type GgufDtype } from '../../model/pretrained/gguf_encoders.ts';
import { merged, type Pretrained } from '../../run/model/pretrained.ts';
import { type GgufCheck, writeGguf } from '../../run/model/write_gguf.ts';
import { asksInWords } from '../../text/codec.ts';
import { print } from '../display/output.ts';
import { command } from '../flags/command.ts';
import { choice, required, text, withDefault } from '../flags/flag.ts';
import { openGiven, requireFree, writeWhole } from '../runs/give_away.ts';

const DTYPES = Object.keys(GGUF_ENCODERS) as [GgufDtype, ...GgufDtype[]];

export const EXPORT = command({
  name: 'export',
  does: 'write a model as a GGUF file, which llama.cpp and Ollama open',
  usage: '<path> --output <file> [--dtype <type>] [--base <path>]',
  words: [{ syntax: '<path>', text: 'the directory of a run, a folder of a model or of an adapter, or a .gguf file' }],
  flags: {
    output: required(text('<file>', 'the new file, whose name ends in .gguf (required)', { letter: 'o' })),
    dtype: withDefault(choice('<type>', 'how weights are stored; vectors stay in float32', DTYPES), 'f16'),
    base: text('<path>', 'the model of an adapter, where it is not where the adapter says'),
  },
  examples: [
    {
      words: 'export runs/mine --output mine.gguf --dtype q8_0',
      does: 'a model for llama.cpp and Ollama (docs/pretrained.md)',
    },
  ],
  run: ([path], flags) => exportCommand(path, flags),
});

interface ExportOptions {
  readonly output: string;
  readonly dtype: GgufDtype;
  readonly base?: string;
}

/**
 * The file appears under its name whole, opened again and compared, or not at all.
 *
 * @throws CheckpointError, DataError where there is no model, it has no form in GGUF, or the file is there already
 */
async function exportCommand(path: string, { output, dtype, base }: ExportOptions): Promise<void> {
  if (!output.endsWith('.gguf')) {
    throw new CheckpointError('output-name', `--output ${output} — give a name that ends in .gguf.`);
  }
  requireFree(output, 'file');
  const pretrained = await openGiven(path, base);
  const check = await writeWhole(output, (store, file) =>
    writeGguf(store, file, merged(pretrained), dtype, textsOf(pretrained)),
  );
  print(`${printable(pretrained.name)}: written as ${printable(output)}, ${dtype}, ${megabytes(check.bytes)}`);
  const changed =
    check.difference === 0 ? 'every weight is the same' : `weights differ by at most ${difference(check)}`;
  print(`opened again: ${changed}`);
  for (const line of usage(pretrained, output)) print(line);
}

/** `270.9 MB` (10⁶ bytes), as file managers have it. */
function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function difference({ difference: most, tensor }: GgufCheck): string {
  return `${most.toExponential(1)} (${tensor}), which is what its type rounds off`;
}

/** Texts that reach every rule by which a text is split. */
const TEXTS = [
  'The capital of Japan is Tokyo.',
  "I'll say it's 12345, 6.7 and 89!\n\n  Two  blanks\tand a tab ",
  'naïve café, Größe, 東京, 🙂 \r\n',
];

function textsOf({ codec }: Pretrained): readonly string[] {
  if (asksInWords(codec)) return [...TEXTS, codec.render([{ role: 'user', content: TEXTS[1] as string }])];
  const characters = Array.from({ length: codec.vocabSize }, (_, id) => codec.tokenText(id));
  return [characters.filter((text) => !/^<.+>$/.test(text)).join('')];
}

/** The lines that ask it, in programs of others. */
function usage({ codec }: Pretrained, output: string): string[] {
  const file = shellQuoted(output);
  const isChat = asksInWords(codec);
  return [
    `llama.cpp:  llama-cli -m ${file} --temp 0${isChat ? ' -p "…"' : ' -no-cnv -p "PROMPT"'}`,
    ...(isChat
      ? [`Ollama:     echo "FROM ${output}" > Modelfile && ollama create my-model && ollama run my-model`]
      : []),
  ];
}
