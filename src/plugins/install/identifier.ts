/** What `hermes plugins install` is given: where a plug-in comes from. */
import { UserError } from '../../lib/errors.ts';

export interface GitOrigin {
  readonly url: string;
  /** The folder of the plug-in inside of the repository; undefined: the repository is the plug-in. */
  readonly folder: string | undefined;
  /** What a person should know of this way, if anything. */
  readonly warning: string | undefined;
}

const browserPages: ReadonlySet<string> = new Set(
  'actions blob commit commits issues pull pulls releases tree wiki'.split(' '),
);

/**
 * `owner/repo`, `owner/repo/folder`, the address of a git repository with `.git/folder` or `#folder` behind it, or a page
 * of GitHub. Throws `UserError` for anything else, also where a folder leads out of its repository.
 */
export function gitOrigin(identifier: string): GitOrigin {
  const { url, folder } = parts(identifier);
  // Nothing that git could take for an option, nor a way that is not one of its own to other computers.
  if (/[\s\p{Cc}]/u.test(url) || url.startsWith('-')) throw unknown(identifier);
  if (folder?.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw new UserError(`The folder '${folder}' leads out of the repository.`, { exitCode: 2 });
  }
  const plain = /^(http|file):/.exec(url)?.[1];
  const warning =
    plain === undefined ? undefined : `${plain}:// does not tell whether that is what its author has published.`;
  return { url, folder, warning };
}

function parts(identifier: string): Pick<GitOrigin, 'url' | 'folder'> {
  if (!/^(?:https?|ssh|file):\/\/|^git@/.test(identifier)) return shorthand(identifier);
  const page = /^https:\/\/github\.com\/([^/?#]+)\/([^/?#]+)\/([^/?#]+)(?:\/([^?#]*))?/.exec(identifier);
  const [, owner = '', repo = '', kind = '', rest = ''] = page ?? [];
  if (page !== null && browserPages.has(kind)) {
    const below = kind === 'tree' ? rest.split('/').slice(1).join('/') : '';
    return { url: `https://github.com/${owner}/${repo.replace(/\.git$/, '')}.git`, folder: trimmed(below) };
  }
  const [address = '', fragment] = identifier.split('#', 2);
  if (fragment !== undefined) return { url: address, folder: trimmed(fragment) };
  const at = identifier.indexOf('.git/');
  if (at === -1) return { url: identifier, folder: undefined };
  return { url: identifier.slice(0, at + 4), folder: trimmed(identifier.slice(at + 5)) };
}

function shorthand(identifier: string): Pick<GitOrigin, 'url' | 'folder'> {
  const [owner = '', repo = '', ...below] = identifier.split('/').filter((part) => part !== '');
  const isName = (part: string): boolean => /^[\w-][\w.-]*$/.test(part) && !part.startsWith('-');
  if (!isName(owner) || !isName(repo) || /^[./~]/.test(identifier)) throw unknown(identifier);
  return { url: `https://github.com/${owner}/${repo}.git`, folder: trimmed(below.join('/')) };
}

function trimmed(folder: string): string | undefined {
  const inner = folder.replaceAll(/^\/+|\/+$/g, '');
  return inner === '' ? undefined : inner;
}

function unknown(identifier: string): UserError {
  return new UserError(`'${identifier.slice(0, 200)}' says nothing about where a plug-in is.`, {
    exitCode: 2,
    hint: 'Use owner/repo, owner/repo/folder, the address of a git repository, or npm:PACKAGE.',
  });
}

/** What the plug-in is called where its manifest does not say it. */
export function nameOfOrigin({ url, folder }: Pick<GitOrigin, 'url' | 'folder'>): string {
  const last = (folder ?? url.replace(/\/+$/, '').replace(/\.git$/, '')).split(/[/:]/).at(-1);
  return last ?? '';
}
