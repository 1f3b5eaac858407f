/** The desktop of a session, where a program is installed that sees and operates it. */
import { computerVariables } from '../config/computer-variables.ts';
import { modelVariables } from '../config/model-variables.ts';
import type { Variables } from '../config/variables.ts';
import { DesktopSession } from '../tools/computer-use/desktop-session.ts';
import { findDriver } from './find-driver.ts';
import type { SessionParts } from './session-parts.ts';

/** Whether there is one, without starting anything. */
export function canUseComputer(env: Variables): boolean {
  const { backend } = computerVariables(env);
  return backend === 'noop' || (backend === 'cua' && findDriver(env) !== undefined);
}

/** Undefined where there is none. Starts and loads nothing before its first use. */
export function sessionComputer(
  { home, env, config, log }: Pick<SessionParts, 'home' | 'env' | 'config' | 'log'>,
  sessionId: string,
): DesktopSession | undefined {
  const { backend } = computerVariables(env);
  if (backend === 'noop') {
    return new DesktopSession(async () => (await import('../tools/computer-use/noop-desktop.ts')).noopDesktop());
  }
  if (backend === undefined) {
    log.warning('HERMES_COMPUTER_USE_BACKEND names nothing that there is (cua, noop): the desktop is left alone');
    return undefined;
  }
  const program = findDriver(env);
  if (program === undefined) return undefined;
  return new DesktopSession(async () => {
    const { CuaDriver } = await import('./cua-driver.ts');
    const { CuaDesktop } = await import('../tools/computer-use/cua-desktop.ts');
    const driver = new CuaDriver({
      program,
      homePath: home.path,
      env,
      telemetry: config.config.computer_use.cua_telemetry,
      network: modelVariables(env).network,
      version: '0',
      log: log.named('desktop'),
    });
    const session = `hermes-${sessionId.replace(/[^\w-]/g, '').slice(-24)}`;
    return new CuaDesktop({ driver, platform: process.platform, session });
  });
}
