/** What was agreed to: a tool that describes itself in other words later is another tool, and asks again; so does a later one. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { errorCode } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { parseJson } from '../lib/json.ts';
import type { ServerTool } from './server-tool.ts';
import type { ServerSettings } from './settings.ts';

const fileName = 'mcp-agreed.json';
/** Of one server; a server that lists ever new ones is not agreed to beyond that. Twice what is offered of one. */
const maxAgreed = 4000;

const fileShape = z.object({
  version: z.literal(1),
  servers: z.record(z.string(), z.object({ entry: z.string(), tools: z.record(z.string(), z.string()) })),
});

type Agreed = z.infer<typeof fileShape>;

/** Names of tools that nobody has agreed to. */
export interface Unagreed {
  /** They describe themselves otherwise than agreed. */
  readonly changed: ReadonlySet<string>;
  /** They came after the server was agreed to. */
  readonly added: ReadonlySet<string>;
}

/** Kept in `<home>/mcp-agreed.json`, which the agent cannot write without a person. */
export class Pins {
  readonly #path: string;
  readonly #log: Log;

  constructor(homePath: string, log: Log) {
    this.#path = join(homePath, fileName);
    this.#log = log;
  }

  /**
   * The names of tools that are none of those agreed to. Whoever configures a server agrees to what it offers then, so its
   * first tools are written down, and later those that the configuration names; another entry begins anew.
   */
  check(settings: ServerSettings, tools: readonly ServerTool[]): Unagreed {
    const agreed = this.#read();
    if (agreed === undefined) return { changed: new Set(tools.map(({ name }) => name)), added: new Set() };
    const entry = entryHash(settings);
    const before = own(agreed.servers, settings.name);
    const known = before?.entry === entry ? before.tools : {};
    const { changed, added } = { changed: new Set<string>(), added: new Set<string>() };
    const next = { ...known };
    let left = maxAgreed - Object.keys(known).length;
    const isFirst = Object.keys(known).length === 0;
    const isNamed = (name: string): boolean => settings.offers.include?.includes(name) === true;
    for (const { name, hash } of tools) {
      const seen = own(known, name);
      if (seen !== undefined) {
        if (seen !== hash) changed.add(name);
      } else if ((isFirst || isNamed(name)) && left-- > 0) next[name] = hash;
      else added.add(name);
    }
    const isNews = before?.entry !== entry || Object.keys(next).length > Object.keys(known).length;
    if (isNews) this.#write({ ...agreed, servers: { ...agreed.servers, [settings.name]: { entry, tools: next } } });
    return { changed, added };
  }

  /** A person has looked at these tools as they are now. */
  agree(settings: ServerSettings, tools: readonly ServerTool[]): void {
    const agreed = this.#read() ?? { version: 1, servers: {} };
    const entry = entryHash(settings);
    const before = own(agreed.servers, settings.name);
    const known = before?.entry === entry ? before.tools : {};
    const next = { ...known, ...Object.fromEntries(tools.map(({ name, hash }) => [name, hash])) };
    this.#write({ ...agreed, servers: { ...agreed.servers, [settings.name]: { entry, tools: next } } });
  }

  /** Undefined for a file that cannot be read: then nothing counts as agreed to. */
  #read(): Agreed | undefined {
    try {
      const read = fileShape.safeParse(parseJson(readFileSync(this.#path, 'utf8')));
      if (read.success) return read.data;
      this.#log.warning(`${this.#path} is broken: tools of servers are asked about until they are agreed to again`);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return { version: 1, servers: {} };
      this.#log.warning(`${this.#path} cannot be read`, error);
    }
    return undefined;
  }

  #write(agreed: Agreed): void {
    try {
      writeFileAtomic(this.#path, `${JSON.stringify(agreed, undefined, 1)}\n`);
    } catch (error) {
      this.#log.warning(`${this.#path} cannot be written`, error);
    }
  }
}

/** What the owner wrote about how the server is reached; a secret in it cannot be read from the hash of it alone. */
function entryHash({ reach }: ServerSettings): string {
  const what = reach.kind === 'stdio' ? [reach.command, ...reach.args] : [reach.url];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}

/** Servers name their tools as they like: `constructor` is no member. */
function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
