/** The platform's own menu of commands; what one person may not run is refused when it is typed. */
import type { Log } from '../../lib/log.ts';
import type { MenuCommand } from '../platform/adapter.ts';
import type { PlatformConnection } from './platform-connection.ts';

const menuMs = 30_000;

/** Does nothing on a platform without a menu. Never rejects. */
export async function showMenu(
  platform: string,
  connection: PlatformConnection | undefined,
  { menu, log }: { readonly menu: () => Promise<readonly MenuCommand[]>; readonly log: Log },
): Promise<void> {
  const { adapter } = connection ?? {};
  if (adapter?.showCommands === undefined) return;
  try {
    await adapter.showCommands(await menu(), AbortSignal.timeout(menuMs));
  } catch (error) {
    log.warning(`${platform} does not show the commands`, error);
  }
}
