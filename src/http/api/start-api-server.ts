/**
 * The API server: the agent behind the interface of OpenAI's clients.
 *
 *   const server = await startApiServer(program, signal);               // a listener of its own
 */
import { keyProblem } from '../../config/api-server.ts';
import { UserError } from '../../lib/errors.ts';
import type { Program } from '../../runtime/program.ts';
import { type OtherProfiles, ProfileMounts, type ProfileRoutes } from '../profile-mounts.ts';
import type { RouteGroup } from '../routes.ts';
import type { CallerKey } from '../caller-key.ts';
import { isLoopback } from '../door.ts';
import { type HttpServer, startHttpServer } from '../server.ts';
import { absentRoutes } from './absent.ts';
import { jobsRoutes } from './jobs.ts';
import { chatRoutes } from './chat-completions/routes.ts';
import { discoveryRoutes } from './discovery.ts';
import type { GatewayView } from './gateway-view.ts';
import { LiveSettings } from './live-settings.ts';
import { ResponseStore } from './responses/response-store.ts';
import { responsesRoutes } from './responses/routes.ts';
import { runsRoutes } from './runs/routes.ts';
import { sessionsRoutes } from './sessions/routes.ts';
import { Turns } from './turns.ts';

export interface ApiServerOptions {
  /** What surrounds it; default: nothing does. */
  readonly gateway?: GatewayView;
  /** An answer as its reader is to see it, who has nothing but the text; default: as it is. */
  readonly shown?: (text: string) => Promise<string>;
  /** Milliseconds that turns get to end when the server stops; default 20,000. */
  readonly drainMs?: number;
  /** Profiles that are found below `/p/<profile>/` too. */
  readonly others?: OtherProfiles<ApiProfile>;
}

/** Another profile, as the server answers for it. */
export interface ApiProfile extends Pick<ApiServerOptions, 'shown'> {
  readonly program: Program;
  readonly gateway: GatewayView;
}

/** Opens what the routes need. `drain` closes it. */
async function apiServerRoutes(
  program: Program,
  settings: LiveSettings,
  options: ApiServerOptions,
): Promise<RouteGroup> {
  const { gateway, shown } = options;
  const { approvals } = program.options.config.config;
  const turns = new Turns({ program, settings, gateway, shown });
  const log = program.log.named('http');
  const responses = await ResponseStore.open(program.options.home.path, log);
  return {
    name: 'api',
    routes: [
      ...discoveryRoutes({ program, settings, gateway, activeTurns: () => turns.active }),
      ...chatRoutes({ turns, settings }),
      ...responsesRoutes({ turns, settings, store: responses, log }),
      ...runsRoutes({ turns, settings, store: responses, approvalMs: approvals.timeout * 1000 }),
      ...sessionsRoutes({ program, turns }),
      ...jobsRoutes(program),
      ...absentRoutes(),
    ],
    async drain(signal) {
      await turns.drain(signal);
      await responses.close();
    },
  };
}

/** Throws `UserError` when there is no key that could be used, or the port cannot be had. */
export async function startApiServer(
  program: Program,
  signal?: AbortSignal,
  options: ApiServerOptions = {},
): Promise<HttpServer> {
  const settings = new LiveSettings(program);
  const { host, port, key } = settings.known;
  const problem = keyProblem(key);
  if (problem !== undefined) {
    throw new UserError(`The API server does not start: ${problem}.`, {
      hint: 'Set API_SERVER_KEY in .env to a long random text, such as the output of: openssl rand -hex 32',
    });
  }
  warnOfReach(program, host);
  const group = await apiServerRoutes(program, settings, options);
  const callerKey: CallerKey = { current: () => settings.key() };
  const { others } = options;
  const listener = {
    name: 'API server',
    host,
    port,
    groups: [group],
    key: callerKey,
    ...(others === undefined ? {} : { others: new ProfileMounts(others, (other) => routesOfOther(other, callerKey)) }),
    profile: program.options.home.profile,
    allowedHosts: () => settings.known.allowedHosts,
    corsOrigins: () => settings.known.corsOrigins,
    log: program.log,
    ...(options.drainMs === undefined ? {} : { limits: { drainMs: options.drainMs } }),
  };
  try {
    return await startHttpServer(listener, signal);
  } catch (error) {
    await group.drain(AbortSignal.abort());
    throw error;
  }
}

/** The key of the listener opens all profiles; one that a profile has of its own opens only that. */
async function routesOfOther({ program, ...around }: ApiProfile, ofListener: CallerKey): Promise<ProfileRoutes> {
  const settings = new LiveSettings(program);
  const group = await apiServerRoutes(program, settings, around);
  return { groups: [group], key: { current: () => settings.key(), also: ofListener }, log: program.log };
}

/** Whoever has the key may have commands run as this user. */
function warnOfReach({ options, log }: Program, host: string): void {
  if (isLoopback(host) || options.config.config.terminal.backend !== 'local') return;
  log
    .named('http')
    .warning(
      `The API server listens on ${host}, where others reach it, and commands run on this machine (terminal.backend: local).`,
    );
}
