/** Doctor: which files the agent's file tools reach, asked of the guard that stands before every one of them. */
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FileSystem } from '../../../environments/environment.ts';
import { createGuardedFiles } from '../../../tools/policy/guarded-files.ts';
import { PathDenied } from '../../../tools/policy/path-denied.ts';
import type { ToolServices } from '../../../tools/services.ts';
import { projectRoot } from '../../commands/version.ts';
import { type Check, type CheckContext, type Finding, someOf } from '../finding.ts';
import { withToolServices } from './session-services.ts';

/** `change`: written, removed, moved away and put in its place. */
interface Target {
  readonly path: string;
  readonly ways: 'read and change' | 'change';
}

export const agentFiles: Check = {
  title: "Files that the agent's tools reach",
  run: (context) =>
    withToolServices(context, async (services) => [
      ...(await tryAll('keys, settings and records', ownFiles(context), services)),
      ...(await tryAll('your keys and start-up files', personFiles(services), services)),
      ...(await tryAll('what the system runs by', systemFiles, services)),
      ...(await tryAll('the program itself', programFiles(), services)),
    ]),
};

async function tryAll(what: string, targets: readonly Target[], services: ToolServices): Promise<readonly Finding[]> {
  const files = createGuardedFiles(withoutEffect(services.environment.files), services.guard);
  const reached: string[] = [];
  for (const { path, ways } of targets) {
    if (ways === 'read and change' && (await isReached(() => files.read(path)))) reached.push(`read ${path}`);
    const changes = [
      () => files.write(path, new Uint8Array()),
      () => files.remove(path),
      () => files.rename(path, `${path}.moved`),
      () => files.rename(join(process.cwd(), 'something'), path),
    ];
    if ((await Promise.all(changes.map(isReached))).includes(true)) reached.push(`change ${path}`);
  }
  if (reached.length === 0) return [{ status: 'ok', text: `${what}: none of ${targets.length} can be reached` }];
  return [
    {
      status: 'fail',
      text: `${what}: a file tool may ${someOf(reached)}`,
      remedy:
        'Run the agent as a user, or in a container, that cannot; or leave its file tools out (`hermes tools disable file`).',
    },
  ];
}

/** Real paths and links, and nothing happens: what gets here has passed the guard. */
function withoutEffect(files: FileSystem): FileSystem {
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    resolve: (path) => files.resolve(path),
    realPath: (path) => files.realPath(path),
    stat: (path) => files.stat(path),
    read: () => Promise.resolve(new Uint8Array()),
    write: () => Promise.resolve({ createdDirectories: [] }),
    list: () => Promise.resolve([]),
    remove: nothing,
    rename: nothing,
  };
}

async function isReached(attempt: () => Promise<unknown>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch (error) {
    if (error instanceof PathDenied) return false;
    throw error;
  }
}

function ownFiles({ cli: { home } }: Pick<CheckContext, 'cli'>): readonly Target[] {
  const keys = ['.env', '.op.env', 'auth.json', 'audit.key'];
  const rules = ['config.yaml', 'mcp.json', 'hooks/start.sh', 'plugins/some/index.js', 'cron/jobs.json'];
  const records = ['state.db', 'state.db-wal', 'logs/audit.jsonl', 'logs/audit.seal', 'logs/agent.log'];
  return [
    ...keys.map((name): Target => ({ path: join(home.path, name), ways: 'read and change' })),
    ...[...rules, ...records].map((name): Target => ({ path: join(home.path, name), ways: 'change' })),
  ];
}

function personFiles({ paths: { userHome } }: ToolServices): readonly Target[] {
  const keys = ['.ssh/id_ed25519', '.ssh/config', '.aws/credentials', '.netrc', '.git-credentials', '.kube/config'];
  const startUp = ['.bashrc', '.profile', '.zshrc', '.config/autostart/x.desktop', '.config/systemd/user/x.service'];
  return [
    ...keys.map((name): Target => ({ path: join(userHome, name), ways: 'read and change' })),
    ...startUp.map((name): Target => ({ path: join(userHome, name), ways: 'change' })),
  ];
}

const systemFiles: readonly Target[] = [
  { path: '/etc/shadow', ways: 'read and change' },
  { path: `/proc/${process.pid}/environ`, ways: 'read and change' },
  ...['/etc/passwd', '/etc/sudoers', '/etc/cron.d/x', '/etc/systemd/system/x.service', '/boot/x'].map(
    (path): Target => ({ path, ways: 'change' }),
  ),
];

/** Where the system keeps us from writing, no guard is needed. */
function programFiles(): readonly Target[] {
  const root = projectRoot();
  return [join(root, 'package.json'), join(root, 'dist', 'main.js'), join(root, 'bin', 'hermes.mjs'), process.execPath]
    .filter((path) => existsSync(path) && isWritable(path))
    .map((path) => ({ path, ways: 'change' }));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // The system says no, whatever the reason.
    return false;
  }
}
