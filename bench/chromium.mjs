/** Debian's Chromium, for the page's benchmark and tests. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
/** Chromium offers its software adapter to those who ask for it only. */
const WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];

/** @throws Error where it is missing */
export async function startChromium({ webgpu }) {
  return chromium.launch({ executablePath: found(), args: ['--no-sandbox', ...(webgpu ? WEBGPU : [])] });
}

/**
 * A browser whose files stay, and its one window.
 * @param profile  folder of its own @param options  of the window
 * @throws Error where it is missing
 */
export async function startKeptChromium(profile, options) {
  return chromium.launchPersistentContext(profile, { ...options, executablePath: found(), args: ['--no-sandbox'] });
}

function found() {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: install chromium.`);
  return PROGRAM;
}
