/** Reads a shell script into the program calls it would make, wherever they hide: pipes, substitutions, `bash -c` … */
import {
  forEachChild,
  parse,
  type AndOr,
  type Assignment,
  type Command,
  type Function as FunctionNode,
  type Pipeline,
  type Redirection as RedirectionNode,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { expandWord, type Field, type Scope, UNKNOWN } from './fields.ts';
import { isForkBomb } from './fork-bomb.ts';
import { hiddenEffect } from './hidden-effects.ts';
import { findExecutions, nestedScripts } from './nested.ts';
import { resolvePath } from './paths.ts';
import { hereText, pipedText, printedBy } from './printed-text.ts';
import { hasLong, hasShort, type Redirection, type SimpleCommand } from './simple-command.ts';
import { isWrapper, unwrap, type Unwrapped } from './wrappers.ts';

/** Scripts within scripts beyond this depth are not looked into. */
const maxDepth = 6;
/** A bound on the work for one command text; nobody can check more than this by eye either. */
const maxCommands = 2_000;
/** `sudo env nice …`: longer chains have no honest use. */
const maxStarters = 12;
/** Longer values are not followed; they could double with every assignment. */
const maxValueChars = 4_096;

export interface ScriptFacts {
  readonly commands: readonly SimpleCommand[];
  /** Why the text cannot be read as it stands; what could be read is in `commands`. */
  readonly unread: readonly string[];
  /** Which bound kept the rest of it from being read. */
  readonly unchecked: readonly string[];
  readonly forkBomb: boolean;
  /** What in it may do more than the commands say: functions, values that are evaluated. */
  readonly hidden: readonly string[];
  /** True when a `sudo` reads its password from standard input. */
  readonly feedsSudo: boolean;
}

export interface StartPlace {
  readonly userHome: string;
  readonly homePath: string;
  readonly cwd?: string;
}

/** What was read last: one command is asked about by the rules, its origin and the foreground, one after another. */
const lastRead = new Map<string, ScriptFacts>();
const maxLastRead = 4;

/** Never throws; whatever cannot be read is named in `unread`. */
export function readScript(text: string, place: StartPlace): ScriptFacts {
  const key = JSON.stringify([text, place.userHome, place.homePath, place.cwd]);
  const known = lastRead.get(key);
  if (known !== undefined) return known;
  const facts = readAnew(text, place);
  if (lastRead.size >= maxLastRead) lastRead.clear();
  lastRead.set(key, facts);
  return facts;
}

function readAnew(text: string, place: StartPlace): ScriptFacts {
  const reader = new ScriptReader(place);
  try {
    reader.readText(text, { cwd: place.cwd, hasPositionals: false }, reader.topLevel);
  } catch (error) {
    // The depth of recursion is bounded by the parser; what is left is a text nobody wrote by hand.
    if (!(error instanceof RangeError)) throw error;
    reader.unchecked.add('the command is nested too deeply to be checked');
  }
  return {
    commands: reader.commands,
    unread: [...reader.unread],
    unchecked: [...reader.unchecked],
    forkBomb: reader.forkBomb,
    hidden: [...reader.hidden],
    feedsSudo: reader.feedsSudo,
  };
}

/** A shell process: a subshell gets a copy. */
interface Shell {
  cwd: string | undefined;
  /** It may never have gone there: `cd nowhere; rm ../x` removes beside where it began. */
  mayBeElsewhere?: boolean;
  readonly hasPositionals: boolean;
}

/** What stands around a piece of the script. */
interface Around {
  readonly depth: number;
  readonly background: boolean;
  readonly via: readonly string[];
  readonly pipedFrom: readonly SimpleCommand[];
  readonly stdin: string | undefined;
  /** The text that node positions count in. */
  readonly source: string;
}

/** One call of a program as it is written. */
interface ProgramCall {
  readonly fields: readonly Field[];
  readonly assignments: readonly string[];
  readonly redirections: readonly Redirection[];
  readonly source: string;
}

class ScriptReader {
  readonly commands: SimpleCommand[] = [];
  readonly unread = new Set<string>();
  readonly unchecked = new Set<string>();
  readonly hidden = new Set<string>();
  forkBomb = false;
  feedsSudo = false;
  readonly topLevel: Around = { depth: 0, background: false, via: [], pipedFrom: [], stdin: undefined, source: '' };
  readonly #place: StartPlace;
  readonly #variables = new Map<string, string[]>();

  constructor(place: StartPlace) {
    this.#place = place;
  }

  readText(text: string, shell: Shell, around: Around): void {
    if (around.depth > maxDepth) {
      this.unchecked.add('the command is nested too deeply to be checked');
      return;
    }
    this.#visit(parse(text), shell, { ...around, source: text });
  }

  #visit(node: SyntaxNode, shell: Shell, around: Around): void {
    if (this.commands.length >= maxCommands) {
      this.unchecked.add('the command is too long to be checked');
      return;
    }
    const hidden = hiddenEffect(node);
    if (hidden !== undefined) this.hidden.add(hidden);
    switch (node.type) {
      case 'Script':
        if ((node.errors ?? []).length > 0) this.unread.add('command cannot be parsed as shell text');
        this.#visitChildren(node, shell, { ...around, source: node.source ?? around.source });
        return;
      case 'Statement':
        noteMove(shell, () =>
          this.#visitChildren(node, shell, { ...around, background: around.background || node.background === true }),
        );
        return;
      case 'AndOr':
        this.#visitAndOr(node, shell, around);
        return;
      case 'Pipeline':
        this.#visitPipeline(node, shell, around);
        return;
      case 'Subshell':
        this.#visitChildren(node, { ...shell }, around);
        return;
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (node.script === undefined) this.unread.add('command cannot be parsed as shell text');
        else this.#visit(node.script, { ...shell }, { ...around, pipedFrom: [], stdin: undefined });
        return;
      case 'Function':
        this.#visitFunction(node, shell, around);
        return;
      case 'For':
      case 'Select':
        this.#assign(
          node.name.value,
          (node.wordlist ?? []).flatMap((word) => this.#expand(word, shell)),
        );
        this.#visitChildren(node, shell, around);
        return;
      case 'Redirected':
        this.#visitChildren(node, shell, around);
        this.#add(
          {
            fields: [],
            assignments: [],
            redirections: this.#redirections(node.redirects, shell),
            source: textIn(around.source, node),
          },
          shell,
          around,
        );
        return;
      case 'Command':
        this.#visitCommand(node, shell, around);
        return;
      default:
        this.#visitChildren(node, shell, around);
    }
  }

  #visitChildren(node: SyntaxNode, shell: Shell, around: Around): void {
    forEachChild(node, (child) => this.#visit(child, shell, around));
  }

  /** Only behind `&&` it is sure that a change of directory went well. */
  #visitAndOr(node: AndOr, shell: Shell, around: Around): void {
    const before = shell.cwd;
    for (const [index, part] of node.commands.entries()) {
      if (index > 0 && node.operators[index - 1] !== '&&' && shell.cwd !== before) shell.mayBeElsewhere = true;
      this.#visit(part, shell, around);
    }
  }

  /** Every part of a pipe runs in a process of its own. */
  #visitPipeline(node: Pipeline, shell: Shell, around: Around): void {
    const first = this.commands.length;
    const before = shell.cwd;
    for (const [index, part] of node.commands.entries()) {
      const pipedFrom = index === 0 ? around.pipedFrom : this.commands.slice(first);
      const stdin = index === 0 ? around.stdin : pipedText(pipedFrom);
      this.#visit(part, node.commands.length === 1 ? shell : { ...shell }, { ...around, pipedFrom, stdin });
    }
    // What follows `! cd x &&` runs when it went wrong.
    if (shell.cwd !== before && node.prefixes.some(({ type }) => type === 'Negation')) shell.mayBeElsewhere = true;
  }

  #visitFunction(node: FunctionNode, shell: Shell, around: Around): void {
    const first = this.commands.length;
    this.#visit(node.body, { ...shell, hasPositionals: true }, around);
    if (isForkBomb(node.name.value, this.commands.slice(first))) this.forkBomb = true;
  }

  #visitCommand(node: Command, shell: Shell, around: Around): void {
    this.#visitChildren(node, shell, { ...around, pipedFrom: [], stdin: undefined });
    const prefix = node.prefix.filter((part) => part.type === 'Assignment');
    const assignments = prefix.flatMap((part) => this.#readAssignment(part, shell));
    const words = [...(node.name === undefined ? [] : [node.name]), ...node.args];
    const fields = words.flatMap((word) => this.#fieldsOf(word, shell));
    const declared = node.args.flatMap((part) => (part.type === 'Assignment' ? this.#readAssignment(part, shell) : []));
    if (node.name === undefined || declared.length > 0) this.#keep([...assignments, ...declared]);
    const redirections = this.#redirections(node.redirects, shell);
    const stdin = hereText(node.redirects, (word) => this.#expand(word, shell).join(' ')) ?? around.stdin;
    const source = textIn(around.source, node);
    const call = { fields, assignments: [...assignments, ...declared].map(asText), redirections, source };
    this.#add(call, shell, { ...around, stdin });
  }

  /** Records the program call, and reads on in whatever it runs in turn. */
  #add(call: ProgramCall, shell: Shell, around: Around): void {
    const { fields, assignments, redirections, source } = call;
    if (around.via.length > maxStarters) {
      this.unchecked.add('the command is nested too deeply to be checked');
      return;
    }
    const [first, ...args] = fields;
    const command: SimpleCommand = {
      ...nameOf(first),
      args,
      assignments,
      redirections,
      via: around.via,
      pipedFrom: around.pipedFrom,
      stdin: around.stdin,
      background: around.background,
      cwd: shell.cwd,
      source,
    };
    if (first === undefined && assignments.length === 0 && redirections.length === 0) return;
    if (shell.mayBeElsewhere === true) this.hidden.add('a directory that may not have been entered');
    const inner = isWrapper(command.name) ? unwrap(command.name, args) : undefined;
    if (command.name === 'sudo' && readsPassword(args, inner)) this.feedsSudo = true;
    const via = [...around.via, command.name];
    if (inner?.kind === 'program') {
      // The wrapper itself does nothing but start the program; its redirections are the program's.
      const passed = command.name === 'xargs' ? [...inner.fields, ...argumentsFromInput(around.stdin)] : inner.fields;
      const started = { ...call, fields: passed, assignments: [...assignments, ...inner.assignments] };
      this.#add(started, shell, { ...around, via });
    } else {
      this.commands.push(
        inner === undefined ? command : { ...command, assignments: [...assignments, ...inner.assignments] },
      );
    }
    const deeper: Around = { ...around, depth: around.depth + 1, via, pipedFrom: [], stdin: undefined };
    // A wrapper without a program (`sudo -s <<EOF`) reads commands itself; otherwise its input is the program's.
    const scripts = nestedScripts(inner?.kind === 'program' ? { ...command, stdin: undefined } : command);
    for (const text of scripts) {
      this.readText(text, { cwd: shell.cwd, hasPositionals: true }, deeper);
    }
    if (command.name === 'find') {
      for (const program of findExecutions(command)) {
        this.#add({ fields: program.map(asField), assignments: [], redirections: [], source }, { ...shell }, deeper);
      }
    }
    this.#changeDirectory(command, shell);
  }

  #changeDirectory({ name, args, via }: SimpleCommand, shell: Shell): void {
    if (name !== 'cd' && name !== 'pushd') {
      if (name === 'popd') shell.cwd = undefined;
      return;
    }
    const end = args.findIndex(({ text }) => !/^-[LPe@]+$/.test(text));
    const target = (args[end]?.text === '--' ? args[end + 1] : args[end])?.text ?? this.#place.userHome;
    // `pushd` without a directory, and `+1`, go where an earlier call has been; an unknown option leads nowhere.
    const isElsewhere = /^[-+]/.test(target) || (name === 'pushd' && args.length === 0) || target.includes(UNKNOWN);
    const isChild = via.some((starter) => isWrapper(starter) && !/^(?:command|builtin|time)$/.test(starter));
    shell.cwd = isElsewhere || isChild ? undefined : resolvePath(target, shell.cwd);
  }

  #fieldsOf(word: Word | Assignment, shell: Shell): Field[] {
    if (word.type === 'Word') return expandWord(word, this.#scope(shell));
    return this.#readAssignment(word, shell).map(({ name, value }) => asField(`${name}=${value}`));
  }

  #expand(word: Word, shell: Shell): string[] {
    return expandWord(word, this.#scope(shell)).map((field) => field.text);
  }

  #readAssignment(node: Assignment, shell: Shell): { name: string; value: string }[] {
    const { name } = node;
    if (node.value.type !== 'Word' || node.index !== undefined) return [{ name, value: UNKNOWN }];
    const values = this.#expand(node.value, shell);
    if (values.length === 0) return [{ name, value: '' }];
    if (node.append === true) return [{ name, value: UNKNOWN }];
    return values.map((value) => ({ name, value }));
  }

  #keep(assignments: readonly { name: string; value: string }[]): void {
    for (const { name, value } of assignments) this.#assign(name, [value]);
  }

  #assign(name: string, values: readonly string[]): void {
    const known = this.#variables.get(name) ?? [];
    const kept = values.map((value) => (value.length > maxValueChars ? UNKNOWN : value));
    this.#variables.set(name, [...new Set([...known, ...(kept.length === 0 ? [UNKNOWN] : kept)])].slice(0, 16));
  }

  #redirections(nodes: readonly RedirectionNode[], shell: Shell): Redirection[] {
    return nodes.flatMap((node) => {
      if (node.type !== 'Redirect' || node.target === undefined) return [];
      return this.#expand(node.target, shell).map((target) => ({ operator: node.operator, target }));
    });
  }

  #scope(shell: Shell): Scope {
    return {
      userHome: this.#place.userHome,
      homePath: this.#place.homePath,
      cwd: shell.cwd,
      variables: this.#variables,
      hasPositionals: shell.hasPositionals,
      staticOutput: (part) => this.#staticOutput(part, shell),
    };
  }

  /** `$(echo rm)` is `rm`. */
  #staticOutput(part: WordPart, shell: Shell): string | undefined {
    if ((part.type !== 'CommandExpansion' && part.type !== 'ProcessSubstitution') || part.script?.commands.length !== 1)
      return undefined;
    const command = part.script.commands[0]?.command;
    if (command?.type !== 'Command' || command.name === undefined || command.redirects.length > 0) return undefined;
    const name = this.#expand(command.name, shell).join(' ');
    const args = command.args.flatMap((word) => this.#fieldsOf(word, shell));
    return printedBy(
      name,
      args.map((field) => field.text),
    )?.replace(/\n+$/, '');
  }
}

