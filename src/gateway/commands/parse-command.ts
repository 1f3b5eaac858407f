/** Takes a slash command apart, as people type it on phones. */

export interface TypedCommand {
  /** Lower case, with `-` for `_`, without the slash and without `@bot`. */
  readonly name: string;
  readonly args: string;
}

/** Undefined for a text that is no command: a path has another slash in its first word. */
export function parseCommand(text: string): TypedCommand | undefined {
  const [, word = '', rest = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  if (word === '' || word.includes('/')) return undefined;
  const [name = ''] = word.toLowerCase().replaceAll('_', '-').split('@');
  return name === '' ? undefined : { name, args: plainDashes(rest.trim()) };
}

/** Phones turn two hyphens into one dash. */
function plainDashes(args: string): string {
  return args.replaceAll(/(^|\s)[\u2013\u2014](?=\w)/g, '$1--').replaceAll(/(^|\s)[\u2010-\u2012](?=\w)/g, '$1-');
}
