/** The hub's own files in a home: what is installed, what happened, which repositories are asked. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { errorCode, UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import { type DeclaredNeeds, readNeeds } from '../skills/declared-needs.ts';

/** One installed skill, in the words of `lock.json`. */
export interface LockEntry {
  source: string;
  identifier: string;
  trust_level: string;
  scan_verdict: string;
  /** `sha256:` and 16 hex digits over the bytes of all files. */
  content_hash: string;
  /** Below `skills/`. */
  install_path: string;
  files: string[];
  /** Free for the source; `sha256:<path>` is the full hash of a file, `installing` marks one that is not in place yet. */
  metadata: Record<string, unknown>;
  installed_at: string;
  updated_at: string;
}

export interface Tap {
  /** `owner/name`, or the absolute path of a folder on this machine. */
  readonly repo: string;
  /** Where the skills are inside it. */
  readonly path: string;
}

export const defaultTaps: readonly Tap[] = [
  'openai/skills',
  'anthropics/skills',
  'huggingface/skills',
  'NVIDIA/skills',
  'garrytan/gstack',
].map((repo) => ({ repo, path: repo === 'garrytan/gstack' ? '' : 'skills/' }));

export function hubFolder(homePath: string): string {
  return join(homePath, 'skills', '.hub');
}

/** Where the metadata of an entry says what the skill asked for when it was installed. */
export const needsKey = 'hermes_needs';

/** What the skill in a directory asked for when the hub installed it; undefined for all others, and for older entries. */
export function agreedNeeds(homePath: string, directory: string): DeclaredNeeds | undefined {
  const lock = readLock(homePath);
  if (lock.size === 0) return undefined;
  const folder = relative(realpathSync(join(homePath, 'skills')), realpathSync(directory))
    .split(sep)
    .join('/');
  const entry = [...lock.values()].find(({ install_path: path }) => path === folder);
  return readNeeds(entry?.metadata[needsKey]);
}

/** One process at a time changes what is installed. */
export function withHubLock<T>(homePath: string, work: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
  const options = signal === undefined ? { timeoutMs: 60_000 } : { timeoutMs: 60_000, signal };
  return withFileLock(join(hubFolder(homePath), 'lock.json.lock'), work, options);
}

/** Missing is empty. Throws `UserError` when the file cannot be understood, since writing would then lose what it says. */
export function readLock(homePath: string): Map<string, LockEntry> {
  const path = join(hubFolder(homePath), 'lock.json');
  const text = readOrEmpty(path);
  if (text.trim() === '') return new Map();
  const parsed = lockShape.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new UserError(`${path} cannot be read: it is not the list of installed skills.`, {
      hint: 'Put a copy of it back, or move it away; skills on disk stay.',
    });
  }
  return new Map(Object.entries(parsed.data.installed));
}

export function writeLock(homePath: string, installed: ReadonlyMap<string, LockEntry>): void {
  const path = join(hubFolder(homePath), 'lock.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileAtomic(path, `${JSON.stringify({ version: 1, installed: Object.fromEntries(installed) }, undefined, 2)}\n`);
}

/** Adds a line; a log that has grown large is kept once as `audit.log.1`. */
export function noteAudit(
  homePath: string,
  action: string,
  name: string,
  entry: Pick<LockEntry, 'source' | 'trust_level' | 'scan_verdict'>,
  extra = '',
): void {
  const path = join(hubFolder(homePath), 'audit.log');
  mkdirSync(dirname(path), { recursive: true });
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(path, `${path}.1`);
  const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const parts = [time, action, name, `${entry.source}:${entry.trust_level}`, entry.scan_verdict, extra];
  const line = parts.map((part) => part.replace(/[\s\p{Cc}]+/gu, ' ')).join(' ');
  appendFileSync(path, `${line.trim()}\n`);
}

/** The user's own taps; the default ones are not among them. */
export function readTaps(homePath: string): readonly Tap[] {
  const read = parseJson(readOrEmpty(tapsPath(homePath)));
  const taps = isJsonObject(read) && Array.isArray(read['taps']) ? read['taps'] : [];
  return taps.flatMap((entry) => {
    const parsed = tapShape.safeParse(typeof entry === 'string' ? { repo: entry } : entry);
    return parsed.success ? [parsed.data] : [];
  });
}

export function writeTaps(homePath: string, taps: readonly Tap[]): void {
  const path = tapsPath(homePath);
  mkdirSync(dirname(path), { recursive: true });
  writeFileAtomic(path, `${JSON.stringify({ taps }, undefined, 2)}\n`);
}

/** Existing homes have it in one of two places. */
function tapsPath(homePath: string): string {
  const older = join(homePath, '.hub', 'taps.json');
  return existsSync(older) ? older : join(hubFolder(homePath), 'taps.json');
}

const maxLogBytes = 1024 * 1024;
const word = z.string().catch('');
/** One entry as it is read; what is missing is empty. */
export const entryShape = z.object({
  source: word,
  identifier: word,
  trust_level: word,
  scan_verdict: word,
  content_hash: word,
  install_path: word,
  files: z.array(z.string()).catch([]),
  metadata: z.record(z.string(), z.unknown()).catch({}),
  installed_at: word,
  updated_at: word,
});
const lockShape = z.object({ installed: z.record(z.string(), entryShape) });
const tapShape = z.object({ repo: z.string().min(1), path: z.string().catch('skills/').default('skills/') });

/** Empty for a missing file. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
