/** A Chromium that somebody else has started, with its DevTools port open. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from './support.ts';

export interface RunningChromium {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

export async function startChromium(): Promise<RunningChromium> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-test-chromium-'));
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = ['--headless', '--disable-dev-shm-usage', '--remote-debugging-port=0', `--user-data-dir=${folder}`];
  const child = spawn(chromium ?? '', [...args, ...root, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text));
  let port: string | undefined;
  while (port === undefined) {
    await once(child.stderr, 'data');
    port = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(said)?.[1];
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}
