/** Opens a web address in the browser of the person at this machine. */
import { spawn } from 'node:child_process';
import type { Variables } from '../config/variables.ts';

/** Whoever has not failed by then is showing a page. */
const waitMs = 3000;

/** False when there is no screen, no browser, or it could not be started. Only http(s) addresses are opened. */
export async function openAddress(
  url: string,
  env: Variables,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return false;
  const screen = platform === 'darwin' || platform === 'win32' || env['DISPLAY'] || env['WAYLAND_DISPLAY'];
  if (!screen) return false;
  const [program, ...args] = openerOf(platform);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, [...args, url], { env: { ...env }, stdio: 'ignore', detached: true });
  const timer = setTimeout(resolve, waitMs, true);
  child.once('error', () => resolve(false));
  child.once('exit', (code) => resolve(code === 0));
  // The browser outlives us.
  child.unref();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

function openerOf(platform: NodeJS.Platform): readonly [program: string, ...args: string[]] {
  if (platform === 'darwin') return ['open'];
  // `start` belongs to the command interpreter, which would read `&` in an address as its own.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
