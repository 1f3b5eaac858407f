/** What the words of a command become when the shell expands them, as far as the text alone tells. */
import { parse, type DoubleQuotedChild, type ParameterExpansionPart, type Word, type WordPart } from 'unbash';
import { expandBraces } from './braces.ts';

/** Stands in a field for text that only the running shell knows. */
export const UNKNOWN = '\ue000';
/** Divides fields while a word is being put together; no command text contains it afterwards. */
const SPLIT = '\ue001';
const maxAlternatives = 16;
/** What follows is not looked at: neither a program's name nor an option is that long. */
const maxFieldChars = 50_000;

export interface Field {
  readonly text: string;
  /** True when an unquoted unknown part may become several words, options among them. */
  readonly splits: boolean;
  /** True when file names are matched against it. */
  readonly globs: boolean;
  /** True when a variable or a substitution decides what it is, apart from the directory in front of a name. */
  readonly computed: boolean;
  /** For `<(…)` and `$(…)`: the command inside, as written. */
  readonly inner?: string;
  /** For `<(…)`: what that command prints, when that is known. */
  readonly printed?: string;
}

/** What is known about the shell at one point of the script. */
export interface Scope {
  readonly userHome: string;
  readonly homePath: string;
  cwd: string | undefined;
  /** Values that each variable was given so far. */
  readonly variables: ReadonlyMap<string, readonly string[]>;
  /** True where `$1` and `$@` may hold something: in functions and `-c` scripts. */
  readonly hasPositionals: boolean;
  /** The output of a substituted command, when it only prints known text. */
  staticOutput(script: WordPart): string | undefined;
}

/** All fields of a word. Several possible values of a variable give one field each. */
export function expandWord(word: Word, scope: Scope): Field[] {
  const written = expandBraces(word.text);
  if (written === undefined) return [unknownField];
  if (written.length === 1 && written[0] === word.text) return expandPlain(word, scope);
  return written.flatMap((text) => {
    const command = parse(`: ${text}`).commands[0]?.command;
    if (command?.type !== 'Command') return [unknownField];
    return command.args.flatMap((part) => (part.type === 'Word' ? expandPlain(part, scope) : [unknownField]));
  });
}

const unknownField: Field = { text: UNKNOWN, splits: true, globs: false, computed: true };

interface Draft {
  readonly text: string;
  readonly splits: boolean;
}

function expandPlain(word: Word, scope: Scope): Field[] {
  const parts: readonly WordPart[] = word.parts ?? [
    { type: 'Literal', pos: word.pos, end: word.end, value: word.value, text: word.text },
  ];
  let drafts: Draft[] = [{ text: '', splits: false }];
  let globs = false;
  let quoted = false;
  for (const [index, part] of parts.entries()) {
    if (part.type === 'Glob' || part.type === 'ExtendedGlob') globs = true;
    if (part.type.includes('Quoted')) quoted = true;
    drafts = append(drafts, valuesOf(part, index === 0, false, scope), isExpansion(part));
  }
  const computed = isComputed(parts);
  const inner = parts.map(innerText).find((text) => text !== undefined);
  const [only] = parts;
  const printed = only?.type === 'ProcessSubstitution' ? scope.staticOutput(only) : undefined;
  return drafts.flatMap((draft) => {
    const texts = draft.text.split(SPLIT).filter((text) => text !== '' || (quoted && !draft.text.includes(SPLIT)));
    return texts.map((text) => ({
      text,
      splits: draft.splits && text.includes(UNKNOWN),
      globs,
      computed,
      ...(printed === undefined ? {} : { printed }),
      ...(inner === undefined ? {} : { inner }),
    }));
  });
}

function append(drafts: readonly Draft[], values: readonly string[], splits: boolean): Draft[] {
  return drafts
    .flatMap((draft) =>
      values.map((value) => ({
        text: draft.text.length > maxFieldChars ? draft.text : draft.text + value,
        splits: draft.splits || (splits && value.includes(UNKNOWN)),
      })),
    )
    .slice(0, maxAlternatives);
}

/** True unless what follows the last expansion is a name of its own: `"$VENV/bin/python"` is some `python`. */
function isComputed(parts: readonly WordPart[]): boolean {
  const flat = parts.flatMap((part) =>
    part.type === 'DoubleQuoted' || part.type === 'LocaleString'
      ? part.parts.map((child) => ({ part: child, quoted: true }))
      : [{ part, quoted: false }],
  );
  const last = flat.findLastIndex((entry) => isExpansion(entry.part));
  if (last === -1) return false;
  const ownDirectory = /^\$\{?(?:HOME|PWD|HERMES_HOME)\}?$/;
  if (flat.some((entry) => isExpansion(entry.part) && !entry.quoted && !ownDirectory.test(entry.part.text))) {
    return true;
  }
  const tail = flat.slice(last + 1).map((entry) => ('value' in entry.part ? entry.part.value : entry.part.text));
  return !tail.join('').includes('/');
}

