/** A small machine to confine commands on: a home with secrets, a repository to work in, a confined environment. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Confinement, Environment, RunOptions, RunResult } from '../../../../src/environments/environment.ts';
import { createLocalEnvironment } from '../../../../src/environments/local/local-environment.ts';
import { createSandboxPlaces } from '../../../../src/runtime/sandbox-places.ts';

/** In every file that nobody may see. */
export const secret = 'ZAUBERWORT-4711';

export interface SmallMachine {
  readonly home: string;
  readonly workspace: string;
  readonly environment: Environment;
  /** Runs confined unless told otherwise. */
  readonly run: (command: string, options?: Partial<RunOptions>) => Promise<RunResult>;
  readonly outside: (command: string, options?: Partial<RunOptions>) => Promise<RunResult>;
}

export const open: Confinement = { network: 'open' };
export const closed: Confinement = { network: 'none' };

const secretFiles = [
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.gnupg/private-keys-v1.d/key',
  '.kube/config',
  '.docker/config.json',
  '.azure/accessTokens.json',
  '.config/gcloud/credentials.db',
  '.config/gh/hosts.yml',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.mozilla/firefox/profile/logins.json',
  '.config/google-chrome/Default/Cookies',
  '.local/share/keyrings/login.keyring',
  '.bash_history',
  '.hermes/.env',
  '.hermes/state.db',
  '.hermes/profiles/work/.env',
] as const;

/** A home with secrets in it, and in the home a repository with settings and hooks. */
export function makeHome(home: string): string {
  const workspace = join(home, 'project');
  for (const name of secretFiles) place(join(home, name), `${secret}\n`);
  place(join(home, '.bashrc'), 'export FROM_RC=1\n');
  place(join(home, '.profile'), '');
  place(join(home, '.local/bin/tool'), '#!/bin/sh\necho tool\n');
  chmodSync(join(home, '.local/bin/tool'), 0o755);
  place(join(home, 'notes.txt'), 'mine\n');
  place(join(home, 'other/keep.txt'), 'mine\n');
  place(join(workspace, 'main.txt'), 'hello\n');
  place(join(workspace, 'AGENTS.md'), 'rules\n');
  place(join(workspace, '.envrc'), 'export A=1\n');
  place(join(workspace, '.vscode/tasks.json'), '{}\n');
  place(join(workspace, '.husky/pre-commit'), 'true\n');
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: workspace, stdio: 'ignore' });
  };
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return workspace;
}

export function makeMachine(t: TestContext): SmallMachine {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'machine-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const machine = openMachine(home, makeHome(home));
  t.after(() => machine.environment.close());
  return machine;
}

/** The environment of a home that `makeHome` has made; the caller closes it. */
export function openMachine(home: string, workspace: string): SmallMachine {
  const hermes = join(home, '.hermes');
  const path = `${join(home, '.local/bin')}:${process.env['PATH']}`;
  const environment = createLocalEnvironment({
    cwd: workspace,
    env: { HOME: home, PATH: path, LANG: 'C.UTF-8' },
    sessionId: 'session-1',
    homePath: hermes,
    loadSandboxPlaces: () =>
      Promise.resolve(createSandboxPlaces({ homePath: hermes, root: hermes, userHomes: [home], cwd: workspace, path })),
  });
  const run: SmallMachine['run'] = (command, options) =>
    environment.run(command, {
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      confinement: open,
      ...options,
    });
  const outside: SmallMachine['outside'] = (command, options) =>
    environment.run(command, { timeoutMs: 30_000, signal: new AbortController().signal, ...options });
  return { home, workspace, environment, run, outside };
}

/** Why the tests of sandboxes cannot run here; `false` when they can. */
export async function whyNoSandbox(): Promise<string | false> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'probe-')));
  const machine = openMachine(folder, folder);
  try {
    return (await machine.environment.confinementProblem()) ?? false;
  } finally {
    await machine.environment.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function place(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
