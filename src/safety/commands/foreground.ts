/** Commands that have no place in the foreground: servers that never end, and programs that are sent to the background. */
import { operandsOf, type SimpleCommand } from './simple-command.ts';
import { readScript, type StartPlace } from './read-script.ts';

const instead =
  'Start it with background: true, which gives a session_id for the process tool; check in further calls that it is ready.';

/** What to do instead, for the model; undefined for commands that may run to their end. */
export function foregroundProblem(command: string, place: StartPlace): string | undefined {
  const { commands } = readScript(command, place);
  // Work that runs side by side and is waited for comes to an end.
  const waits = commands.some(({ name }) => name === 'wait');
  for (const call of commands) {
    if (asksOnly(call)) continue;
    if (detachers.some((name) => call.name === name || call.via.includes(name))) {
      return `This leaves a process behind that nobody watches. ${instead}`;
    }
    if (call.background && !waits) return `This sends a program to the background with &. ${instead}`;
    if (isServer(call)) return `${call.source.slice(0, 80)} does not end by itself. ${instead}`;
  }
  return undefined;
}

const detachers = ['nohup', 'disown', 'setsid'];
/** A program that one of these starts is ended by it. */
const limiters = ['timeout', 'gtimeout'];
const servers = new Set(['nodemon', 'uvicorn', 'gunicorn']);
const packageManagers = new Set(['npm', 'pnpm', 'yarn', 'bun']);
/** Which start another program: `npx vite`, `pnpm exec next dev`. */
const runners = new Set(['npx', 'pnpx', 'bunx']);
const lasting = new Set(['dev', 'start', 'serve', 'watch']);

function isServer(call: SimpleCommand): boolean {
  if (call.via.some((name) => limiters.includes(name))) return false;
  const words = operandsOf(call).map(({ text }) => text);
  if (runners.has(call.name)) return isLasting(words[0] ?? '', words.slice(1), call);
  return isLasting(call.name, words, call);
}

function isLasting(name: string, [first = '', second = '']: readonly string[], call: SimpleCommand): boolean {
  if (servers.has(name)) return true;
  if (packageManagers.has(name)) return lasting.has(first === 'run' ? second : first);
  if (name === 'docker' || name === 'docker-compose') {
    const compose = name === 'docker-compose' ? first : first === 'compose' ? second : '';
    return compose === 'up' && !call.args.some(({ text }) => text === '-d' || text === '--detach');
  }
  if (name === 'next') return first === 'dev';
  if (name === 'vite') return ['', 'dev', 'serve', 'preview'].includes(first);
  return /^python\d?/.test(name) && call.args.some(({ text }, at) => text === '-m' && isServerModule(call, at));
}

function isServerModule({ args }: SimpleCommand, at: number): boolean {
  return args[at + 1]?.text === 'http.server';
}

/** `npm run dev --help` says something and ends. */
function asksOnly({ args }: SimpleCommand): boolean {
  const last = args.at(-1)?.text;
  return last === '-h' || last === '-v' || args.some(({ text }) => text === '--help' || text === '--version');
}
