/** Doctor: what the terminal backend needs on this machine. */
import type { Config } from '../../config/schema.ts';
import { daytonaAccount, modalAccount } from '../../config/sandbox-accounts.ts';
import type { ToolGateway } from '../../config/tool-gateway.ts';
import type { Variables } from '../../config/variables.ts';
import { UserError } from '../../lib/errors.ts';
import { modalWay } from '../../runtime/backends/modal-way.ts';
import { findProgram } from '../find-program.ts';
import type { Finding } from './finding.ts';

interface BackendContext {
  readonly terminal: Config['terminal'];
  readonly env: Variables;
  /** `HERMES_DOCKER_BINARY`, or `docker`. */
  readonly docker: string;
  /** Of Nous Portal. */
  readonly gateway: ToolGateway;
}

/** Nothing for this machine itself. */
export async function backendFindings(context: BackendContext): Promise<Finding[]> {
  switch (context.terminal.backend) {
    case 'docker':
      return [await containerEngine(context)];
    case 'ssh':
      return [program(['ssh'], context.env, 'Install an SSH client.'), sshTarget(context.terminal)];
    case 'singularity':
      return [program(['apptainer', 'singularity'], context.env, 'Install apptainer.')];
    case 'daytona':
      return [account(daytonaAccount(context.env).apiKey !== undefined, 'Daytona', 'DAYTONA_API_KEY')];
    case 'modal':
      return [modal(context)];
    case 'local':
      return [];
  }
}

/** Whether it answers, which it does only when its daemon runs and may be used. */
async function containerEngine({ docker, env }: BackendContext): Promise<Finding> {
  const { findEngine } = await import('../../environments/docker/engine.ts');
  try {
    const engine = await findEngine(docker, env, new AbortController().signal);
    return { status: 'ok', text: 'container engine', detail: engine.program };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return {
      status: 'fail',
      text: error.message.replace(/\.$/, ''),
      remedy: error.hint ?? 'Install docker or podman.',
    };
  }
}

function program(names: readonly string[], env: Variables, remedy: string): Finding {
  const found = names.map((name) => ({ name, path: findProgram(name, env) })).find(({ path }) => path !== undefined);
  if (found?.path !== undefined) return { status: 'ok', text: found.name, detail: found.path };
  return { status: 'fail', text: `${names.join(' or ')} is not on PATH`, remedy };
}

/** Whether it is taken is seen with the first command: nobody is asked here. */
function account(isSet: boolean, service: string, names: string, file?: string): Finding {
  if (isSet) return { status: 'ok', text: `account of ${service}`, detail: file ?? names };
  return { status: 'fail', text: `there is no account of ${service}`, remedy: `Set ${names}: hermes setup terminal` };
}

function modal({ terminal, env, gateway }: BackendContext): Finding {
  const bringsCredentials = terminal.credential_files.length > 0;
  const way = modalWay(terminal.modal_mode, { env, gateway, bringsCredentials });
  const names = 'MODAL_TOKEN_ID and MODAL_TOKEN_SECRET';
  if (way.kind === 'gateway') {
    if (!bringsCredentials) return { status: 'ok', text: 'Modal, through the tool gateway', detail: 'Nous Portal' };
    const remedy = 'Set terminal.modal_mode to direct, or empty terminal.credential_files.';
    return { status: 'fail', text: 'the tool gateway takes no credential files', remedy };
  }
  if (way.kind === 'none' && terminal.modal_mode === 'managed') {
    const remedy = 'hermes auth add nous, or set terminal.modal_mode to direct.';
    return {
      status: 'fail',
      text: 'nobody is logged in to Nous Portal, whose gateway Modal is reached through',
      remedy,
    };
  }
  const { token, profileFile } = modalAccount(env);
  return account(way.kind === 'direct', 'Modal', names, token === undefined ? profileFile : undefined);
}

function sshTarget({ ssh_host: host, ssh_user: user, ssh_port: port }: Config['terminal']): Finding {
  if (host && user) return { status: 'info', text: `${user}@${host}:${port}` };
  return {
    status: 'fail',
    text: 'the ssh backend has no host or user',
    remedy: 'Set terminal.ssh_host and terminal.ssh_user.',
  };
}
