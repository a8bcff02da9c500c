/** Debian's Chromium, for the page's benchmark and tests. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
/** Chromium offers its software adapter to those who ask for it only. */
const WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];

/** @throws Error where it is missing */
export async function startChromium({ webgpu }) {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: install chromium.`);
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', ...(webgpu ? WEBGPU : [])] });
}
