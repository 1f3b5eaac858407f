/** What the input box offers while something is typed: commands, their values, files. */
import { type AutocompleteItem, type AutocompleteProvider, CombinedAutocompleteProvider } from '@earendil-works/pi-tui';
import type { SlashCommand } from '../../commands/command.ts';

/** Offers commands in the order in which the typed word would be resolved, so that Enter never picks another one. */
export function createCompletion(commands: readonly SlashCommand[], cwd: string): AutocompleteProvider {
  const rest = new CombinedAutocompleteProvider(commands.map(withValues), cwd);
  return {
    async getSuggestions(lines, cursorLine, cursorCol, options) {
      const typed = (lines[cursorLine] ?? '').slice(0, cursorCol);
      const word = cursorLine === 0 && options.force !== true ? /^\/(\S*)$/.exec(typed)?.[1] : undefined;
      if (word === undefined) return await rest.getSuggestions(lines, cursorLine, cursorCol, options);
      const items = commandItems(commands, word);
      return items.length === 0 ? null : { items, prefix: typed };
    },
    applyCompletion: (...args) => rest.applyCompletion(...args),
    shouldTriggerFileCompletion: (...args) => rest.shouldTriggerFileCompletion(...args),
  };
}

/** Commands that the word may begin; the one it names exactly comes first. */
export function commandItems(commands: readonly SlashCommand[], word: string): AutocompleteItem[] {
  const wanted = word.toLowerCase().replaceAll('_', '-');
  const namesOf = (command: SlashCommand): string[] => [command.name, ...(command.aliases ?? [])];
  const exact = commands.filter((command) => namesOf(command).includes(wanted));
  const begun = commands.filter((command) => namesOf(command).some((name) => name.startsWith(wanted)));
  // A prefix of a name wins over a prefix of an alias, as when it is resolved.
  const byName = begun.filter((command) => command.name.startsWith(wanted));
  return [...new Set([...exact, ...byName, ...begun])].map((command) => ({
    value: command.name,
    label: `/${command.name}`,
    description: [command.argumentHint, command.description].filter((part) => part !== undefined).join(' — '),
  }));
}

function withValues(command: SlashCommand) {
  return {
    name: command.name,
    description: command.description,
    // Nothing is offered before a letter is typed, nor for a whole value: Enter has to send the line then.
    getArgumentCompletions: (prefix: string) =>
      (command.values ?? [])
        .filter((value) => prefix !== '' && value !== prefix && value.startsWith(prefix))
        .map((value) => ({ value, label: value })),
  };
}
