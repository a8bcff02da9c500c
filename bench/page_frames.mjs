/**
 * The time between a page's animation frames, as a histogram of fixed size: a list would be a page whose memory grows.
 */
const BIN_MS = 0.1;
const BINS = 10_000;

/** Counts in every document that the page opens from now on. */
export async function countFrames(page) {
  await page.addInitScript(
    ([binMs, bins]) => {
      globalThis.frameTimes = new Uint32Array(bins);
      let before = performance.now();
      const frame = () => {
        const now = performance.now();
        globalThis.frameTimes[Math.min(bins - 1, Math.round((now - before) / binMs))]++;
        before = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    },
    [BIN_MS, BINS],
  );
}

/** Starts over. @returns the frames since: how many, and of the milliseconds between two the median and a far quantile */
export async function watchFrames(page) {
  await page.evaluate(() => globalThis.frameTimes.fill(0));
  return async () => {
    const counts = await page.evaluate(() => [...globalThis.frameTimes]);
    const count = counts.reduce((a, b) => a + b, 0);
    return { count, medianMs: quantile(counts, count, 0.5), p95Ms: quantile(counts, count, 0.95) };
  };
}

function quantile(counts, total, share) {
  let bin = 0;
  for (let below = counts[0]; below < share * total; below += counts[bin]) bin++;
  return bin * BIN_MS;
}
