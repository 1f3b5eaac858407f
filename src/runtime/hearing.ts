/** How what was said becomes text, for chats and for the terminal. */
import { speechInput } from '../config/speech-input.ts';
import { searchPath } from '../environments/local/find-shell.ts';
import { searchPathOf } from '../environments/local/search-path.ts';
import { Connections } from '../lib/connections.ts';
import { UserError } from '../lib/errors.ts';
import { childEnvironment } from '../safety/child-env.ts';
import type { SessionParts } from './session-parts.ts';
import { speechLogins, xaiLogin } from './speech-access.ts';
import type { GatewayParts } from './tool-gateway.ts';

export type HearingParts = Pick<SessionParts, 'config' | 'plugins'> & Omit<GatewayParts, 'onToken'>;

export interface Hearing {
  /** Why nothing can be heard, in words for the owner; undefined when it can. */
  problem(): string | undefined;
  /** What is said in a file. Rejects with a `UserError` in one line that holds no key, and with the signal's reason. */
  read(path: string, signal: AbortSignal): Promise<string>;
}

/** Asked each time: a program may have been installed since. Opens nothing before something is read. */
export function hearing({ config, ...parts }: HearingParts): Hearing {
  const { env } = parts;
  const logins = speechLogins(parts);
  const added = parts.plugins?.added?.recognisers;
  let connections: Connections | undefined;
  const programs = () => childEnvironment(env, { passthrough: config.config.terminal.env_passthrough });
  const isInstalled = (name: string) => searchPath(name, searchPathOf(programs())) !== undefined;
  const input = () => speechInput(config, env, isInstalled, logins, added);
  return {
    problem() {
      const found = input();
      return found.kind === 'none' ? found.why : undefined;
    },
    async read(path, signal) {
      const found = input();
      if (found.kind === 'none') throw new UserError(`${found.why}.`);
      const { transcribe } = await import('../speech/transcribe.ts');
      connections ??= new Connections(config.models.network);
      return await transcribe(
        path,
        found,
        {
          connections,
          programs,
          login: (loginSignal) => xaiLogin(parts, loginSignal),
          ...(added === undefined ? {} : { added }),
        },
        signal,
      );
    },
  };
}
