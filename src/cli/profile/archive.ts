/** `hermes profile export` and `import`: a profile as one `.tar.gz` file, the same as the original's. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DEFAULT_PROFILE, displayPath, ensureHome } from '../../config/home.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { copyTree } from '../../backups/copy-files.ts';
import type { CliContext } from '../command.ts';
import { findProfile, freeProfile } from './profiles.ts';
import { makeWrapper } from './wrapper.ts';

/** Keys never travel, nor does the record of what was decided here, which is sealed with one. */
const SECRET_FILES = /^(?:auth\.json|\.env|\.op\.env|audit\.(?:key|seal|jsonl.*)|\.?(?:bws|op)_cache\.json.*)$/;
const OF_THIS_MACHINE = new Set(['gateway.pid', 'gateway.lock', 'gateway_state.json', 'processes.json', 'auth.lock']);
/** The default home holds the program's own files and caches as well; of it only this is a profile. */
const EXPORTED_FROM_DEFAULT = new Set(
  `config.yaml SOUL.md MEMORY.md USER.md todo.json system_prompt.md AGENTS.md CLAUDE.md .cursorrules skills cron scripts
  sessions plugins memories knowledge preferences profile.yaml distribution.yaml`.split(/\s+/),
);
/** An archive with more in it, or larger, is not a profile. */
const MOST_ENTRIES = 500_000;
const MOST_BYTES = 64 * 1024 ** 3;

export async function exportProfile(context: CliContext, typed: string, output: string | undefined): Promise<void> {
  const { profile, path } = findProfile(context, typed);
  const target = archiveName(output ?? profile);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new UserError(`There is no folder ${folder}; nothing was exported.`);
  const stage = mkdtempSync(join(folder, '.hermes-export-'));
  try {
    const top = (name: string): boolean =>
      profile === DEFAULT_PROFILE ? EXPORTED_FROM_DEFAULT.has(name) : !OF_THIS_MACHINE.has(name);
    await copyTree(path, join(stage, profile), (name, entry) => {
      if (name.endsWith('.pyc') || name.endsWith('__pycache__') || SECRET_FILES.test(entry.name)) return false;
      return top(name.split('/', 1).join(''));
    });
    const { create } = await import('tar');
    const draft = join(stage, 'archive');
    await create({ file: draft, gzip: true, cwd: stage, portable: true }, [profile]);
    chmodSync(draft, 0o600);
    renameSync(draft, target);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  context.io.stdout.write(`✓ Exported '${profile}' to ${target}, without its keys.\n`);
}

export async function importProfile(context: CliContext, file: string, wanted: string | undefined): Promise<void> {
  const archive = resolve(file);
  if (!(statSync(archive, { throwIfNoEntry: false })?.isFile() ?? false)) {
    throw new UserError(`There is no archive ${archive}.`);
  }
  const top = await checkArchive(archive);
  const home = freeProfile(context, wanted ?? top);
  const parent = dirname(home.path);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const stage = mkdtempSync(join(parent, '.import-'));
  try {
    const { extract } = await import('tar');
    await extract({ file: archive, cwd: stage, strict: true, noChmod: false, preserveOwner: false });
    const unpacked = join(stage, top);
    chmodSync(unpacked, 0o700);
    refuseLinks(unpacked);
    ensureHome({ ...home, path: unpacked });
    renameSync(unpacked, home.path);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  context.io.stdout.write(`✓ Imported profile '${home.profile}' at ${displayPath(home.path, context.env)}\n`);
  try {
    const { path } = makeWrapper(context, home.profile);
    context.io.stdout.write(`  Command written to ${path}\n`);
  } catch (error) {
    context.io.stderr.write(`${errorMessage(error)}\n`);
  }
}

/** Looks at every entry before anything is written; returns the one folder that all are in. */
async function checkArchive(file: string): Promise<string> {
  const { list } = await import('tar');
  const tops = new Set<string>();
  const problems: string[] = [];
  let count = 0;
  let bytes = 0;
  try {
    await list({
      file,
      strict: true,
      onReadEntry: ({ path, type, size }) => {
        count += 1;
        bytes += size;
        if (!isInside(path)) problems.push(`'${path}' leads out of the profile`);
        else if (type !== 'File' && type !== 'Directory' && type !== 'OldFile')
          problems.push(`'${path}' is a link or a device`);
        else tops.add(path.replace(/^\.\//, '').split('/', 1).join(''));
      },
    });
  } catch (error) {
    throw new UserError(`${file} is not a whole .tar.gz archive: ${errorMessage(error)}`, { cause: error });
  }
  tops.delete('');
  if (count > MOST_ENTRIES || bytes > MOST_BYTES) problems.push('it is too large');
  if (tops.size !== 1) problems.push('it must hold exactly one folder, which is the profile');
  const [problem] = problems;
  if (problem !== undefined) throw new UserError(`${file} is not imported: ${problem}.`);
  return [...tops].join('');
}

function isInside(path: string): boolean {
  return !/^[/\\]|^[A-Za-z]:/.test(path) && !path.split(/[/\\]/).includes('..') && !path.includes('\0');
}

/** What the list of an archive says and what lies on the disk afterwards are two things; this is the second look. */
function refuseLinks(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const about = lstatSync(join(folder, name));
    if (!about.isFile() && !about.isDirectory()) throw new UserError(`'${name}' in the archive is a link or a device.`);
  }
}

/** `.tgz` and no ending become `.tar.gz`, as there. */
function archiveName(output: string): string {
  const plain = basename(output).replace(/\.(?:tar\.gz|tgz)$/, '');
  return join(resolve(dirname(output)), `${plain}.tar.gz`);
}
