/** Adapters of test/golden/peft as folders in memory, and what PEFT computes with them. */
import { readFileSync } from 'node:fs';
import { loadPeftGolden, type PeftGolden, type PeftGoldenName } from '../../../../test/golden/load.ts';
import { MemoryFiles } from './pretrained_files.ts';

export const PEFT_ADAPTERS = ['llama_tied', 'qwen2', 'qwen3', 'llama_rslora', 'qwen2_dora'] as const;

/** adapter_config.json and adapter_model.safetensors. */
export function adapterFiles(name: PeftGoldenName): MemoryFiles {
  const own = new URL(`../../../../test/golden/peft/${name}/`, import.meta.url);
  const bytes = (file: string) => new Uint8Array(readFileSync(new URL(file, own)));
  const files = ['adapter_config.json', 'adapter_model.safetensors'];
  return new MemoryFiles(new Map(files.map((file) => [file, bytes(file)])));
}

export { loadPeftGolden, type PeftGolden, type PeftGoldenName };
