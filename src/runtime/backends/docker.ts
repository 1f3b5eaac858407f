/** Terminal backend `docker`: a container of docker or podman. */
import { join } from 'node:path';
import { type ContainerSpec, type Mount } from '../../environments/docker/container-spec.ts';
import { createDockerHost } from '../../environments/docker/docker-host.ts';
import type { Environment } from '../../environments/environment.ts';
import { createRemoteEnvironment } from '../../environments/remote/remote-environment.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import type { BackendParts } from './backend.ts';
import { isNamedVolume } from './docker-boundary.ts';
import { localStart } from './local-start.ts';
import {
  expandHome,
  forwardedVariables,
  made,
  readOnlyMounts,
  remoteOptions,
  sharedFileSync,
} from './remote-options.ts';
import { remoteStart } from './remote-start.ts';

/** All sessions and helpers of a profile work in one container. */
const task = 'default';
const homeThere = '/root';
const workspace = '/workspace';

export function open(parts: BackendParts): Environment {
  const { terminal } = parts.config.config;
  const options = remoteOptions(parts);
  const host = createDockerHost({
    program: parts.config.process.docker,
    env: childEnvironment(parts.env),
    spec: containerSpec(parts),
    persists: terminal.docker_persist_across_processes,
    ...(terminal.docker_orphan_reaper ? { orphanAgeMs: terminal.lifetime_seconds * 2000 } : {}),
    log: parts.log.named('environments'),
  });
  return createRemoteEnvironment({
    ...options,
    variables: { ...options.variables, ...forwardedVariables(parts) },
    host,
    sync: sharedFileSync(parts),
  });
}

export function containerSpec(parts: BackendParts): ContainerSpec {
  const { terminal } = parts.config.config;
  const asHostUser = terminal.docker_run_as_host_user ? hostUser() : undefined;
  const given = givenMounts(parts);
  const own = terminal.container_persistent ? keptDirectories(parts) : [];
  const taken = new Set(given.map(({ target }) => target));
  const mounts = [...own.filter(({ target }) => !taken.has(target)), ...readOnlyMounts(parts, homeThere), ...given];
  const targets = new Set(mounts.map(({ target }) => target));
  const scratch = terminal.container_persistent
    ? []
    : [
        { target: workspace, size: '10g' },
        { target: '/home', size: '1g' },
        { target: homeThere, size: '1g' },
      ];
  return {
    image: terminal.docker_image,
    task,
    profile: parts.home.profile,
    homePath: parts.home.path,
    cwd: startThere(remoteStart('docker', terminal)),
    mounts,
    scratch: scratch.filter(({ target }) => !targets.has(target)),
    variables: { ...(asHostUser === undefined ? {} : { HOME: homeThere }), ...literalVariables(parts) },
    network: terminal.docker_network,
    ...(asHostUser === undefined ? {} : { user: asHostUser }),
    cpus: terminal.container_cpu,
    memoryMb: terminal.container_memory,
    diskMb: terminal.container_disk,
    extraArgs: terminal.docker_extra_args,
  };
}

function startThere(cwd: string): string {
  return cwd.startsWith('~') ? `${homeThere}${cwd.slice(1)}` : cwd;
}

/** The directories that survive a container, made where they are not there yet. */
function keptDirectories({ config, home }: BackendParts): Mount[] {
  const root = config.config.terminal.sandbox_dir ?? join(home.path, 'sandboxes');
  const kept = join(expandHome(root), 'docker', task);
  return [
    { source: made(join(kept, 'home')), target: homeThere },
    { source: made(join(kept, 'workspace')), target: workspace },
  ];
}

/** What the settings mount; entries that docker could not read are left out. */
function givenMounts({ config, cwd, log }: BackendParts): Mount[] {
  const { terminal } = config.config;
  const here: Mount[] = terminal.docker_mount_cwd_to_workspace
    ? [{ source: localStart(cwd, terminal), target: workspace }]
    : [];
  const volumes = terminal.docker_volumes.flatMap((entry) => {
    const mount = readVolume(entry);
    if (mount === undefined)
      log.warning(`terminal.docker_volumes: ${JSON.stringify(entry)} is no host:container[:options]`);
    return mount ?? [];
  });
  return [...here, ...volumes];
}

function readVolume(entry: string): Mount | undefined {
  const [source = '', target = '', options, ...more] = entry.trim().split(':');
  const path = expandHome(source);
  const isSource = path.startsWith('/') || isNamedVolume(path);
  const isRead = isSource && target.startsWith('/') && more.length === 0 && options !== '';
  if (!isRead) return undefined;
  return { source: path, target: target.replace(/(.)\/+$/, '$1'), ...(options === undefined ? {} : { options }) };
}

function literalVariables({ config, log }: BackendParts): Record<string, string> {
  const given = Object.entries(config.config.terminal.docker_env);
  return Object.fromEntries(
    given.filter(([name]) => {
      const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
      if (!isName) log.warning(`terminal.docker_env: ${JSON.stringify(name)} is no name of a variable`);
      return isName;
    }),
  );
}

function hostUser(): string | undefined {
  const user = process.getuid?.();
  const group = process.getgid?.();
  return user === undefined || group === undefined ? undefined : `${user}:${group}`;
}