function isExpansion(part: WordPart): boolean {
  return part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion' || part.type === 'CommandExpansion';
}

function innerText(part: WordPart): string | undefined {
  if (part.type === 'CommandExpansion' || part.type === 'ProcessSubstitution') return part.text;
  if (part.type === 'DoubleQuoted') return part.parts.map(innerText).find((text) => text !== undefined);
  return undefined;
}

/** Possible values of one part; unquoted blanks in a value divide fields. */
function valuesOf(part: WordPart | DoubleQuotedChild, first: boolean, quoted: boolean, scope: Scope): string[] {
  switch (part.type) {
    case 'Literal':
      return [first && !quoted && /^(?:\w+=)?~/.test(part.text) ? expandTilde(part.value, scope) : part.value];
    case 'Glob':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value];
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return [part.text];
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.reduce<string[]>(
        (values, child) =>
          values
            .flatMap((value) =>
              valuesOf(child, false, true, scope).map((next) => (value.length > maxFieldChars ? value : value + next)),
            )
            .slice(0, maxAlternatives),
        [''],
      );
    case 'SimpleExpansion':
      return variable(part.text.slice(1), scope).map((value) => asFields(value, quoted, scope));
    case 'ParameterExpansion':
      return parameter(part, scope).map((value) => asFields(value, quoted, scope));
    case 'CommandExpansion':
      return [asFields(scope.staticOutput(part) ?? UNKNOWN, quoted, scope)];
    case 'ProcessSubstitution':
      return [`/dev/fd/${UNKNOWN}`];
    case 'ArithmeticExpansion':
      return [UNKNOWN];
  }
}

function asFields(value: string, quoted: boolean, scope: Scope): string {
  if (quoted) return value;
  // With other separators the value may fall apart anywhere.
  if (scope.variables.has('IFS') && value.trim() !== '') return UNKNOWN;
  return value.replace(/[ \t\n]+/g, SPLIT);
}

/** Values of a variable; special ones, unset ones and unassigned ones are unknown. */
function variable(name: string, scope: Scope): readonly string[] {
  const assigned = scope.variables.get(name);
  if (name === 'HOME') return [...(assigned ?? []), scope.userHome];
  if (name === 'HERMES_HOME') return [...(assigned ?? []), scope.homePath];
  if (name === 'IFS') return [...(assigned ?? []), ' '];
  if (assigned !== undefined) return assigned;
  if (name === 'PWD' && scope.cwd !== undefined) return [scope.cwd];
  if (/^(?:[1-9]\d*|[@*])$/.test(name) && !scope.hasPositionals) return [''];
  return [UNKNOWN];
}

function parameter(part: ParameterExpansionPart, scope: Scope): readonly string[] {
  if (part.prefix !== undefined || part.index !== undefined) return [UNKNOWN];
  const values = variable(part.parameter, scope);
  const { operation } = part;
  if (operation === undefined) return values;
  if (operation.type === 'Default') {
    return [...values, ...expandWord(operation.operand, scope).map((field) => field.text)];
  }
  if (operation.type === 'Slice') {
    const from = Number(operation.offset.value);
    const length = operation.length === undefined ? undefined : Number(operation.length.value);
    const whole = Number.isInteger(from) && from >= 0 && (length === undefined || length >= 0);
    if (!whole || values.some((value) => value.includes(UNKNOWN))) return [UNKNOWN];
    return values.map((value) => value.slice(from, length === undefined ? undefined : from + length));
  }
  return [UNKNOWN];
}

function expandTilde(text: string, scope: Scope): string {
  const [user = '', ...rest] = text.split('/');
  const tail = rest.length === 0 ? '' : `/${rest.join('/')}`;
  if (user === '~') return scope.userHome + tail;
  if (user === '~+') return (scope.cwd ?? UNKNOWN) + tail;
  // The home of somebody is for the running shell to know.
  if (user === '~-' || /^~[\w.-]/.test(user)) return UNKNOWN + tail;
  // bash expands it in words that look like assignments, too (`of=~/x`).
  return text
    .replace(/^([A-Za-z_]\w*=)~(?=\/|$)/, (_all, name: string) => name + scope.userHome)
    .replace(/^([A-Za-z_]\w*=)~[\w.+-]+(?=\/|$)/, (_all, name: string) => name + UNKNOWN);
}
