/** Command text without what only disguises it. */

const ansi =
  /[\u001b\u009b](?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)?|[PX^_][^\u001b]{0,4096}\u001b\\|[@-Z\\-_]|[0-?]*[ -/]*[@-~])/g;
const invisible = /[\u0000\p{Cf}\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const reordering = /[\u202a-\u202e\u2066-\u2069\u001b\u009b\u0000]/;

/** The text without ANSI sequences, NUL and invisible characters, in the compatibility form of Unicode (`ｒｍ` → `rm`). */
export function plainCommandText(command: string): string {
  return command.replace(ansi, '').replace(invisible, '').normalize('NFKC');
}

/** True for characters with which the text looks different from what would run. */
export function hasDeceptiveCharacters(command: string): boolean {
  return reordering.test(command);
}
