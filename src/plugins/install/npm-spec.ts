/** `npm:<package>[@version]`: which package of a registry is meant. */
import { UserError } from '../../lib/errors.ts';

export interface NpmSpec {
  /** `notes`, or `@acme/notes`. */
  readonly name: string;
  /** A version, a range of them or a tag such as `latest`; never an address or a path. */
  readonly wanted: string;
}

const mark = 'npm:';
const longestName = 214;
// https://docs.npmjs.com/cli/configuring-npm/package-json#name, in small letters as all that is published now.
const namePattern = /^(?:@[a-z\d~-][a-z\d._~-]*\/)?[a-z\d~-][a-z\d._~-]*$/;
const wantedPattern = /^[\dA-Za-z^~][\dA-Za-z.+~^_-]{0,99}$/;
/** npm takes what ends like this for a file. */
const archive = /\.(?:tgz|tar|tar\.gz)$/i;

export function isNpmSpec(identifier: string): boolean {
  return identifier.startsWith(mark);
}

/** Throws `UserError` for whatever else npm would take: addresses, files, repositories, other names for a package. */
export function npmSpec(identifier: string): NpmSpec {
  const written = identifier.slice(mark.length);
  const at = written.indexOf('@', 1);
  const name = at === -1 ? written : written.slice(0, at);
  const wanted = at === -1 ? 'latest' : written.slice(at + 1);
  const isPlain =
    isPackageName(name) && wantedPattern.test(wanted) && ![name, wanted].some((part) => archive.test(part));
  if (isPlain) return { name, wanted };
  throw new UserError(`'${identifier.slice(0, 200)}' names no package of npm.`, {
    exitCode: 2,
    hint: 'Use npm:NAME or npm:@SCOPE/NAME, with @VERSION behind it if you like.',
  });
}

function isPackageName(name: string): boolean {
  return name.length <= longestName && namePattern.test(name) && name !== 'node_modules' && !name.startsWith('-');
}
