/** What plug-ins bring in the place of the program's services: search, pictures, videos, browsers, speech. Their code is called within bounds. */
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { withDeadline } from '../deadline.ts';
import { isCallable } from './values.ts';

export const providerKinds = ['web', 'image', 'video', 'browser', 'tts', 'stt'] as const;
export type ProviderKind = (typeof providerKinds)[number];

interface KnownKind {
  /** How it is registered. */
  readonly register: string;
  /** For messages. */
  readonly what: string;
  /** What it must be able to do; of a list in it one is enough. */
  readonly needs: readonly (readonly string[])[];
}

export const knownKinds: Readonly<Record<ProviderKind, KnownKind>> = {
  web: { register: 'registerWebSearchProvider', what: 'web provider', needs: [['search', 'extract']] },
  image: { register: 'registerImageGenProvider', what: 'provider of pictures', needs: [['generate']] },
  video: { register: 'registerVideoGenProvider', what: 'provider of videos', needs: [['generate']] },
  browser: {
    register: 'registerBrowserProvider',
    what: 'provider of browsers',
    needs: [['create_session'], ['close_session']],
  },
  tts: { register: 'registerTtsProvider', what: 'speaker', needs: [['synthesize']] },
  stt: { register: 'registerTranscriptionProvider', what: 'provider of transcripts', needs: [['transcribe']] },
};

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/** A service of a plug-in. What it gives is not looked at here: who asks parses it. */
export interface PluginProvider {
  readonly kind: ProviderKind;
  /** As the configuration names it. */
  readonly name: string;
  /** For people, in one line. */
  readonly displayName: string;
  /** Key of the plug-in. */
  readonly plugin: string;
  can(member: string): boolean;
  /** What `is_available` says; one that cannot tell is not. */
  isAvailable(): boolean;
  /** A field, or what a method without arguments gives at once; undefined where there is none or it throws. */
  told(member: string): unknown;
  /** Rejects with a `UserError` in one line, and with the signal's reason. */
  ask(method: string, given: readonly unknown[], options: AskOptions): Promise<unknown>;
}

const named = z.looseObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be a name of small letters, digits, _ and -'),
  display_name: z.string().max(100).optional(),
});
const maxErrorChars = 300;

/** Throws `TypeError` for what is none. */
export function pluginProvider(plugin: string, kind: ProviderKind, given: unknown, log: Log): PluginProvider {
  const { register, what, needs } = knownKinds[kind];
  // A provider may be of a class: its fields are asked for one by one, and its methods called on it.
  const member = (name: string): unknown =>
    typeof given === 'object' && given !== null ? Reflect.get(given, name) : undefined;
  const { success, data, error } = named.safeParse({
    name: member('name'),
    display_name: plainOf(member('display_name')),
  });
  if (!success) throw new TypeError(`${register}: ${z.prettifyError(error)}`);
  const lacking = needs.find((oneOf) => !oneOf.some((name) => isCallable(member(name))));
  if (lacking !== undefined) throw new TypeError(`${register}: a ${what} needs ${lacking.join(' or ')}`);
  const { name, display_name: displayName = name } = data;
  const told = (asked: string): unknown => {
    try {
      const found = member(asked);
      return isCallable(found) ? Reflect.apply(found, given, []) : found;
    } catch (cause) {
      log.warning(`${what} ${name}: ${asked} failed: ${errorMessage(cause)}`, cause);
      return undefined;
    }
  };
  return {
    kind,
    name,
    displayName: oneLine(displayName) || name,
    plugin,
    can: (asked) => isCallable(member(asked)),
    isAvailable: () => member('is_available') === undefined || told('is_available') === true,
    told,
    async ask(method, values, { signal, deadlineMs }) {
      try {
        return await withDeadline(
          deadlineMs,
          async (ended) => {
            const found = member(method);
            if (!isCallable(found)) throw new Error(`it has no ${method}`);
            return await Reflect.apply(found, given, withSignal(values, ended));
          },
          { signal },
        );
      } catch (cause) {
        signal.throwIfAborted();
        log.warning(`${what} ${name}: ${method} failed: ${errorMessage(cause)}`, cause);
        throw new UserError(`${oneLine(displayName) || name}: ${oneLine(errorMessage(cause))}`, { cause });
      }
    },
  };
}

/** The last value is an object, which also carries the signal that ends when nobody waits any more. */
function withSignal(values: readonly unknown[], signal: AbortSignal): readonly unknown[] {
  const copies = structuredClone(values);
  const last = copies.at(-1);
  const isNamed = typeof last === 'object' && last !== null && !Array.isArray(last);
  return isNamed ? [...copies.slice(0, -1), { ...last, signal }] : [...copies, { signal }];
}

function plainOf(value: unknown): unknown {
  return typeof value === 'string' ? value : undefined;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, maxErrorChars).toWellFormed();
}

/** Those of all plug-ins: of each kind each name is there once. */
export class PluginProviders {
  readonly #all = new Map<string, PluginProvider>();

  get all(): readonly PluginProvider[] {
    return [...this.#all.values()];
  }

  /** `own`: names that the program has and does not give up. Returns why it is left out, in one line; undefined when its name was free. */
  add(provider: PluginProvider, own: readonly string[]): string | undefined {
    const { kind, name } = provider;
    const key = `${kind} ${name}`;
    const other = this.#all.get(key);
    const owner = own.includes(name) ? 'the program' : other && `the plug-in ${other.plugin}`;
    if (owner !== undefined) return `its ${knownKinds[kind].what} '${name}' is left out: ${owner} has one of that name`;
    this.#all.set(key, provider);
    return undefined;
  }
}
