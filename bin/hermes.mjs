#!/usr/bin/env node
// Starts hermes on Node 24 or newer, whatever Node it was called with, and answers `--version` by itself.
// Plain old syntax and few imports on purpose: this file must parse on Node 12 and cost nearly nothing.
import module from 'node:module';

// An import of these would touch every part of them; `require` takes what is there.
const require = module.createRequire(import.meta.url);
const { existsSync, readFileSync } = require('fs');
const { fileURLToPath } = require('url');

const OLDEST_NODE = 24;
const root = new URL('..', import.meta.url);
const args = process.argv.slice(2);

if (asksOnlyForVersion(args)) printVersion();
else if (majorOf(process.versions.node) >= OLDEST_NODE) startHere();
else startOnNewerNode();

/** True for `--version` or `-V` alone, or with nothing but a profile beside it. */
function asksOnlyForVersion(words) {
  const left = [];
  for (let i = 0; i < words.length; i += 1) {
    if (words[i] === '-p' || words[i] === '--profile') i += 1;
    else if (words[i].indexOf('--profile=') !== 0) left.push(words[i]);
  }
  return left.length === 1 && (left[0] === '--version' || left[0] === '-V');
}

function printVersion() {
  const about = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const day = about.releaseDate.split('-').map(Number).join('.');
  const lines = [
    'Hermes Agent v' + about.version + ' (' + day + ')',
    'Install directory: ' + fileURLToPath(root).replace(/[\\/]$/, ''),
    'Install method: ' + installMethod(),
    'Node: ' + nodeInUse(),
  ];
  process.stdout.write(lines.join('\n') + '\n');
}

/** How the program got here; `src/cli/commands/version.ts` says the same. */
function installMethod() {
  if (existsSync(new URL('.git', root))) return 'git';
  return root.pathname.indexOf('/node_modules/') < 0 ? 'folder' : 'npm';
}

/** The Node that hermes would run on, which is not this one when this one is too old. */
function nodeInUse() {
  if (majorOf(process.versions.node) >= OLDEST_NODE) return process.version;
  if (process.env.HERMES_NODE) return process.env.HERMES_NODE;
  const bundled = bundledNode();
  return bundled ? 'v' + bundled.version + ' (bundled)' : process.version + ' (too old)';
}

/** This Node is new enough: run the built program, or the sources where there is no build. */
function startHere() {
  delete process.env.HERMES_REEXEC;
  keepMemoryTogether();
  cacheCompiledCode();
  const places = process.env.HERMES_DEV === '1' ? ['src/main.ts', 'dist/main.js'] : ['dist/main.js', 'src/main.ts'];
  const entry = places.map((place) => new URL(place, root)).find((url) => existsSync(url));
  if (!entry) {
    return fail('hermes: this installation has no program in it: dist/main.js and src/main.ts are both missing.', [
      'Reinstall it, or run `npm run build` in ' + fileURLToPath(root),
    ]);
  }
  // The program sees itself as the script, exactly as with `node dist/main.js`.
  process.argv[1] = fileURLToPath(entry);
  void import(entry.href);
}

/**
 * A gateway stays for weeks, and the C library of Linux gives each of its threads a heap of its own, of which little is given
 * back. One heap for all has to be asked for before a process begins (mallopt(3), M_ARENA_MAX), so it begins anew in its own
 * place. Programs that it starts see nothing of it.
 */
function keepMemoryTogether() {
  if (process.env.HERMES_ONE_HEAP === '1') {
    delete process.env.HERMES_ONE_HEAP;
    delete process.env.MALLOC_ARENA_MAX;
    return;
  }
  const stays = args.some((word, at) => word === 'gateway' && args[at + 1] === 'run');
  if (!stays || process.platform !== 'linux' || !process.execve || process.env.MALLOC_ARENA_MAX) return;
  const env = Object.assign({}, process.env, { HERMES_ONE_HEAP: '1', MALLOC_ARENA_MAX: '1' });
  const words = process.execArgv.concat([fileURLToPath(import.meta.url)], args);
  try {
    process.execve(process.execPath, [process.execPath].concat(words), env);
  } catch {
    // Not allowed here: it goes on as it is.
  }
}

