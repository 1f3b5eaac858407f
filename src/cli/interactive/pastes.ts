/** Long pastes: kept in files, shown as one line in the input box, sent whole. */
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';

/** Shorter pastes are inserted as they are. */
const minLines = 6;
const marker = /\[Pasted text #\d+: \d+ lines → ([^\]\n]+)\]/g;
const fileName = /^paste_\d+_\d{6}\.txt$/;

export interface Pastes {
  /** What to insert instead of the text, such as `[Pasted text #1: 50 lines → path]`; `undefined` for the text itself. */
  collapse(text: string): string | undefined;
  /** The text with the pastes in place of what `collapse` returned, here or in an earlier run. */
  expand(text: string): string;
}

/** Pastes of a home's `pastes` directory; `show` makes a path readable. A directory that cannot be written collapses nothing. */
export function openPastes(directory: string, show: (path: string) => string): Pastes {
  let count = 0;
  return {
    collapse(text) {
      const lines = text.split('\n').length;
      if (lines < minLines) return undefined;
      const time = new Date().toTimeString().slice(0, 8).replaceAll(':', '');
      const path = join(directory, `paste_${count + 1}_${time}.txt`);
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        writeFileAtomic(path, text);
      } catch {
        return undefined;
      }
      count += 1;
      return `[Pasted text #${count}: ${lines} lines → ${show(path)}]`;
    },
    expand: (text) => text.replace(marker, (whole, path: string) => readPaste(directory, path) ?? whole),
  };
}

/** Only files of the directory are read, whatever path a marker names. */
function readPaste(directory: string, path: string): string | undefined {
  const name = basename(path);
  if (!fileName.test(name)) return undefined;
  try {
    return readFileSync(join(directory, name), 'utf8');
  } catch {
    return undefined;
  }
}
