/** `hermes mcp list`. */
import { withoutUserInfo } from '../../config/env-values.ts';
import { counted } from '../../lib/counted.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { suspicionOf } from '../../mcp/suspicious.ts';
import type { CliContext } from '../command.ts';
import { configuredServers, isGuarded, type ServerEntry } from './configured.ts';

export async function listServers(context: CliContext): Promise<void> {
  const say = (line: string): boolean => context.io.stdout.write(`${line}\n`);
  const servers = await configuredServers(context);
  if (servers.length === 0) {
    return void say('No MCP servers are configured. Add one with: hermes mcp add NAME --command npx -- PACKAGE');
  }
  say(`${counted(servers.length, 'MCP server')}:`);
  for (const [name, entry] of servers) {
    const { kind, place } = reachOf(entry);
    const login = await loginOf(context, name, entry);
    say(`  ${shown(name)}  ${kind}  ${[stateOf(entry), ...login].join(', ')}  ${shown(place)}`);
  }
  say("'hermes mcp test NAME' connects to one.");
}

/** How it is reached, without what may be secret. */
export function reachOf({ url, command = '', args, transport }: ServerEntry): { kind: string; place: string } {
  if (url !== undefined && url !== '') {
    const kind = transport?.toLowerCase() === 'sse' ? 'sse' : 'http';
    return { kind, place: withoutUserInfo(url).split('?', 1)[0] ?? '' };
  }
  return { kind: 'stdio', place: [command, ...args].join(' ') };
}

/** Whether there is a login, where one is needed. */
async function loginOf({ home }: CliContext, name: string, entry: ServerEntry): Promise<readonly string[]> {
  if (!entry.enabled || !isGuarded(entry)) return [];
  const { LoginFiles } = await import('../../mcp/oauth/login-files.ts');
  return new LoginFiles(home.path, name).tokens() === undefined ? ['not logged in'] : ['logged in'];
}

function stateOf(entry: ServerEntry): string {
  const suspicion = suspicionOf(entry);
  if (suspicion !== undefined) return `skipped: ${suspicion}`;
  if (!entry.enabled) return 'off';
  const { include, exclude } = entry.tools;
  if (include !== undefined) return `${counted(include.length, 'tool')} of it`;
  return exclude.length === 0 ? 'all tools' : `without ${counted(exclude.length, 'tool')}`;
}

function shown(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}
