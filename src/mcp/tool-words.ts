/** What a tool of a server says of itself: as it is looked through for orders, and as a person reads it who is asked. */
import { escapeForDisplay } from '../safety/display.ts';
import type { ServerTool } from './server-tool.ts';

type Described = Pick<ServerTool, 'description' | 'schema'>;

const maxShownChars = 600;

/** All of it: what stands in a schema reaches the model as the description does. */
export function allWords({ description, schema }: Described): string {
  return `${description}\n${JSON.stringify(schema)}`;
}

/** One line. Of long words the beginning and the end, and how much is missing: orders may stand behind a page of politeness. */
export function shownWords({ description, schema }: Described): string {
  const { properties = {}, ...rest } = schema;
  const takesNothing = JSON.stringify([properties, rest]) === '[{},{"type":"object"}]';
  return takesNothing ? shown(description) : `${shown(description)}; its parameters: ${shown(JSON.stringify(schema))}`;
}

function shown(text: string): string {
  const half = maxShownChars / 2;
  const left = (text.length - maxShownChars).toLocaleString('en-US');
  const cut =
    text.length <= maxShownChars
      ? text
      : `${text.slice(0, half).toWellFormed()} [${left} characters are not shown] ${text.slice(-half).toWellFormed()}`;
  return escapeForDisplay(cut, { singleLine: true });
}
