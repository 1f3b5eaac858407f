// Runs after `npm ci` in a clone: puts the bundled Node 24 first in the PATH of npm scripts, then builds.
// Plain JavaScript, because npm may still run on an older Node here.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = findNode24();
if (node === undefined) {
  process.stderr.write(
    `hermes needs Node.js 24 or newer; this is ${process.version}. ` +
      'Nothing was built: install Node 24, or run npm ci again without --omit=optional.\n',
  );
} else {
  linkNode(node);
  const build = spawnSync(node, [join(root, 'scripts', 'build.ts'), '--if-possible'], { stdio: 'inherit' });
  process.exitCode = build.status === null ? 1 : build.status;
}

/** Path of a Node that runs TypeScript: the one in optionalDependencies, else this one if it is new enough. */
function findNode24() {
  const windows = process.platform === 'win32';
  const name = `node-${windows ? 'win' : process.platform}-${process.arch}`;
  const bundled = join(root, 'node_modules', name, 'bin', windows ? 'node.exe' : 'node');
  if (existsSync(bundled)) return bundled;
  return Number(process.versions.node.split('.')[0]) >= 24 ? process.execPath : undefined;
}

/** npm 10 drops `.bin/node` when another platform's package with the same bin is skipped; this restores it. */
function linkNode(target) {
  const bin = join(root, 'node_modules', '.bin');
  if (process.platform === 'win32' || dirname(target) === dirname(process.execPath)) return;
  if (existsSync(join(bin, 'node'))) return;
  mkdirSync(bin, { recursive: true });
  symlinkSync(relative(bin, target), join(bin, 'node'));
}
