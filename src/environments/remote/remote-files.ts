/** Files of another host, through commands there. */
import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { FileStat, FileSystem } from '../environment.ts';
import { resolvePath } from './resolve-path.ts';
import type { RemotePlace, Work } from './remote-place.ts';
import { quotePath } from './script-text.ts';

/** Exit statuses of our scripts, and what Node would call that. */
const codes: Readonly<Record<number, string>> = {
  40: 'ENOENT',
  41: 'EISDIR',
  42: 'EACCES',
  43: 'ENOTDIR',
  44: 'ELOOP',
  45: 'EINVAL',
  46: 'EIO',
};

const meanings: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EISDIR: 'illegal operation on a directory',
  EACCES: 'permission denied',
  ENOTDIR: 'not a directory',
  ELOOP: 'too many symbolic links',
  EINVAL: 'not a regular file',
  EIO: 'it was not written completely',
};

/**
 * @param currentDirectory what relative paths start from, asked at each call
 * @param ready opens the place when it is not open
 */
export function createRemoteFiles(
  place: RemotePlace,
  currentDirectory: () => string,
  ready: (signal: AbortSignal | undefined) => Promise<unknown>,
): FileSystem {
  const ask = async (what: string, path: string, body: string, work: Work = {}): Promise<Buffer> => {
    await ready(work.signal);
    const { status, output } = await place.work(body, work);
    if (status === 0) return Buffer.from(output.toString('latin1'), 'base64');
    throw failure(what, path, codes[status] ?? 'EIO');
  };
  const realPath = async (path: string): Promise<string> => {
    const found = await ask('realpath', path, realPathText(path));
    return posix.normalize(found.toString('utf8'));
  };

  return {
    resolve: (path) => resolvePath(path, currentDirectory(), place.present?.home),
    realPath,
    async stat(path) {
      const found = await ask('stat', path, statText(path));
      return found.length === 0 ? undefined : parseStat(found.toString('utf8'));
    },
    async read(path, signal) {
      return await ask('read', path, readText(path), {
        timeoutMs: transferLimitMs,
        ...(signal === undefined ? {} : { signal }),
      });
    },
    async write(path, data) {
      const target = await realPath(path);
      const answer = await ask('write', target, writeText(target, data.length), {
        stdin: data,
        timeoutMs: transferLimitMs,
      });
      const made = answer
        .toString('utf8')
        .split('\0')
        .filter((directory) => directory !== '');
      return { createdDirectories: made };
    },
    async list(directory) {
      const names = await ask('scandir', directory, listText(directory));
      return names
        .toString('utf8')
        .split('\0')
        .filter((name) => name !== '');
    },
    async remove(path) {
      await ask('rm', path, `p=${quotePath(path)}; ${orMissing}; rm -rf -- "$p" || exit 42`);
    },
    async rename(from, to) {
      await ask('rename', from, renameText(from, to));
    },
  };
}

const transferLimitMs = 10 * 60_000;

function failure(what: string, path: string, code: string): Error {
  return Object.assign(new Error(`${code}: ${meanings[code] ?? code}, ${what} '${path}'`), { code, path });
}

/** What is missing, and what may not be looked at. */
const orMissing = `[ -e "$p" ] || [ -L "$p" ] || { d=\${p%/*}; d=\${d:-/}; [ -d "$d" ] && ! [ -x "$d" ] && exit 42; exit 40; }`;

function statText(path: string): string {
  return `p=${quotePath(path)}; [ -e "$p" ] || { d=\${p%/*}; d=\${d:-/}; [ -d "$d" ] && ! [ -x "$d" ] && exit 42; exit 0; }
s=$(stat -L -c '%f %s|%y|%z' -- "$p") || s=$(stat -L -f '%Xp %z|%Fm|%Fc' "$p") || exit 42
printf %s "$s" | base64 >&187`;
}

/** Mode in hexadecimal, size, and two times: as text of GNU and BusyBox, or as seconds of BSD. */
function parseStat(text: string): FileStat {
  const [, mode = '0', size = '0', modified = '', changed = ''] =
    /^([0-9a-fA-F]+) (\d+)\|([^|]*)\|(.*)$/s.exec(text) ?? [];
  const type = Number.parseInt(mode, 16) & 0o170_000;
  const kind = type === 0o100_000 ? 'file' : type === 0o040_000 ? 'directory' : 'other';
  return { kind, size: Number(size), modifiedMs: parseTime(modified), changedMs: parseTime(changed) };
}

function parseTime(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const [, day, time, fraction = '0', zone = 'Z'] =
    /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?: ([+-]\d{4}))?$/.exec(text) ?? [];
  return Date.parse(`${day}T${time}${zone}`) + Number(`0.${fraction}`) * 1000;
}

function readText(path: string): string {
  return `p=${quotePath(path)}; ${orMissing}; [ -d "$p" ] && exit 41; [ -e "$p" ] || exit 40; [ -r "$p" ] || exit 42
base64 <"$p" >&187 || exit 46`;
}

function listText(path: string): string {
  return `p=${quotePath(path)}; ${orMissing}; [ -d "$p" ] || exit 43; [ -r "$p" ] && cd -- "$p" || exit 42
shopt -s dotglob nullglob; set -- *; [ $# = 0 ] || printf '%s\\0' "$@" | base64 >&187; true`;
}

/** Written beside its target, counted, and put in its place in one step; prints the directories that were made. */
function writeText(target: string, size: number): string {
  const temporary = `.${posix.basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}`;
  return `t=${quotePath(target)}; d=\${t%/*}; d=\${d:-/}
[ -d "$t" ] && exit 41; [ -e "$t" ] && ! [ -f "$t" ] && exit 45
m=$d; made=(); while ! [ -e "$m" ]; do made=("$m" "\${made[@]}"); m=\${m%/*}; m=\${m:-/}; done
[ -d "$m" ] || exit 43; mkdir -p -- "$d" || exit 42
n="$d"/${quotePath(temporary)}; mode=; owner=
[ -e "$t" ] && { s=$(stat -L -c '%a %u:%g' -- "$t") || s=$(stat -L -f '%Lp %u:%g' "$t"); mode=\${s% *}; owner=\${s#* }; umask 077; }
: >"$n" || exit 42
cat >"$n" && [ "$(wc -c <"$n")" -eq ${size} ] || { rm -f -- "$n"; exit 46; }
[ -n "$mode" ] && { chown "$owner" "$n"; chmod "$mode" "$n"; }
mv -f -- "$n" "$t" || { rm -f -- "$n"; exit 42; }
[ \${#made[@]} = 0 ] || printf '%s\\0' "\${made[@]}" | base64 >&187; true`;
}

function renameText(from: string, to: string): string {
  return `p=${quotePath(from)}; t=${quotePath(to)}; ${orMissing}; [ -d "$t" ] && exit 41
d=\${t%/*}; [ -d "\${d:-/}" ] || exit 40; mv -f -- "$p" "$t" || exit 42`;
}

/** Follows links as far as the path exists, and keeps the rest as it is. */
function realPathText(path: string): string {
  return `p=${quotePath(path)}; rest=; n=0
while :; do
  if [ -d "$p" ] && r=$(cd -P -- "$p" && pwd -P); then break; fi
  if [ -L "$p" ]; then
    n=$((n+1)); [ $n -gt 40 ] && exit 44
    l=$(readlink -- "$p"); case $l in /*) p=$l;; *) d=\${p%/*}; p=\${d:-/}/$l;; esac
  else
    rest=/\${p##*/}$rest; d=\${p%/*}; p=\${d:-/}
  fi
done
printf %s "\${r%/}$rest" | base64 >&187`;
}
