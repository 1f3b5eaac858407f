/** What all remote backends take from the settings. */
import { mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative, sep } from 'node:path';
import type { Mount } from '../../environments/docker/container-spec.ts';
import { createFileSync } from '../../environments/remote/file-sync.ts';
import type { PlaceSync, RemoteEnvironmentOptions } from '../../environments/remote/remote-environment.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import { credentialFile } from '../../skills/skill-setup.ts';
import { forwardableNames, passableNames } from '../passed-variables.ts';
import type { BackendParts } from './backend.ts';

/** Everything of `RemoteEnvironmentOptions` but the host and what it is brought. */
export function remoteOptions(parts: BackendParts): Omit<RemoteEnvironmentOptions, 'host' | 'sync'> {
  const { terminal, tool_output } = parts.config.config;
  const passthrough = passableNames(parts);
  return {
    cwd: parts.start,
    variables: childEnvironment(valuesOf(passthrough, parts), { passthrough }),
    shellInitFiles: terminal.shell_init_files,
    autoSourceBashrc: terminal.auto_source_bashrc,
    maxOutputChars: tool_output.max_bytes,
    graceMs: terminal.daemon_term_grace_seconds * 1000,
    log: parts.log.named('environments'),
  };
}

/** For sandboxes in a cloud. */
export function cloudOptions(parts: BackendParts): Omit<RemoteEnvironmentOptions, 'host'> {
  return { ...remoteOptions(parts), sync: fileSync(parts) };
}

/** `docker_forward_env`: what the owner hands into containers by name, without what stays with the agent. */
export function forwardedVariables(parts: BackendParts): Record<string, string> {
  return valuesOf(forwardableNames(parts), parts);
}

function valuesOf(names: readonly string[], { env }: BackendParts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && names.includes(name) ? [[name, value]] : [],
    ),
  );
}

/** Folders that hold what people sent and tools made, with the names they had in older versions. */
const cacheFolders: readonly string[] = ['images', 'audio', 'videos', 'documents', 'screenshots'].map(
  (name) => `cache/${name}`,
);

/** Files of the home that commands may use there. */
function credentialFiles({ config, home, log }: BackendParts): { local: string; remote: string }[] {
  return config.config.terminal.credential_files.flatMap((path) => {
    const local = credentialFile(path, home.path);
    if (local === undefined)
      log.warning(`terminal.credential_files: ${path} is no file of the home that may be passed on`);
    return local === undefined ? [] : [{ local, remote: path }];
  });
}

/** Skills, cache and credential files for containers of this machine. Folders are made, so that what comes into them later is seen. */
export function readOnlyMounts(parts: BackendParts, homeThere: string): Mount[] {
  const folders = ['skills', ...cacheFolders].map((folder) => ({
    local: made(join(parts.home.path, folder)),
    remote: folder,
  }));
  return [...folders, ...credentialFiles(parts)]
    .map(({ local, remote }) => ({ source: local, target: `${homeThere}/.hermes/${remote}`, options: 'ro' }))
    .filter(({ source, target }) => !source.includes(':') && !target.includes(':'));
}

/** `~` in front is the person's directory on this machine. */
export function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path;
}

/** Makes a directory that is not there yet. */
export function made(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

/** For containers of this machine, which have all else mounted: what a skill asks for when it runs already. */
export function sharedFileSync(parts: BackendParts): PlaceSync {
  const known = new Set(credentialFiles(parts).map(({ remote }) => remote));
  return createFileSync({
    folders: [],
    files: () => sharedFiles(parts).filter(({ remote }) => !known.has(remote)),
    maxBackBytes: 0,
    log: parts.log.named('environments'),
  });
}

/** Names below the home of what the settings and skills want in the place where commands run, by now. */
export function broughtCredentials(parts: BackendParts): () => readonly string[] {
  const settled = credentialFiles(parts);
  return () => [...settled, ...sharedFiles(parts)].map(({ remote }) => remote);
}

function sharedFiles({ home, sharedFiles: paths }: BackendParts): { local: string; remote: string }[] {
  const root = realpathSync(home.path);
  return paths().map((local) => ({ local, remote: relative(root, local).split(sep).join('/') }));
}

/** Skills and credential files go over; what is made in the cache comes back. */
export function fileSync(parts: BackendParts): PlaceSync {
  const { terminal } = parts.config.config;
  const { path } = parts.home;
  const files = credentialFiles(parts);
  const known = new Set(files.map(({ remote }) => remote));
  return createFileSync({
    folders: [
      // What was changed there stays there: changes of skills are judged where they are made, and that is here.
      { local: join(path, 'skills'), remote: 'skills', comesBack: false, without: ['.hub'] },
      ...cacheFolders.map((folder) => ({ local: join(path, folder), remote: folder, comesBack: true })),
    ],
    files: () => [...files, ...sharedFiles(parts).filter(({ remote }) => !known.has(remote))],
    maxBackBytes: terminal.file_sync_enabled ? terminal.file_sync_max_mb * 1_000_000 : 0,
    log: parts.log.named('environments'),
  });
}
