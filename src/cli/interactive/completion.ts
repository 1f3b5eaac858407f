/** What the input box offers while something is typed: commands, their arguments, references, files. */
import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
  CombinedAutocompleteProvider,
} from '@earendil-works/pi-tui';
import type { SlashCommand } from '../../commands/command.ts';
import { type Completing, offersFor } from '../../commands/complete.ts';
import { resolveCommand } from '../../commands/resolve.ts';
import type { Log } from '../../lib/log.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { Entry } from '../../references/list-files.ts';
import { referenceOffers, typedReference } from './reference-offers.ts';

export interface CompletionOptions {
  readonly commands: readonly SlashCommand[];
  /** True for a whole word that nothing is to be put in the place of. */
  readonly isOwn?: (word: string) => boolean;
  readonly cwd: string;
  readonly log: Log;
  /** Undefined before there is a session. */
  readonly completing: () => Completing | undefined;
  /** What `@` can name. */
  readonly files: (signal: AbortSignal) => Promise<readonly Entry[]>;
}

/** A list that takes longer does not come, in milliseconds. */
const offerMs = 3000;

/** Offers commands in the order in which the typed word would be resolved, so that Enter never picks another one. */
export function createCompletion(options: CompletionOptions): AutocompleteProvider {
  const rest = new CombinedAutocompleteProvider([], options.cwd);
  return {
    async getSuggestions(lines, cursorLine, cursorCol, { signal, force }) {
      const typed = (lines[cursorLine] ?? '').slice(0, cursorCol);
      const [, word, args] = (cursorLine === 0 ? /^\/(\S*)(?:\s+(.*))?$/s.exec(typed) : undefined) ?? [];
      if (word !== undefined && args === undefined && !/\s$/.test(typed) && force !== true) {
        if (options.isOwn?.(word) === true) return null;
        return suggestions(namedItems(options.commands, await skillItems(options, word), word), typed);
      }
      try {
        const offered = await offersBehind(options, typed, word, args ?? '', signal);
        if (offered !== undefined) return offered.items.length === 0 ? null : offered;
      } catch (error) {
        // What cannot be offered can still be typed.
        if (!signal.aborted) options.log.warning('completions could not be made', error);
        return null;
      }
      return await rest.getSuggestions(lines, cursorLine, cursorCol, { signal, force: force === true });
    },
    applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
      if (!prefix.startsWith('@')) return rest.applyCompletion(lines, cursorLine, cursorCol, item, prefix);
      return withReference(lines, cursorLine, cursorCol, item.value, prefix);
    },
    shouldTriggerFileCompletion: (...args) => rest.shouldTriggerFileCompletion(...args),
  };
}

/** Commands and skills that the word may begin; what it means comes first. */
function namedItems(
  commands: readonly SlashCommand[],
  skills: readonly AutocompleteItem[],
  word: string,
): AutocompleteItem[] {
  const resolved = resolveCommand(`/${word}`, commands, {
    isExistingPath: () => false,
    skills: skills.map(({ value }) => value),
  });
  const meant = resolved.kind === 'skill' ? skills.filter(({ value }) => value === resolved.name) : [];
  const others = skills.filter((item) => !meant.includes(item));
  return [...meant, ...commandItems(commands, word), ...others];
}

/** Commands that the word may begin; the one that it means comes first. */
export function commandItems(commands: readonly SlashCommand[], word: string): AutocompleteItem[] {
  const wanted = word.toLowerCase().replaceAll('_', '-');
  const namesOf = (command: SlashCommand): string[] => [command.name, ...(command.aliases ?? [])];
  const resolved = resolveCommand(`/${wanted}`, commands, { isExistingPath: () => false });
  const meant = resolved.kind === 'command' ? [resolved.command] : [];
  const begun = commands.filter((command) => namesOf(command).some((name) => name.startsWith(wanted)));
  const byName = begun.filter((command) => command.name.startsWith(wanted));
  return [...new Set([...meant, ...byName, ...begun])].map((command) => ({
    value: command.name,
    label: `/${command.name}`,
    description: [command.argumentHint, command.description].filter((part) => part !== undefined).join(' — '),
  }));
}

/** Skills and bundles whose name begins so, without those that a command of the same name hides. */
async function skillItems({ commands, completing, log }: CompletionOptions, word: string): Promise<AutocompleteItem[]> {
  const wanted = word.toLowerCase().replaceAll('_', '-');
  const taken = new Set(commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  try {
    const found = (await completing()?.session.knowledge.skills?.commands()) ?? [];
    return found
      .filter(({ name }) => name.startsWith(wanted) && !taken.has(name))
      .map(({ name, kind, description }) => ({
        value: name,
        label: `/${name}`,
        description: escapeForDisplay(`${kind} — ${description}`, { singleLine: true }),
      }));
  } catch (error) {
    log.warning('skills could not be offered', error);
    return [];
  }
}

/** Arguments of a command or a reference; undefined when neither is being typed. */
async function offersBehind(
  { commands, completing, files }: CompletionOptions,
  typed: string,
  word: string | undefined,
  args: string,
  signal: AbortSignal,
): Promise<AutocompleteSuggestions | undefined> {
  const reference = typedReference(typed);
  if (reference !== undefined) {
    const items = referenceOffers(reference, await files(signal));
    return { items, prefix: reference.raw };
  }
  const resolved =
    word === undefined ? undefined : resolveCommand(`/${word}`, commands, { isExistingPath: () => false });
  const context = completing();
  if (resolved?.kind !== 'command' || !resolved.exact || context === undefined) return undefined;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(offerMs)]);
  const { command } = resolved;
  if (command.values === undefined && command.complete === undefined) return undefined;
  const offers = await offersFor(command, context, args, limit);
  return {
    items: offers.map(({ value, description }) => ({
      value,
      label: value,
      ...(description === undefined ? {} : { description }),
    })),
    prefix: args,
  };
}

function suggestions(items: AutocompleteItem[], prefix: string): AutocompleteSuggestions | null {
  return items.length === 0 ? null : { items, prefix };
}

/** What wants something behind it, and a folder, are left open for more; anything else gets a space. */
function withReference(
  lines: readonly string[],
  cursorLine: number,
  cursorCol: number,
  value: string,
  prefix: string,
): { lines: string[]; cursorLine: number; cursorCol: number } {
  const line = lines[cursorLine] ?? '';
  const before = `${line.slice(0, cursorCol - prefix.length)}${value}${/[:/]$/.test(value) ? '' : ' '}`;
  const behind = line.slice(cursorCol);
  const unquoted = /["'`]$/.test(value) && behind.startsWith(value.slice(-1)) ? behind.slice(1) : behind;
  const after = before.endsWith(' ') && unquoted.startsWith(' ') ? unquoted.slice(1) : unquoted;
  return { lines: lines.with(cursorLine, before + after), cursorLine, cursorCol: before.length };
}
