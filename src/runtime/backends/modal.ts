/** Terminal backend `modal`: a sandbox in the cloud of Modal. */
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
import type { BackendParts } from './backend.ts';
import { cloudOptions } from './remote-options.ts';

/** All sessions of a home work on the same files. */
const task = 'default';

export function open(parts: BackendParts): Environment {
  const { terminal } = parts.config.config;
  if (terminal.modal_mode === 'managed') {
    throw new UserError('Modal is reached with a token of your own only, not through the gateway of the vendor.', {
      hint: 'hermes config set terminal.modal_mode direct',
    });
  }
  const account = modalAccount(parts.env);
  if (account.token === undefined && account.profileFile === undefined) {
    throw new UserError('The modal backend needs a token of Modal.', {
      hint: 'hermes config set MODAL_TOKEN_ID ID; hermes config set MODAL_TOKEN_SECRET SECRET; or: modal token new',
    });
  }
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
