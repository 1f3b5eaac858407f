/** Configuration: where commands run. */
import * as z from 'zod';
import { parseBoolean } from '../env-values.ts';
import { bool, choice, int, list, number, optionalBool, optionalText, section, text, textMap } from './fields.ts';

const IMAGE = 'nikolaik/python-nodejs:python3.11-nodejs20';

export const terminal = () =>
  section({
    backend: choice(['local', 'docker', 'ssh', 'modal', 'daytona', 'singularity'], 'local', 'Where commands run'),
    cwd: text('.', 'Directory commands start in'),
    timeout: int(180, 'Seconds a command may take', { least: 1 }),
    lifetime_seconds: int(300, 'Idle seconds after which an environment is closed', { least: 1 }),
    home_mode: choice(['auto', 'real', 'profile'], 'auto', 'HOME of commands'),
    daemon_term_grace_seconds: number(
      2,
      'Seconds that background processes get to end before they are killed; 0 never kills',
      { least: 0 },
    ),
    env_passthrough: list('Variables commands may see besides the safe ones'),
    credential_files: list('Files made available inside sandboxes'),
    shell_init_files: list('Files sourced before commands'),
    auto_source_bashrc: bool(true, 'Source ~/.bashrc'),
    persistent_shell: bool(true, 'Without effect: the shell is always kept'),
    local_persistent: optionalBool('Without effect: the shell is always kept'),
    ssh_persistent: optionalBool('Without effect: the shell is always kept'),
    docker_image: text(IMAGE, 'Docker image'),
    modal_image: text(IMAGE, 'Modal image'),
    modal_mode: choice(
      ['auto', 'direct', 'managed'],
      'auto',
      'How Modal is reached: with a token of your own (direct), or through the tool gateway of Nous Portal (managed)',
    ),
    daytona_image: text(IMAGE, 'Daytona image'),
    singularity_image: text(`docker://${IMAGE}`, 'Singularity image'),
    docker_forward_env: list('Variables passed into containers'),
    docker_volumes: list('Docker volumes'),
    docker_extra_args: list('More arguments of docker run'),
    docker_env: textMap('Variables set in containers'),
    docker_network: bool(true, 'Network inside docker containers'),
    docker_mount_cwd_to_workspace: bool(false, 'Mount the directory at /workspace'),
    docker_run_as_host_user: bool(false, 'Run as your own user id'),
    docker_persist_across_processes: bool(true, 'Keep containers between runs'),
    docker_orphan_reaper: bool(true, 'Remove containers nobody uses'),
    container_cpu: int(1, 'CPUs'),
    container_memory: int(5120, 'Memory in MB'),
    container_disk: int(51_200, 'Disk in MB'),
    container_persistent: bool(true, 'Keep the file system'),
    file_sync_enabled: bool(true, 'Bring changed files back from remote backends'),
    file_sync_max_mb: int(100, 'Largest file brought back'),
    ssh_host: optionalText('SSH host'),
    ssh_user: optionalText('SSH user'),
    ssh_port: int(22, 'SSH port', { least: 1 }),
    ssh_key: optionalText('SSH key file'),
    sandbox: choice(
      ['auto', 'always', 'off'],
      'auto',
      'Commands that are not known to be harmless run in a sandbox of the system; always: all commands; off: none',
      { yes: 'always', no: 'off' },
    ),
    sandbox_network: z
      .preprocess(readNetwork, z.union([z.enum(['on', 'open', 'off']), z.array(z.string())]))
      .default('on')
      .describe(
        'Whom confined commands reach, as far as they ask through a proxy: on (everybody, until a stranger may have had a word), off (nobody) or a list of hosts; open: like on, but over the network of this machine while nobody else has had a word',
      ),
    sandbox_dir: optionalText('Where sandboxes are kept'),
    scratch_dir: optionalText('Where scratch files are kept'),
    sudo_password: optionalText('Password for sudo'),
  });

/** YAML reads a bare `on` as true; a text with commas is a list of hosts. */
function readNetwork(input: unknown): unknown {
  if (input === 'open') return input;
  const value = typeof input === 'string' ? (parseBoolean(input) ?? input) : input;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value !== 'string') return value;
  return value
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '');
}
