/** The hooks of a gateway: those of its home's folder `hooks`, or none. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EventHooksOptions } from './event-hooks.ts';
import { type GatewayHooks, noHooks } from './gateway-hooks.ts';

/** Never rejects: what cannot be used is told and left out. */
export async function openHooks(options: EventHooksOptions): Promise<GatewayHooks> {
  if (!existsSync(join(options.homePath, 'hooks'))) return noHooks;
  const [{ EventHooks }, { HooksOfChats }] = await Promise.all([
    import('./event-hooks.ts'),
    import('./hooks-of-chats.ts'),
  ]);
  return new HooksOfChats(await EventHooks.load(options));
}
