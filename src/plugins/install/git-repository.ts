/** Brings a repository with the user's git: looked at before any file of it is written, and nothing of it is run. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runHelper } from '../../environments/run-helper.ts';
import { errorCode, errorMessage, UserError } from '../../lib/errors.ts';

export interface GitPlace {
  /** The folder of the working tree. */
  readonly folder: string;
  /** All that git gets to see. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** More is not taken as one plug-in. */
const treeLimits = { files: 1500, bytesEach: 20_000_000, bytesAll: 60_000_000, depth: 12 } as const;

const longestMs = 60_000;
const maxOutput = 4_000_000;
/** Packed; a repository may hold a little more than the files of a plug-in. */
const maxFetched = 150_000_000;
const watchMs = 500;

/** Hooks and helpers are the user's own, never the repository's; only what leads to other computers or files is spoken. */
const careful = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'submodule.recurse=false',
  'protocol.ext.allow=never',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting]);

/** Clones without writing any file. Throws `UserError`. */
export async function cloneUnseen(url: string, place: GitPlace): Promise<void> {
  const options = [
    '--quiet',
    '--depth',
    '1',
    '--single-branch',
    '--no-tags',
    '--no-checkout',
    '--no-recurse-submodules',
  ];
  await git(['clone', ...options, '--', url, place.folder], place, { at: undefined, about: `clone ${url}` });
}

/** Fetches what is new on the branch in use; false when there is nothing. Throws `UserError`. */
export async function fetchNewer(place: GitPlace): Promise<boolean> {
  await git(['fetch', '--quiet', '--no-tags', '--no-recurse-submodules'], place, { about: 'fetch what is new' });
  const [here, there] = await Promise.all(['HEAD', '@{upstream}'].map((name) => revision(name, place)));
  return here !== there;
}

async function revision(name: string, place: GitPlace): Promise<string> {
  return (await git(['rev-parse', '--verify', name], place, { about: `find ${name}` })).trim();
}

/** Goes on to what was fetched, where that follows what is there. Throws `UserError`. */
export async function forward(place: GitPlace): Promise<void> {
  await git(['merge', '--quiet', '--ff-only', '@{upstream}'], place, { about: 'go on to what is new' });
}

/** Writes the files: all, or those below a folder. Throws `UserError`. */
export async function checkOut(place: GitPlace, below: string | undefined): Promise<void> {
  await git(['checkout', '--quiet', 'HEAD', '--', below ?? '.'], place, { about: 'write the files' });
}

/** Throws `UserError` unless what stands there is a folder within bounds. Returns whether it has other repositories inside. */
export async function checkTree(
  place: GitPlace,
  commit: string,
  below: string | undefined,
): Promise<{ readonly hasSubmodules: boolean }> {
  if (below !== undefined) await requireFolder(place, commit, below);
  const path = below === undefined ? [] : ['--', `${below}/`];
  const listed = await git(['ls-tree', '-r', '-l', '-z', '--full-tree', commit, ...path], place, {
    about: 'look at the files',
  });
  let bytes = 0;
  let hasSubmodules = false;
  const lines = listed.split('\0').filter((line) => line !== '');
  if (lines.length > treeLimits.files) {
    refuse(`it has ${lines.length} files; at most ${treeLimits.files} are taken`);
  }
  for (const line of lines) {
    const [, mode = '', written = '', name = ''] = /^(\d+) \S+ \S+ +(\S+)\t([^]*)$/.exec(line) ?? [];
    const size = Number(written);
    if (mode === '160000') hasSubmodules = true;
    else if (!Number.isSafeInteger(size)) refuse(`the size of ${JSON.stringify(name.slice(0, 200))} is not known`);
    else if (size > treeLimits.bytesEach) refuse(`${JSON.stringify(name.slice(0, 200))} has ${size} bytes`);
    else bytes += size;
    if (name.split('/').length > treeLimits.depth) refuse(`${JSON.stringify(name.slice(0, 200))} is nested too deep`);
  }
  if (bytes > treeLimits.bytesAll) refuse(`it has ${bytes} bytes; at most ${treeLimits.bytesAll} are taken`);
  return { hasSubmodules };
}

async function requireFolder(place: GitPlace, commit: string, below: string): Promise<void> {
  const line = await git(['ls-tree', '-z', '--full-tree', commit, '--', below], place, { about: `look at ${below}` });
  if (line.startsWith('040000 ')) return;
  if (line.startsWith('120000 ')) refuse(`the folder '${below}' is a link`);
  refuse(`there is no folder '${below}' in the repository`);
}

function refuse(why: string): never {
  throw new UserError(`The plug-in was not taken: ${why}.`, { hint: 'Nothing of it was written.' });
}

async function git(
  args: readonly string[],
  { folder, env, signal }: GitPlace,
  { about, at = folder }: { readonly about: string; readonly at?: string | undefined },
): Promise<string> {
  const tooMuch = new AbortController();
  const watch = setInterval(() => {
    if (fetchedBytes(folder) > maxFetched) tooMuch.abort(new Error(`the repository has more than ${maxFetched} bytes`));
  }, watchMs);
  const limits = AbortSignal.any([signal, tooMuch.signal, AbortSignal.timeout(longestMs)]);
  try {
    const where = args[0] === 'clone' ? [] : ['-C', at];
    const asked = { ...env, GIT_TERMINAL_PROMPT: '0', GIT_LFS_SKIP_SMUDGE: '1' };
    const run = await runHelper('git', [...careful, ...where, ...args], {
      env: asked,
      signal: limits,
      maxBytes: maxOutput,
    });
    if (run.code === 0) return run.stdout;
    throw new UserError(`git could not ${about}: ${lastLine(run.stderr) || `exit code ${run.code}`}`);
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (errorCode(error) === 'ENOENT') {
      throw new UserError(`git could not ${about}: there is no git here.`, { hint: 'Install git and try again.' });
    }
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const why = isLate ? `it took longer than ${longestMs / 1000} s` : errorMessage(error);
    throw new UserError(`git could not ${about}: ${why}`, { cause: error });
  } finally {
    clearInterval(watch);
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 500) ?? '';
}

/** What has arrived so far. */
function fetchedBytes(folder: string): number {
  const packs = join(folder, '.git', 'objects', 'pack');
  try {
    const sizes = readdirSync(packs).map((name) => statSync(join(packs, name), { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    // Nothing yet.
    return 0;
  }
}
