/** Recognises in the output of a confined command what it was kept from, where that is certain. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Withheld } from '../../environment.ts';
import { isWithin } from './places.ts';

export interface WithheldContext {
  /** Where the command ran. */
  readonly cwd: string;
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
  /** False: no connection to another machine is possible. */
  readonly reachesHosts: boolean;
}

const maxFound = 20;
const maxLines = 4000;

export function withheldIn(output: string, context: WithheldContext): readonly Withheld[] {
  const found = new Map<string, Withheld>();
  for (const line of output.split('\n', maxLines)) {
    const withheld = ofLine(line.slice(0, 1000), context);
    if (withheld !== undefined) found.set(`${withheld.kind} ${withheld.what}`, withheld);
    if (found.size === maxFound) break;
  }
  return [...found.values()];
}

function ofLine(line: string, context: WithheldContext): Withheld | undefined {
  if (/read-only file system|EROFS/i.test(line)) {
    return { kind: 'write', what: pathIn(line, context.cwd, () => true) ?? 'a read-only place' };
  }
  if (/device or resource busy|EBUSY/i.test(line)) {
    // What is mounted, and the folders on the way to it.
    const path = pathIn(line, context.cwd, (path) => context.readOnly.some((kept) => isWithin(kept, path)));
    return path === undefined ? undefined : { kind: 'write', what: path };
  }
  if (/no such file or directory|permission denied|ENOENT|EACCES/i.test(line)) {
    // What is not there outside either was not kept from anybody.
    const isHidden = (path: string): boolean => context.hidden.some((hidden) => isWithin(path, hidden));
    const path = pathIn(line, context.cwd, (path) => isHidden(path) && existsSync(path));
    return path === undefined ? undefined : { kind: 'read', what: path };
  }
  if (context.reachesHosts) return undefined;
  const host = hostIn(line);
  return host === undefined ? undefined : { kind: 'network', what: host };
}

/** The last path of a line that fits: programs name it beside the reason, in quotes or not. */
function pathIn(line: string, cwd: string, fits: (path: string) => boolean): string | undefined {
  const text = line.replace(/^\S*sh: (?:line )?\d+: /, '');
  const found = [pathWord, quotedWord, wordBeforeReason].flatMap((pattern) => [...text.matchAll(pattern)]);
  return found.map(([, path = '']) => resolve(cwd, path)).findLast(fits);
}

const pathWord = /(?:^|[\s:(])((?:\.{0,2}\/|\.)[^\s:,;'"‘’“”`()]{1,500})/g;
const quotedWord = /['"‘“`]([^'"’”`]{1,500})['"’”`]/g;
const wordBeforeReason =
  /(?:^|: )((?![^:]*E(?:ROFS|BUSY|NOENT|ACCES)\b)[^\s:'"‘“`][^:'"‘“`]{0,499}): (?:read-only|device or|no such|permission)/gi;

const hostPatterns = [
  /could not resolve (?:host(?:name)?|proxy):? ['"]?([\w.-]{1,253})/i,
  /(?:EAI_AGAIN|ENOTFOUND) ([\w.-]{1,253})/,
  /unable to resolve host address ['"‘]?([\w.-]{1,253})/i,
  /(?:failed to resolve|name resolution of) ['"]?([\w.-]{1,253})/i,
  /getaddrinfo(?: failed)? for ['"]?([\w.-]{1,253})/i,
  /lookup ([\w.-]{1,253})(?: on [^ ]+)?: (?:no such host|dial udp)/,
  /connect to (?:host )?([\w.-]{1,253}) port \d+.*(?:unreachable)/i,
];

function hostIn(line: string): string | undefined {
  for (const pattern of hostPatterns) {
    const host = pattern.exec(line)?.[1];
    if (host !== undefined) return host.toLowerCase();
  }
  return /name or service not known|temporary failure in name resolution|network is unreachable|ENETUNREACH/i.test(line)
    ? 'a host'
    : undefined;
}
