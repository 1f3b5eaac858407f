/** What a production install takes on disk, without the Node that comes with it. */
import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measurement } from '../parts/measurement.ts';
import { runOnce } from '../parts/processes.ts';
import { root } from '../parts/workplace.ts';

export const installedSize: Measurement = {
  name: 'installed-size',
  async measure() {
    const dir = mkdtempSync(join(tmpdir(), 'hermes-bench-size-'));
    try {
      for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(root, name), join(dir, name));
      const args = ['ci', '--prefix', dir, '--omit=dev', '--ignore-scripts', '--loglevel=error'];
      await runOnce({ command: 'npm', args, env: environment(), cwd: dir });
      const modules = join(dir, 'node_modules');
      const packages = readdirSync(modules).filter((name) => !/^node-(linux|win|darwin)-/.test(name));
      const sizes = packages.map((name) => ({ name, bytes: bytesOnDisk(join(modules, name)) }));
      const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3);
      return [
        {
          what: 'production install without Node',
          value: inMegabytes(sizes.reduce((sum, { bytes }) => sum + bytes, 0)),
          unit: 'MB',
          mark: 150,
          detail: largest.map(({ name, bytes }) => `${name} ${inMegabytes(bytes).toFixed(1)}`).join(', '),
        },
      ];
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

/** What an npm that runs this bench put there is left out: it names our own directory as the place to install to. */
function environment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
}

function bytesOnDisk(path: string): number {
  const entry = lstatSync(path);
  const own = entry.blocks * 512;
  if (!entry.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + bytesOnDisk(join(path, name)), own);
}

function inMegabytes(bytes: number): number {
  return bytes / 1024 / 1024;
}
