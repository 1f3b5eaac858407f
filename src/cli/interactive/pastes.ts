/** Long pastes: kept in files, shown as one line in the input box, sent whole. */
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { counted } from '../../lib/counted.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { type Log, noLog } from '../../lib/log.ts';

/** From so many on a paste is collapsed; 0 = however many there are. */
export interface PasteLimits {
  /** `paste_collapse_threshold` */
  readonly lineBreaks: number;
  /** `paste_collapse_threshold_fallback`: where it is only guessed that a text was pasted. */
  readonly guessedLineBreaks: number;
  /** `paste_collapse_char_threshold` */
  readonly characters: number;
}

const usualLimits: PasteLimits = { lineBreaks: 5, guessedLineBreaks: 5, characters: 2000 };
const marker = /\[Pasted text #\d+: \d+ lines? → ([^\]\n]+)\]/g;
const fileName = /^paste_\d+_\d{6}\.txt$/;

/** Pastes of a home's `pastes` directory. When it cannot be written nothing is collapsed. */
export class Pastes {
  readonly #directory: string;
  readonly #show: (path: string) => string;
  readonly #log: Log;
  readonly #limits: PasteLimits;
  #count = 0;

  /** `show` makes a path readable. */
  constructor(directory: string, show: (path: string) => string, log: Log = noLog, limits = usualLimits) {
    this.#directory = directory;
    this.#show = show;
    this.#log = log;
    this.#limits = limits;
  }

  /** Line breaks from which what comes at once is a paste, even if nothing says so; 0 = never. */
  get guessedFrom(): number {
    return this.#limits.guessedLineBreaks;
  }

  /** What to insert instead of the text, such as `[Pasted text #1: 50 lines → path]`; `undefined` for the text itself. */
  collapse(text: string, guessed = false): string | undefined {
    const lines = text.split('\n').length;
    const { characters } = this.#limits;
    const lineBreaks = guessed ? this.#limits.guessedLineBreaks : this.#limits.lineBreaks;
    const isLong = (lineBreaks > 0 && lines > lineBreaks) || (characters > 0 && text.length >= characters);
    if (!isLong) return undefined;
    const time = new Date().toTimeString().slice(0, 8).replaceAll(':', '');
    const path = join(this.#directory, `paste_${this.#count + 1}_${time}.txt`);
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      writeFileAtomic(path, text);
    } catch (error) {
      this.#log.warning('a long paste was not kept in a file', error);
      return undefined;
    }
    this.#count += 1;
    // The break behind the last line begins no other.
    const count = text.replace(/\n$/, '').split('\n').length;
    return `[Pasted text #${this.#count}: ${counted(count, 'line')} → ${this.#show(path)}]`;
  }

  /** The text with the pastes in place of what `collapse` returned, here or in an earlier run. */
  expand(text: string): string {
    return text.replace(marker, (whole, path: string) => this.#read(path) ?? whole);
  }

  /** Only files of the directory are read, whatever path a marker names. */
  #read(path: string): string | undefined {
    const name = basename(path);
    if (!fileName.test(name)) return undefined;
    try {
      return readFileSync(join(this.#directory, name), 'utf8');
    } catch (error) {
      this.#log.warning('a long paste is sent as its mark, because its file cannot be read', error);
      return undefined;
    }
  }
}
