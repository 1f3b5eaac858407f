/** Terminal backend `modal`: a sandbox in the cloud of Modal, with a token of the owner or through the tool gateway. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ModalClient } from 'modal';
import { type ModalAccount, modalAccount } from '../../config/sandbox-accounts.ts';
import type { Environment } from '../../environments/environment.ts';
import { createModalHost } from '../../environments/modal/modal-host.ts';
import { createRemoteEnvironment } from '../../environments/remote/remote-environment.ts';
import { UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { toolGateway } from '../tool-gateway.ts';
import type { BackendParts } from './backend.ts';
import { modalWay } from './modal-way.ts';
import { broughtCredentials, cloudOptions } from './remote-options.ts';

/** All sessions of a home work on the same files. */
const task = 'default';

export async function open(parts: BackendParts): Promise<Environment> {
  const { terminal } = parts.config.config;
  const credentials = broughtCredentials(parts);
  const gateway = toolGateway(parts);
  const way = modalWay(terminal.modal_mode, { env: parts.env, gateway, bringsCredentials: credentials().length > 0 });
  switch (way.kind) {
    case 'direct':
      return openDirect(parts);
    case 'gateway':
      return (await import('./modal-gateway.ts')).openBehindGateway(parts, way, credentials);
    case 'none':
      throw noWay(terminal.modal_mode);
  }
}

function noWay(mode: BackendParts['config']['config']['terminal']['modal_mode']): UserError {
  if (mode === 'managed') {
    return new UserError('Modal is reached through the tool gateway of Nous Portal, and nobody is logged in there.', {
      hint: 'Log in with `hermes auth add nous`, or take a token of your own: hermes config set terminal.modal_mode direct',
    });
  }
  const portal = mode === 'auto' ? '; or, with a subscription of Nous Portal: hermes auth add nous' : '';
  return new UserError('The modal backend needs a token of Modal.', {
    hint: `hermes config set MODAL_TOKEN_ID ID; hermes config set MODAL_TOKEN_SECRET SECRET; or: modal token new${portal}`,
  });
}

function openDirect(parts: BackendParts): Environment {
  const { terminal } = parts.config.config;
  const account = modalAccount(parts.env);
  const log = parts.log.named('environments');
  const host = createModalHost({
    connect: () => connect(account, log),
    owner: ownerOf(parts.home.path),
    task,
    homePath: parts.home.path,
    image: terminal.modal_image,
    cpus: terminal.container_cpu,
    memoryMb: terminal.container_memory,
    persists: terminal.container_persistent,
    idleMs: terminal.lifetime_seconds * 2000,
    notes: join(parts.home.path, 'sandboxes', 'modal'),
    log,
  });
  return createRemoteEnvironment({ ...cloudOptions(parts), host });
}

/** Without a token of ours the library takes the one of its own file. */
async function connect({ token, environment }: ModalAccount, log: Log): Promise<ModalClient> {
  const { ModalClient: Client } = await import('modal');
  return new Client({
    ...token,
    ...(environment === undefined ? {} : { environment }),
    logger: {
      debug: () => undefined,
      info: (message) => log.debug(`modal: ${message}`),
      warn: (message) => log.warning(`modal: ${message}`),
      error: (message) => log.warning(`modal: ${message}`),
    },
  });
}

/** One account may serve several machines and homes, whose files are kept apart. */
function ownerOf(homePath: string): string {
  return createHash('sha256')
    .update(JSON.stringify([hostname(), homePath]))
    .digest('hex')
    .slice(0, 12);
}
