/** What all tools of the browser have in common: one command, its answer without secrets, and whose words it holds. */
import { answer, failure, type ToolContext, type ToolOutcome } from '../../agent/tool.ts';
import type { Source } from '../../llm/source.ts';
import type { ToolServices } from '../services.ts';
import type { BrowserCommand, OpenTabs } from './browser-command.ts';
import type { BrowserSession } from './browser-session.ts';
import { browserError } from './errors.ts';
import { pageSources } from './page-sources.ts';

export type Context = Pick<ToolContext<ToolServices>, 'services' | 'signal'>;

export interface Command extends Pick<BrowserCommand, 'seconds' | 'address' | 'ref' | 'picture'> {
  /** Opens a browser where none is open. */
  readonly opens?: boolean;
}

/** `work` returns what the model reads beside `success`. What it throws is the answer too, but for an interrupt. */
export async function browse(
  context: Context,
  work: (open: OpenTabs) => Promise<object>,
  { opens = false, seconds, ...named }: Command = {},
): Promise<ToolOutcome> {
  const { signal } = context;
  return await answered(
    context,
    async (browser) => {
      const limits = { signal, opens, ...named, ...(seconds === undefined ? {} : { seconds }) };
      const whole = async (open: OpenTabs) => ({ ...(await work(open)), ...open.news() });
      return await (browser.engine?.run(browser, limits, whole) ?? browser.use(limits, whole));
    },
    named.address,
  );
}

/**
 * The answer of one command, without secrets, and whose words it holds: those of the page before it, of the one after, of
 * those that came and went meanwhile, and of the one that was asked for, which may have led elsewhere.
 */
export async function answered(
  { services, signal }: Context,
  command: (browser: BrowserSession) => Promise<object>,
  asked?: URL,
): Promise<ToolOutcome> {
  const { browser } = services.state;
  if (browser === undefined) return failure({ success: false, error: 'There is no browser in this session.' });
  const sources = new Map<string, Source>();
  const keep = (): void => {
    for (const source of pageSources(services)) sources.set(source.name ?? '', source);
    for (const name of browser.takeShown()) sources.set(name, { from: 'page', name });
  };
  keep();
  if (asked !== undefined && asked.host !== '') sources.set(asked.host, { from: 'page', name: asked.host });
  try {
    const said = { success: true, ...(await command(browser)) };
    keep();
    return { ...answer(withoutSecrets(said, services.redact)), sources: sourcesOf(sources) };
  } catch (error) {
    signal.throwIfAborted();
    keep();
    const error_ = services.redact(browserError(error));
    return { ...failure({ success: false, error: error_ }), sources: sourcesOf(sources) };
  }
}

export interface Acting {
  /** At most so long is waited for the page. */
  readonly settleMs?: number;
  /** It often changes nothing on the page, which is then not waited for. */
  readonly isQuiet?: boolean;
}

/**
 * Runs what somebody does on a page until nothing of it is under way any more, or until the page asks something that must
 * be answered first.
 */
export async function act(
  { dialogs, tabs, tab, signal }: OpenTabs,
  action: () => Promise<unknown>,
  { settleMs = 2000, isQuiet = false }: Acting = {},
): Promise<void> {
  const settled = async () => {
    const noted = isQuiet ? tab.settling.note() : undefined;
    await action();
    await tabs.expected.wait(settleMs);
    const now = tabs.current ?? tab;
    await now.settling.wait(settleMs, signal, now === tab ? await noted : undefined);
  };
  const done = settled();
  const over = new AbortController();
  try {
    await Promise.race([done, dialogs.waits(AbortSignal.any([signal, over.signal]))]);
  } finally {
    over.abort();
    // It goes on behind the dialog; its failure is nobody's.
    void done.catch(() => undefined);
  }
}

function sourcesOf(sources: ReadonlyMap<string, Source>): readonly Source[] {
  return sources.size === 0 ? [{ from: 'tool', name: 'browser' }] : [...sources.values()];
}

function withoutSecrets(value: unknown, redact: (text: string) => string): object {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return redact(part);
    if (Array.isArray(part)) return part.map(clean);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, clean(inner)]));
  };
  return { ...Object(clean(value)) };
}
