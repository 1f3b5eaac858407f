/** The proxy as a listener of its own: `hermes proxy start`. */
import { keyProblem } from '../../config/api-server.ts';
import { proxyKey, proxyKeyVariable } from '../../config/model-proxy.ts';
import { UserError } from '../../lib/errors.ts';
import type { ProgramOptions } from '../../runtime/program-options.ts';
import { type HttpServer, startHttpServer } from '../server.ts';
import { SettingsOnDisk } from '../settings-on-disk.ts';
import { type ProxyOptions, proxyRoutes } from './proxy-routes.ts';

export interface StartProxyOptions extends ProxyOptions, Pick<ProgramOptions, 'home' | 'config' | 'env'> {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/**
 * A change of the key in `.env` counts within a second. Throws `UserError` without a key that could be used, and when the
 * port cannot be had.
 */
export async function startProxy(options: StartProxyOptions, signal?: AbortSignal): Promise<HttpServer> {
  const { home, config, env, host, port, log } = options;
  const onDisk = new SettingsOnDisk(
    { options: { home, config, env, cwd: home.path }, log },
    'the proxy',
    (_config, variables) => proxyKey(variables),
  );
  const usable = (key: string): string | undefined => (keyProblem(key) === undefined ? key : undefined);
  const problem = keyProblem(onDisk.known);
  if (problem !== undefined) {
    throw new UserError(`The proxy does not start: ${problem}.`, {
      hint: `Set ${proxyKeyVariable} in .env to a long random text, or take it out: then one is made.`,
    });
  }
  return await startHttpServer(
    {
      name: 'The proxy',
      host,
      port,
      groups: [proxyRoutes(options)],
      key: { current: async () => usable(await onDisk.current()) },
      log,
      limits: { maxConnections: 256, drainMs: 10_000 },
    },
    signal,
  );
}
