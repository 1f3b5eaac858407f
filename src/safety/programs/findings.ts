/** What knowledge of programs asks about: effects that last beyond the workspace, or that cannot be had back. */
import { type Finding, lasting } from '../finding.ts';

/** Keys under which approvals are remembered, with what older lists call the same. */
export const programFindings = {
  'lost work in a git repository': [
    'git reset --hard (destroys uncommitted changes)',
    'git clean with force (deletes untracked files)',
    'git branch force delete',
  ],
  'git force push': ['git force push (rewrites remote history)', 'git force push short flag (rewrites remote history)'],
  'git push to another place': [],
  'git settings that run programs': [],
  'recursive delete': ['rm', 'recursive delete (long flag)'],
  'delete by pattern': [],
  'destroys the content of files': [],
  'replaces the content of a file': [],
  'changes remote infrastructure': [],
  'changes a remote service': [],
  'destroys data': [],
  'runs commands on another machine': [],
  'copies files to or from another machine': [],
  'publishes a package': [],
  'changes accounts or logins': [],
  'changes settings for all projects': [],
  'rights of another user': [],
  'changes users of the system': [],
  'changes the system': [],
  'installs system packages': [],
  'changes a system service': ['systemctl', 'stop/disable system service', 'stop/restart system service'],
  'scheduled command': [],
  'starts something outside of the session': [],
  'stops processes it did not start': [],
  'container with access to the host': [],
  'changes containers, images or volumes': [
    'docker restart/stop/kill (container lifecycle)',
    'docker compose restart/stop/kill/down (container lifecycle)',
  ],
  'installs programs for all projects': [],
  'runs a file on a database': [],
  'opens something on the desktop': [],
  'opens a connection for others': [],
  'uses private keys': [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ProgramFindingKey = keyof typeof programFindings;

export function isProgramFinding(key: string): key is ProgramFindingKey {
  return Object.hasOwn(programFindings, key);
}

/** What is there to stay, and what goes on where nobody judges it. */
const lastingKeys: ReadonlySet<string> = new Set<ProgramFindingKey>([
  'git push to another place',
  'git settings that run programs',
  'changes accounts or logins',
  'changes settings for all projects',
  'changes users of the system',
  'changes a system service',
  'scheduled command',
  'starts something outside of the session',
  'container with access to the host',
]);

/** A question that no sandbox makes needless; its answer may be remembered. */
export function asks(key: ProgramFindingKey): Finding {
  const found: Finding = {
    key,
    description: key,
    aliases: programFindings[key],
    mayRemember: true,
    evenWithoutApprovals: false,
  };
  return lastingKeys.has(key) ? lasting(found) : found;
}