/** `sudo -S`: a password that whoever wrote the text has put into it, or guesses. */
function readsPassword(args: readonly Field[], inner: Unwrapped | undefined): boolean {
  const started = inner?.kind === 'program' ? inner.fields.length : 0;
  const own = { args: args.slice(0, args.length - started) };
  return hasShort(own, 'S') || hasLong(own, 'stdin');
}

function nameOf(field: Field | undefined): Pick<SimpleCommand, 'name' | 'path' | 'unknownName'> {
  if (field === undefined) return { name: '', path: '', unknownName: false };
  // The directory may be unknown as long as the program's own name is not.
  const base = field.text.slice(field.text.lastIndexOf('/') + 1).toLowerCase();
  const unknown = field.splits || field.globs || field.computed || base.includes(UNKNOWN) || base === '';
  return { name: base.replaceAll(UNKNOWN, ''), path: field.text, unknownName: unknown };
}

function argumentsFromInput(stdin: string | undefined): Field[] {
  if (stdin === undefined) return [{ text: UNKNOWN, splits: true, globs: false, computed: true }];
  return stdin
    .split(/\s+/)
    .filter((text) => text !== '')
    .map(asField);
}

function asField(text: string): Field {
  return { text, splits: false, globs: false, computed: false };
}

function asText({ name, value }: { name: string; value: string }): string {
  return `${name}=${value}`;
}

function textIn(source: string, node: { pos: number; end: number }): string {
  return source.slice(node.pos, node.end);
}

/** Notes when a part of the script has changed the directory, but only if that went well. */
function noteMove(shell: Shell, visit: () => void): void {
  const before = shell.cwd;
  visit();
  if (shell.cwd !== before) shell.mayBeElsewhere = true;
}
