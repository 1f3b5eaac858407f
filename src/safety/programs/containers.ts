/** `docker` and its like: looking needs the engine, a new container is a boundary only as long as nothing opens it. */
import { UNKNOWN } from '../commands/fields.ts';
import { resolvePath } from '../commands/paths.ts';
import type { SimpleCommand } from '../commands/simple-command.ts';
import { all, describe, type Shape } from './describe.ts';
import { asks } from './findings.ts';
import { hostContact } from './hosts.ts';
import type { KnownCall, Program } from './known.ts';
import type { Arguments } from './options.ts';

const change = 'changes containers, images or volumes';
const host = 'container with access to the host';
const looks: Shape = {
  place: 'outside',
  plain:
    '-aqlnsftdvp -f= -n= --all --quiet --filter= --format= --no-trunc --latest --last= --size --digests --follow --tail= --timestamps --since= --until= --details --no-stream --type= --verbose --services --orphans --status= --index= --no-color --no-log-prefix --images --volumes --profiles --hash= --no-interpolate --human --platform= --tree',
};

const run: Shape = {
  place: 'outside',
  optionsFirst: true,
  // Left out: whatever gives a container more than its own files, besides folders of the workspace.
  plain:
    '-itdPq -e= -w= -u= -h= -l= -p= -m= -a= -c= --rm --interactive --tty --detach --init --env= --env-file= --workdir= --user= --hostname= --label= --publish= --publish-all --name= --memory= --cpus= --cpu-shares= --pull= --platform= --network= --net= --entrypoint= --read-only --tmpfs= --shm-size= --ulimit= --stop-timeout= --health-cmd= --health-interval= --log-driver= --log-opt= --dns= --add-host= --cap-drop= --pids-limit= --quiet --no-healthcheck --expose= --link= --network-alias=',
  writes: '-v= --volume= --mount= --cidfile=',
  asks: {
    [change]: '--restart=',
    [host]:
      '--privileged --cap-add= --device= --pid= --ipc= --uts= --userns= --cgroupns= --security-opt= --volumes-from= --device-cgroup-rule= --group-add= --cgroup-parent= --runtime= --gpus= --sysctl= --volume-driver= --use-api-socket',
  },
  check: knowRun,
};

const engine: Readonly<Record<string, Shape>> = {
  ...all('ps images logs inspect version info stats top port diff history events search wait', looks),
  ...all('run create', run),
  ...all('build', {
    place: 'outside',
    // Left out: --ssh, --secret and --allow hand keys and rights to what the file of the build runs.
    plain:
      '-q -f= -t= --tag= --file= --build-arg= --target= --no-cache --pull --progress= --platform= --load --quiet --label= --cache-from= --network= --rm --force-rm',
    writes: '-o= --output= --iidfile= --metadata-file=',
    asks: { [change]: '--push' },
    check: (known, { given }) =>
      given.some(({ option, value }) => option.name === '--network' && value === 'host')
        ? undefined
        : // Its file says from where it takes what.
          { ...known, contacts: [{ host: undefined, sends: 'request' }] },
  }),
  pull: { place: 'outside', plain: '-aq --all-tags --quiet --platform=', check: knowPull },
  tag: { place: 'outside' },
  exec: {
    place: 'outside',
    optionsFirst: true,
    plain: '-itd -e= -w= -u= --interactive --tty --env= --workdir= --user= --detach',
    asks: { [host]: '--privileged' },
    check: knowExec,
  },
  push: { ask: 'publishes a package' },
  ...all('login logout', { ask: 'changes accounts or logins' }),
  container: {
    otherwise: change,
    commands: { ...all('ls list ps inspect logs top stats port diff', looks), ...all('run create', run) },
  },
  image: {
    otherwise: change,
    commands: { ...all('ls list inspect history', looks), pull: { place: 'outside', check: knowPull } },
  },
  ...all(
    'volume network context system plugin secret config node service stack swarm manifest trust machine pod buildx builder',
    {
      otherwise: change,
      commands: all('ls list inspect df info show ps events version du', looks),
    },
  ),
  compose: composeShape(),
};

