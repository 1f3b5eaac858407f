/** What a container is to be like, and the arguments of `docker run` that make it so. */
import { createHash } from 'node:crypto';

export interface Mount {
  /** A directory of this machine, or the name of a volume. */
  readonly source: string;
  readonly target: string;
  /** As docker writes them, such as `ro`. */
  readonly options?: string;
}

export interface ContainerSpec {
  readonly image: string;
  /** Names whom the container belongs to; labels hold no other characters than those of names. */
  readonly task: string;
  readonly profile: string;
  /** Tells apart homes that have profiles of the same name. */
  readonly homePath: string;
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  /** What is lost with the container; directories that are mounted are left out. */
  readonly scratch: readonly { readonly target: string; readonly size: string }[];
  /** Literal; in the settings of the container for everybody to see. */
  readonly variables: Readonly<Record<string, string>>;
  readonly network: boolean;
  /** `uid:gid`; the image's own user where it is absent. */
  readonly user?: string;
  readonly cpus: number;
  readonly memoryMb: number;
  /** 0 sets no limit. */
  readonly diskMb: number;
  readonly extraArgs: readonly string[];
}

/** What depends on the engine and the image rather than on the settings. */
export interface RunConditions {
  /** The image starts processes by itself (s6), which then is process 1. */
  readonly ownInit: boolean;
  readonly cgroupLimits: boolean;
  readonly diskLimit: boolean;
}

const ownLabel = 'hermes-agent=1';

/** Labels by which a container of the same owner is found again. */
export function ownerLabels({
  task,
  profile,
  homePath,
}: Pick<ContainerSpec, 'task' | 'profile' | 'homePath'>): string[] {
  return [
    ownLabel,
    `hermes-task-id=${labelValue(task)}`,
    `hermes-profile=${labelValue(profile)}`,
    `hermes-home=${digest(homePath).slice(0, 16)}`,
  ];
}

export const settingsLabel = 'hermes-settings';

/** The same for containers that would be made alike: another one must not be taken in its place. */
export function settingsOf(spec: ContainerSpec): string {
  return digest(JSON.stringify(spec)).slice(0, 16);
}

/** Everything after `docker`. */
export function runArguments(name: string, spec: ContainerSpec, conditions: RunConditions): string[] {
  const { user, network, image } = spec;
  const labels = [...ownerLabels(spec), `${settingsLabel}=${settingsOf(spec)}`];
  return [
    'run',
    '-d',
    ...(conditions.ownInit ? [] : ['--init']),
    '--name',
    name,
    ...labels.flatMap((label) => ['--label', label]),
    '-w',
    spec.cwd,
    ...hardening(spec, conditions),
    ...limits(spec, conditions),
    ...(network ? [] : ['--network=none']),
    ...(user === undefined ? [] : ['--user', user]),
    ...spec.scratch.flatMap(({ target, size }) => ['--tmpfs', `${target}:rw,exec,size=${size}`]),
    ...spec.mounts.flatMap(({ source, target, options }) => [
      '-v',
      `${source}:${target}${options === undefined ? '' : `:${options}`}`,
    ]),
    ...Object.entries(spec.variables).flatMap(([variable, value]) => ['-e', `${variable}=${value}`]),
    ...spec.extraArgs,
    image,
    'sleep',
    'infinity',
  ];
}

/** No right that a command line needs is missing, and none that would help to get out is there. */
function hardening({ user }: ContainerSpec, { ownInit }: RunConditions): string[] {
  const rights = ['DAC_OVERRIDE', 'CHOWN', 'FOWNER', ...(user === undefined ? ['SETUID', 'SETGID'] : [])];
  return [
    '--cap-drop',
    'ALL',
    ...rights.flatMap((right) => ['--cap-add', right]),
    '--security-opt',
    'no-new-privileges',
    '--tmpfs',
    '/tmp:rw,nosuid,size=512m',
    '--tmpfs',
    '/var/tmp:rw,noexec,nosuid,size=256m',
    '--tmpfs',
    `/run:rw,${ownInit ? 'exec' : 'noexec'},nosuid,size=64m`,
  ];
}

function limits({ cpus, memoryMb, diskMb }: ContainerSpec, conditions: RunConditions): string[] {
  return [
    ...(conditions.cgroupLimits ? ['--pids-limit', '256'] : []),
    ...(conditions.cgroupLimits && cpus > 0 ? ['--cpus', String(cpus)] : []),
    ...(conditions.cgroupLimits && memoryMb > 0 ? ['--memory', `${memoryMb}m`] : []),
    ...(conditions.diskLimit && diskMb > 0 ? ['--storage-opt', `size=${diskMb}m`] : []),
  ];
}

function labelValue(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 63) || '_';
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
