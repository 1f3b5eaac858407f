/** Reads a command text and tells what is known of its calls. */
import { readScript } from '../../../src/safety/commands/read-script.ts';
import { knowCall } from '../../../src/safety/programs/catalogue.ts';
import type { KnownCall } from '../../../src/safety/programs/known.ts';

const place = { userHome: '/home/ann', homePath: '/home/ann/.hermes', cwd: '/home/ann/work' };

export interface KnownText {
  /** `harmless`: nothing written, contacted or asked; `unknown`: one of its calls is. */
  readonly verdict: 'harmless' | 'effects' | 'unknown' | 'asked';
  readonly calls: readonly (KnownCall | undefined)[];
  readonly keys: readonly string[];
  readonly writes: readonly string[];
  readonly hosts: readonly (string | undefined)[];
  readonly places: readonly string[];
}

export function knowText(text: string): KnownText {
  const facts = readScript(text, place);
  const calls = facts.commands.map(knowCall);
  const known = calls.filter((call) => call !== undefined);
  const keys = known.flatMap((call) => call.findings.map(({ key }) => key));
  const writes = known.flatMap((call) => call.writes);
  const hosts = known.flatMap((call) => call.contacts.map(({ host }) => host));
  const places = known.map((call) => call.place);
  const unread = facts.unread.length + facts.unchecked.length > 0 || facts.forkBomb;
  const quiet = writes.length + hosts.length === 0 && places.every((name) => name === 'anywhere');
  const verdict =
    keys.length > 0 ? 'asked' : unread || known.length < calls.length ? 'unknown' : quiet ? 'harmless' : 'effects';
  return { verdict, calls, keys, writes, hosts, places };
}
