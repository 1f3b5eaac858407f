/** Tells systemd how the gateway is, where its unit asks for that; see sd_notify(3) and systemd-notify(1). */
import type { GatewayProcessSettings } from '../../config/gateway-process.ts';
import type { Variables } from '../../config/variables.ts';
import { runCaptured } from '../../environments/run-captured.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';

export interface SystemdNotice {
  ready(): void;
  stopping(): void;
  /** The end takes longer than its unit allows, until what it returns is called. */
  extend(): () => void;
  end(): void;
}

const timeoutMs = 10_000;
const extendEveryMs = 60_000;

/** Node has no sockets for datagrams of this kind, so the program that comes with systemd says it. */
export function systemdNotice(
  { notifies, watchdogMs }: Pick<GatewayProcessSettings, 'notifies' | 'watchdogMs'>,
  { env, log }: { readonly env: Variables; readonly log: Log },
): SystemdNotice {
  let signs: NodeJS.Timeout | undefined;
  const tell = (...words: readonly string[]): void => {
    if (!notifies) return;
    const told = runCaptured('systemd-notify', [`--pid=${process.pid}`, ...words], { env, timeoutMs });
    told.catch((error: unknown) => log.warning(`systemd could not be told ${words.join(' ')}: ${errorMessage(error)}`));
  };
  return {
    ready() {
      tell('--ready');
      // Twice as often as it has to be. A gateway whose event loop stands still gives none.
      if (watchdogMs !== undefined) signs ??= setInterval(() => tell('WATCHDOG=1'), watchdogMs / 2).unref();
    },
    stopping: () => tell('--stopping'),
    extend() {
      const again = (): void => tell(`EXTEND_TIMEOUT_USEC=${extendEveryMs * 3 * 1000}`);
      again();
      const timer = setInterval(again, extendEveryMs).unref();
      return () => clearInterval(timer);
    },
    end: () => clearInterval(signs),
  };
}
