/** Doctor: what other users of this machine can read or change: the home, and the program itself. */
import { existsSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { displayPath } from '../../../config/home.ts';
import { homeFileKind } from '../../../safety/home-files.ts';
import { projectRoot } from '../../commands/version.ts';
import { type Check, type CheckContext, type Finding, someOf } from '../finding.ts';

export const otherUsers: Check = {
  title: 'What other users of this machine reach',
  run(context) {
    if (process.getuid === undefined)
      return [{ status: 'info', text: 'not looked at: this system has no such rights' }];
    const me = process.getuid();
    return [...homeFindings(context, me), ...programFindings(me)];
  },
};

function homeFindings({ cli }: Pick<CheckContext, 'cli'>, me: number): readonly Finding[] {
  const { path } = cli.home;
  const about = statSync(path, { throwIfNoEntry: false });
  if (about === undefined) return [];
  const strange = foreign(path, about, me);
  if (strange !== undefined) return [strange];
  // Into a closed folder nobody gets, whatever the rights of what is in it.
  if ((about.mode & 0o077) === 0) return [{ status: 'ok', text: 'the home is closed to other users' }];
  const open = ['', 'logs']
    .flatMap((folder) => namesIn(join(path, folder)).map((name) => (folder === '' ? name : `${folder}/${name}`)))
    .filter((name) => homeFileKind(name) !== undefined && isOpen(join(path, name)));
  if (open.length === 0) return [{ status: 'ok', text: 'nothing in the home that matters can be read by other users' }];
  return [
    {
      status: 'fail',
      text: `other users can read or change ${someOf(open)}`,
      remedy: `chmod 700 ${displayPath(path, cli.env)}`,
    },
  ];
}

function programFindings(me: number): readonly Finding[] {
  const root = projectRoot();
  const files = [
    process.execPath,
    root,
    join(root, 'package.json'),
    join(root, 'dist'),
    join(root, 'dist', 'main.js'),
    join(root, 'node_modules'),
  ];
  // Who can change a folder can put another file in place of one in it.
  const all = [...new Set([...files, ...files.map((path) => dirname(path))])].filter((path) => existsSync(path));
  const problems = all.flatMap((path) => {
    const about = statSync(path);
    const strange = foreign(path, about, me);
    if (strange !== undefined) return [strange];
    // A shared folder like /tmp lets everybody add, but only the owner replace.
    if ((about.mode & 0o022) === 0 || (about.mode & 0o1000) !== 0) return [];
    return [writable(path)];
  });
  return problems.length === 0
    ? [{ status: 'ok', text: 'the program and its packages can be changed by nobody else' }]
    : problems;
}

function foreign(path: string, { uid }: Stats, me: number): Finding | undefined {
  if (uid === me || uid === 0) return undefined;
  return {
    status: 'fail',
    text: `${path} belongs to another user (${uid})`,
    remedy: `chown it to the user who runs the program.`,
  };
}

function writable(path: string): Finding {
  return { status: 'fail', text: `other users can change ${path}`, remedy: `chmod go-w ${path}` };
}

/** Of a database the files beside it too. */
function isOpen(path: string): boolean {
  const about = statSync(path, { throwIfNoEntry: false });
  return about !== undefined && (about.mode & 0o077) !== 0;
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
