/** How Modal is reached: with a token of the owner, or through the tool gateway of Nous Portal. */
import type { Config } from '../../config/schema.ts';
import { modalAccount } from '../../config/sandbox-accounts.ts';
import type { ToolGateway, Way } from '../../config/tool-gateway.ts';
import type { Variables } from '../../config/variables.ts';

interface Facts {
  readonly env: Variables;
  /** Loaded only where it is asked. */
  readonly gateway: ToolGateway;
  /** Files with credentials of the owner are to be brought there, which goes to an account of the owner alone. */
  readonly bringsCredentials: boolean;
}

/**
 * As `terminal.modal_mode` says: `direct` and `managed` are one way only. `auto` takes the gateway where the subscription is
 * known to include it, and the owner's token where it does not, or where credential files are to go along.
 */
export function modalWay(mode: Config['terminal']['modal_mode'], { env, gateway, bringsCredentials }: Facts): Way {
  const { token, profileFile } = modalAccount(env);
  const hasOwn = token !== undefined || profileFile !== undefined;
  const own: Way = { kind: hasOwn ? 'direct' : 'none' };
  switch (mode) {
    case 'direct':
      return own;
    case 'managed':
      return gateway.hasToken() ? gateway.door('modal') : { kind: 'none' };
    case 'auto':
      if (hasOwn && bringsCredentials) return own;
      return gateway.covers('modal') ? gateway.door('modal') : own;
  }
}
