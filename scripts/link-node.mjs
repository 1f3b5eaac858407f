// Puts the bundled Node 24 first in the PATH of npm scripts.
// npm 10 drops `.bin/node` when another platform's package with the same bin is skipped; this restores it.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const target = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
if (process.platform !== 'win32' && existsSync(target) && !existsSync(join(bin, 'node'))) {
  mkdirSync(bin, { recursive: true });
  symlinkSync(relative(bin, target), join(bin, 'node'));
}