function composeShape(): Shape {
  return {
    plain: '-f= -p= --file= --project-name= --profile= --env-file= --ansi= --progress= --compatibility',
    otherwise: change,
    commands: {
      ...all('ps ls logs config images top port version events stats volumes', looks),
      // What the containers may do stands in a file that nobody has read here.
      ...all('up run start create build pull exec', { ask: host }),
    },
  };
}

export const containers: readonly Program[] = [
  describe('docker podman nerdctl', {
    place: 'outside',
    // Left out: -H and --context lead to another engine.
    plain: '-v --version -D --debug -l= --log-level=',
    otherwise: change,
    commands: engine,
  }),
  describe('docker-compose podman-compose', composeShape()),
  describe('buildah skopeo crictl ctr lxc incus lxd virsh vboxmanage multipass vagrant machinectl', {
    otherwise: change,
    commands: all('list ls inspect info images version ps show list-images status', {
      place: 'outside',
      plain: '--all --json -a',
    }),
  }),
];

/** An image is fetched from the registry that its name begins with. */
function knowPull(known: KnownCall, { operands }: Arguments): KnownCall {
  const [first = '', ...rest] = operands[0]?.text.split('/') ?? [];
  const named = rest.length > 0 && /[.:]|^localhost$/.test(first);
  return { ...known, contacts: [hostContact(named ? first : 'registry-1.docker.io', 'request')] };
}

/** Folders of this machine count as written; the engine's socket, devices and the network of the machine ask. */
function knowRun(known: KnownCall, args: Arguments, call: SimpleCommand): KnownCall | undefined {
  const { given } = args;
  const volumes = given.flatMap(({ option, value }) =>
    /^(?:-v|--volume|--mount)$/.test(option.name) ? [value ?? ''] : [],
  );
  const sources = volumes.map(sourceOf).filter((source) => source !== undefined);
  const network = given.some(
    ({ option, value }) => /^--net(?:work)?$/.test(option.name) && /^(?:host|container:)/.test(value ?? ''),
  );
  const opens = network || sources.some((source) => !isBelow(source, call.cwd));
  const cidFile = given.flatMap(({ option, value }) =>
    option.name === '--cidfile' && value !== undefined ? [value] : [],
  );
  const told = { ...knowPull(known, args), writes: [...sources, ...cidFile] };
  return opens ? { ...told, findings: [...known.findings, asks(host)] } : told;
}

/** Folders of the workspace may be handed to a container; the engine would follow any other with the rights of root. */
function isBelow(source: string, cwd: string | undefined): boolean {
  const path = resolvePath(source, cwd);
  if (path === undefined || cwd === undefined || cwd === '/' || path.includes(UNKNOWN)) return false;
  return (path === cwd || path.startsWith(`${cwd}/`)) && !path.endsWith('.sock');
}

/** The path of this machine; undefined for a volume that the engine keeps. */
function sourceOf(volume: string): string | undefined {
  // Options of a volume may make it a folder of this machine.
  if (volume.includes('volume-opt') || volume.includes('volume-driver')) return UNKNOWN;
  if (volume.includes('=')) {
    return /(?:^|,)(?:source|src)=([^,]*)/.exec(volume)?.[1] ?? (/(?:^|,)type=bind/.test(volume) ? UNKNOWN : undefined);
  }
  const [source = '', target] = volume.split(':');
  if (target === undefined) return undefined;
  return /^[./~]|^$/.test(source) || source.includes(UNKNOWN) ? source : undefined;
}

const harmlessInside =
  /^(?:ls|cat|env|printenv|ps|pwd|whoami|id|date|df|du|head|tail|grep|wc|stat|hostname|uname|which|node|python3?|psql|mysql|redis-cli|nginx|php|ruby|java)$/;

/** A running container holds what somebody works with: only looking around in it is free. */
function knowExec(known: KnownCall, { operands }: Arguments): KnownCall {
  const [, program, ...rest] = operands.map(({ text }) => text);
  const looking = program !== undefined && harmlessInside.test(program);
  const versions = rest.length === 1 && /^(?:-v|-V|--version|-t|-T)$/.test(rest[0] ?? '');
  const interpreter = /^(?:node|python3?|psql|mysql|redis-cli|nginx|php|ruby|java|env)$/.test(program ?? '');
  if (looking && (!interpreter || versions || (program === 'env' && rest.length === 0))) return known;
  return { ...known, findings: [...known.findings, asks(change)] };
}
