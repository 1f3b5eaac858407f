/** Reads a program's arguments by a short description of its options. */
import { type Field, UNKNOWN } from '../commands/fields.ts';

/** What an option does to the judgement of the call. */
export type OptionEffect =
  | { readonly kind: 'plain' }
  /** Its value is a file or folder that is written. */
  | { readonly kind: 'writes' }
  /** The operands are changed instead of read. */
  | { readonly kind: 'edits' }
  /** Its value is an address or host that is talked to. */
  | { readonly kind: 'contacts' }
  /** Its value, or what the file of that name holds, is sent. */
  | { readonly kind: 'sends' }
  | { readonly kind: 'asks'; readonly key: string };

export interface Option {
  readonly name: string;
  readonly value: 'none' | 'required' | 'attached';
  readonly effect: OptionEffect;
}

/** `words`: an option is one word behind one or two dashes (`-auto-approve`), as Go programs have it. */
export type OptionStyle = 'gnu' | 'words';

export class OptionTable {
  readonly #options = new Map<string, Option>();
  readonly #parent: OptionTable | undefined;
  readonly style: OptionStyle;

  constructor(style: OptionStyle, parent?: OptionTable) {
    this.style = style;
    this.#parent = parent;
  }

  /**
   * Adds options of one effect. `-abc` are three short ones, `-o=` takes a value, `-i?` one that is written right behind
   * it; `--all`, `--key=` and `--color?` likewise. In style `words` every word is one option.
   */
  add(effect: OptionEffect, spec: string | undefined): void {
    for (const word of (spec ?? '').split(/\s+/)) {
      if (word === '') continue;
      const value = word.endsWith('=') ? 'required' : word.endsWith('?') ? 'attached' : 'none';
      const bare = value === 'none' ? word : word.slice(0, -1);
      for (const name of this.#namesIn(bare)) this.#options.set(name, { name, value, effect });
    }
  }

  get(name: string): Option | undefined {
    return this.#options.get(name) ?? this.#parent?.get(name);
  }

  /** Finding keys of the options that ask, and can be meant by an abbreviation. */
  askedBy(start: string): readonly string[] {
    return [...this.all()].flatMap(({ name, effect }) =>
      effect.kind === 'asks' && name.startsWith(start) ? [effect.key] : [],
    );
  }

  *all(): Iterable<Option> {
    yield* this.#options.values();
    if (this.#parent !== undefined) yield* this.#parent.all();
  }

  #namesIn(word: string): string[] {
    if (this.style === 'words') return [`-${word.replace(/^-+/, '')}`];
    if (word.startsWith('--')) return [word];
    return word
      .slice(1)
      .split('')
      .map((letter) => `-${letter}`);
  }
}

export interface GivenOption {
  readonly option: Option;
  readonly value: string | undefined;
}

export interface Arguments {
  readonly given: readonly GivenOption[];
  readonly operands: readonly Field[];
  /** Where the first operand stands among the arguments; -1 without one. */
  readonly firstOperand: number;
  /** There is an option that the table does not have. */
  readonly strange: boolean;
  /** A word that the shell makes while it runs may be an option: `$x`, or `*` where a file is called `-o`. */
  readonly mayHoldOptions: boolean;
  /** Keys of what an option asks about. */
  readonly asks: readonly string[];
}

/**
 * `afterOperand`: what follows the first operand may hold `options` as GNU programs have it, is `operands` only, or
 * belongs to a `command`.
 */
export function readArguments(
  args: readonly Field[],
  table: OptionTable,
  afterOperand: 'options' | 'operands' | 'command' = 'options',
): Arguments {
  const reader = new ArgumentReader(args, table);
  reader.read(afterOperand);
  return reader;
}

/** True for a word that may become an option, or several words, when the shell expands it. */
function mayBeOption({ text, splits, globs, computed, inner }: Field): boolean {
  // The name of a branch is one word and begins with no dash.
  if (inner !== undefined && text === UNKNOWN && branchName.test(inner)) return false;
  return splits || text.startsWith(UNKNOWN) || ((globs || computed) && /^[*?[+@!(]/.test(text));
}

const branchName =
  /^\$\(\s*git (?:branch --show-current|rev-parse --abbrev-ref HEAD|symbolic-ref --short HEAD|rev-parse (?:--short )?HEAD)\s*\)$/;

class ArgumentReader implements Arguments {
  readonly given: GivenOption[] = [];
  readonly operands: Field[] = [];
  readonly asks: string[] = [];
  firstOperand = -1;
  strange = false;
  mayHoldOptions = false;
  readonly #args: readonly Field[];
  readonly #table: OptionTable;
  #at = 0;

  constructor(args: readonly Field[], table: OptionTable) {
    this.#args = args;
    this.#table = table;
  }

  read(afterOperand: 'options' | 'operands' | 'command'): void {
    let ended = false;
    for (; this.#at < this.#args.length; this.#at++) {
      const field = this.#args[this.#at];
      if (field === undefined) return;
      const { text } = field;
      if (!ended && text === '--') {
        ended = true;
      } else if (ended || !text.startsWith('-') || text === '-') {
        if (!ended && mayBeOption(field)) this.mayHoldOptions = true;
        if (this.firstOperand === -1) this.firstOperand = this.#at;
        this.operands.push(field);
        if (afterOperand === 'command') return;
        if (afterOperand === 'operands') ended = true;
      } else if (text.startsWith('--') || this.#table.style === 'words') {
        this.#long(field);
      } else {
        this.#cluster(field);
      }
    }
  }

  #long(field: Field): void {
    if (field.splits) this.mayHoldOptions = true;
    const equals = field.text.indexOf('=');
    const written = equals === -1 ? field.text : field.text.slice(0, equals);
    const name = this.#table.style === 'words' ? `-${written.replace(/^-+/, '')}` : written;
    const attached = equals === -1 ? undefined : field.text.slice(equals + 1);
    const option = this.#table.get(name);
    if (option === undefined) {
      this.#unknown(name);
    } else if (option.value === 'none' && attached !== undefined) {
      this.strange = true;
      // Go programs take `-force=true`.
      if (option.effect.kind === 'asks' && attached !== 'false') this.asks.push(option.effect.key);
    } else {
      this.#take(option, option.value === 'required' ? (attached ?? this.#next()) : attached);
    }
  }

  #cluster(field: Field): void {
    if (field.splits) this.mayHoldOptions = true;
    const letters = field.text.slice(1);
    for (let index = 0; index < letters.length; index++) {
      const option = this.#table.get(`-${letters[index]}`);
      const rest = letters.slice(index + 1);
      if (option === undefined) {
        this.strange = true;
        // The rest may be its value or more options.
        for (const letter of rest) this.#unknown(`-${letter}`);
        return;
      }
      if (option.value !== 'none') {
        this.#take(option, rest !== '' ? rest : option.value === 'required' ? this.#next() : undefined);
        return;
      }
      this.#take(option, undefined);
    }
  }

  #take(option: Option, value: string | undefined): void {
    this.given.push({ option, value });
    if (option.effect.kind === 'asks') this.asks.push(option.effect.key);
    if (option.value === 'required' && value === undefined) this.strange = true;
  }

  #unknown(name: string): void {
    this.strange = true;
    const isShort = this.#table.style === 'gnu' && !name.startsWith('--');
    if (isShort || name.length > 3) {
      this.asks.push(...this.#table.askedBy(name));
    }
  }

  #next(): string | undefined {
    this.#at += 1;
    const field = this.#args[this.#at];
    if (field !== undefined && (field.splits || (field.globs && /^[*?[]/.test(field.text)))) this.mayHoldOptions = true;
    return field?.text;
  }
}
