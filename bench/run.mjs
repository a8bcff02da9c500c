/** `npm run bench -- NAME [flags]`: runs a benchmark of this folder against dist/ (`npm run build` first). */
const benchmarks = {
  kernels: 'how fast is each wasm kernel at the shapes of the countdown model, on one thread and on two?',
  memory: 'does a run take the memory that was planned, and no more as it goes on?',
};

const [name] = process.argv.slice(2);
if (name !== undefined && Object.hasOwn(benchmarks, name)) {
  await import(`./${name}.mjs`);
} else {
  const list = Object.entries(benchmarks).map(([known, question]) => `  ${known.padEnd(10)} ${question}`);
  process.stderr.write(`${name ?? 'no name'} — not a benchmark; use npm run bench -- NAME:\n${list.join('\n')}\n`);
  process.exitCode = 1;
}
