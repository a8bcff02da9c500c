/** The lines that ask an export, in programs of others. */
import { isAbsolute } from 'node:path';
import { shellQuoted } from '../../../src/format.ts';
import { asksInWords } from '../../../src/text/codec.ts';
import type { ExportTarget } from '../../models/run/model/exports.ts';
import type { Pretrained } from '../../models/run/model/pretrained.ts';

export function usage({ codec, location }: Pretrained, to: ExportTarget, output: string): string[] {
  const place = shellQuoted(output);
  const isChat = asksInWords(codec);
  switch (to) {
    case 'gguf':
      return [
        `llama.cpp:  llama-cli -m ${place} --temp 0${isChat ? ' -p "…"' : ' -no-cnv -p "PROMPT"'}`,
        ...(isChat
          ? [`Ollama:     echo "FROM ${output}" > Modelfile && ollama create my-model && ollama run my-model`]
          : []),
      ];
    case 'gguf-lora':
      return [
        `llama.cpp:  llama-cli -m BASE.gguf --lora ${place} --temp 0 -p "…"`,
        `Ollama:     printf 'FROM BASE.gguf\\nADAPTER ${output}\\n' > Modelfile && ollama create my-model && ollama run my-model`,
      ];
    case 'merged':
      return [
        `transformers:  AutoModelForCausalLM.from_pretrained(${JSON.stringify(output)})`,
        `vLLM:          vllm serve ${place}`,
      ];
    case 'onnx':
      return [
        `transformers.js:  const write = await pipeline('text-generation', ${JSON.stringify(isAbsolute(output) ? output : `./${output}`)}); await write("…")`,
      ];
    case 'peft':
      return [
        `PEFT:  PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(${JSON.stringify(location.name)}), ${JSON.stringify(output)})`,
      ];
  }
}
