/** Writes the parts of a build in ASCII. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const other = /[^\0-\x7f]/g;

/**
 * A text with other letters takes two bytes for each of its letters, which is twice as much to read, to compare with the
 * cache of compiled code and to hold: a thirtieth of a start. Throws where a letter cannot be written in another way.
 */
export function writeAscii(dir: string): void {
  for (const name of globSync(['*.js', '*.mjs'], { cwd: dir })) {
    const code = readFileSync(join(dir, name), 'utf8');
    const [literal] = /\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f]/.exec(code) ?? [];
    if (literal !== undefined) throw new Error(`${name}: this cannot be written in ASCII: ${literal}`);
    const ascii = code.replaceAll(other, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    if (ascii !== code) writeFileSync(join(dir, name), ascii);
  }
}