/**
 * Keeps compiled code between runs; several times faster when the sources are run without a build. The place is the
 * user's own cache directory: Node's default under /tmp could be prepared by somebody else on a shared machine, and
 * what is read from it is executed. Where it cannot be written Node goes on without a cache and says nothing.
 */
function cacheCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE || !module.enableCompileCache) return;
  const base =
    process.env.LOCALAPPDATA || process.env.XDG_CACHE_HOME || (process.env.HOME && process.env.HOME + '/.cache');
  if (base) module.enableCompileCache(base + '/hermes-agent/compile');
}

/** This Node is too old: hand over to the one that came with the installation, or to `HERMES_NODE`. */
function startOnNewerNode() {
  const bundled = bundledNode();
  const node = process.env.HERMES_NODE || (bundled && bundled.path);
  // A second round means that the Node chosen in the first one is too old as well.
  if (!node || process.env.HERMES_REEXEC === '1') return failForNode();

  const env = Object.assign({}, process.env, { HERMES_REEXEC: '1' });
  const childArgs = process.execArgv.concat([fileURLToPath(import.meta.url)], args);
  if (process.execve && process.platform !== 'win32' && existsSync(node)) {
    return process.execve(node, [node].concat(childArgs), env);
  }
  void import('node:child_process').then((childProcess) => {
    const child = childProcess.spawn(node, childArgs, { stdio: 'inherit', env: env });
    const stopForwarding = forwardSignals(child);
    child.on('error', () => failForNode('could not start ' + node + '.'));
    child.on('exit', (code, signal) => {
      stopForwarding();
      // Dying of the same signal tells our caller what really happened to the program.
      if (signal) process.kill(process.pid, signal);
      else process.exitCode = code;
    });
  });
}

/** Passes signals on to the child for as long as it lives; returns the function that ends it. */
function forwardSignals(child) {
  // A terminal sends Ctrl-C to both processes by itself; then this one only has to survive it.
  const atTerminal = Boolean(process.stdin.isTTY);
  const listeners = ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT', 'SIGQUIT'].map((signal) => {
    const sentByTerminal = atTerminal && (signal === 'SIGINT' || signal === 'SIGQUIT');
    const listener = () => sentByTerminal || child.kill(signal);
    if (process.platform !== 'win32' || signal === 'SIGINT') process.on(signal, listener);
    return { signal: signal, listener: listener };
  });
  return () => listeners.forEach((entry) => process.removeListener(entry.signal, entry.listener));
}

/** Path and version of the Node binary installed as an optional dependency, if it is there. */
function bundledNode() {
  const name = 'node-' + (process.platform === 'win32' ? 'win' : process.platform) + '-' + process.arch;
  try {
    const manifest = require.resolve(name + '/package.json');
    const path = manifest.replace(/package\.json$/, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
    return existsSync(path) ? { path: path, version: JSON.parse(readFileSync(manifest, 'utf8')).version } : undefined;
  } catch {
    return undefined; // not installed: `--omit=optional`, or a platform without such a package
  }
}

function failForNode(reason) {
  const found = process.version + ' (' + process.execPath + ')';
  fail('hermes needs Node.js ' + OLDEST_NODE + ' or newer; ' + (reason || 'this is ' + found + '.'), [
    'Install Node ' + OLDEST_NODE + ', point HERMES_NODE at one, or reinstall hermes without --omit=optional.',
  ]);
}

function fail(summary, advice) {
  process.stderr.write([summary].concat(advice).join('\n') + '\n');
  process.exitCode = 1;
}

function majorOf(version) {
  return Number(version.split('.')[0]);
}
