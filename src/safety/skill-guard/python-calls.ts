/**
 * What Python code calls, with imports followed: `from os import system as s; s(x)` is a call of `os.system`. Read as
 * tokens, so that comments, strings and line breaks hide nothing; nothing is run, and no Python is needed.
 */

export interface PythonCall {
  /** Counted from 1. */
  readonly line: number;
  /** The full name of what is called or read, such as `os.system`. */
  readonly call: string;
  readonly why: string;
}

interface Token {
  readonly kind: 'name' | 'string' | 'number' | 'sign' | 'end';
  readonly text: string;
  readonly line: number;
}

/** Calls that are worth a look, in the order of the file; bounded for input of any size. */
export function pythonCalls(source: string): readonly PythonCall[] {
  const tokens = tokensOf(source.slice(0, maxSource));
  const names = importedNames(tokens);
  const found: PythonCall[] = [];
  for (let at = 0; at < tokens.length && found.length < maxFound; at += 1) {
    const dotted = dottedAt(tokens, at);
    if (dotted === undefined) continue;
    const [first = '', ...rest] = dotted.names;
    const call = [names.get(first) ?? first, ...rest].join('.');
    const why = judge(call, tokens, at + dotted.length);
    if (why !== undefined) found.push({ line: tokens[at]?.line ?? 0, call, why });
    at += dotted.length - 1;
  }
  return found;
}

const maxSource = 1_000_000;
const maxFound = 200;
const maxTokens = 300_000;

/** Their second or only argument names what is meant; one that is put together while the program runs hides it. */
const byName: ReadonlySet<string> = new Set(['getattr', 'setattr', '__import__', 'importlib.import_module']);

const worthALook: readonly (readonly [RegExp, string])[] = [
  [/^(?:builtins\.)?(?:eval|exec|compile)$/, 'runs text as code'],
  [/^(?:os\.(?:system|popen|exec\w*|spawn\w*|posix_spawn\w*)|pty\.spawn|commands\.getoutput)$/, 'runs a program'],
  [
    /^subprocess\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)$|^asyncio\.create_subprocess_\w+$/,
    'runs a program',
  ],
  [/^(?:pickle|cPickle|dill|cloudpickle|marshal|shelve)\.(?:load|loads|open)$/, 'loads data that can run code'],
  [/^yaml\.(?:load|unsafe_load|full_load)$/, 'loads data that can run code'],
  [/^(?:ctypes|cffi)\.[\w.]+$/, 'reaches into native code'],
  [/^(?:socket\.(?:socket|create_connection)|http\.server\.\w+|socketserver\.\w+)$/, 'talks to the network by itself'],
  [
    /^(?:urllib\.request\.(?:urlopen|urlretrieve)|(?:requests|httpx)\.(?:get|post|put|patch|delete|request|Session|Client|AsyncClient)|aiohttp\.ClientSession)$/,
    'talks to the network',
  ],
  [
    /^(?:base64\.(?:b64|b32|b85|a85)decode|codecs\.decode|zlib\.decompress|bytes\.fromhex)$/,
    'unpacks text that cannot be read',
  ],
  [/^(?:shutil\.rmtree|os\.(?:remove|unlink|removedirs))$/, 'deletes files'],
  [/^runpy\.run_\w+$/, 'runs another file'],
  [/^sys\.(?:settrace|setprofile|addaudithook)$/, 'watches the whole program'],
];

function judge(call: string, tokens: readonly Token[], after: number): string | undefined {
  if (/^(?:__builtins__|builtins\.__dict__)(?:\.|$)/.test(call)) return 'reaches around what is written';
  if (/\.__(?:globals|subclasses|builtins|code|mro)__$/.test(call)) return 'reaches around what is written';
  if (/^os\.environ(?:$|\.(?:copy|items|values)$)/.test(call) && !['[', '.'].includes(tokens[after]?.text ?? '')) {
    return 'reads the whole environment';
  }
  if (tokens[after]?.text !== '(') return undefined;
  if (byName.has(call) && !isPlain(namingArgument(tokens, after))) return 'uses a name that is made at run time';
  return worthALook.find(([shape]) => shape.test(call))?.[1];
}

/** The tokens of the second argument of a call, or of the only one. */
function namingArgument(tokens: readonly Token[], open: number): readonly Token[] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens.slice(open, open + 200)) {
    const sign = token.kind === 'sign' ? token.text : '';
    if (/[)\]}]/.test(sign)) depth -= 1;
    if (depth === 0 && token !== tokens[open]) break;
    if (depth === 1 && sign === ',') parts.push([]);
    else if (depth > 0) parts.at(-1)?.push(token);
    if (/[([{]/.test(sign)) depth += 1;
  }
  return parts[1] ?? parts[0] ?? [];
}

function isPlain(argument: readonly Token[]): boolean {
  const [only, more] = argument;
  return more === undefined && only?.kind === 'string' && !/^[a-z]*f/i.test(only.text);
}

/** What a name of the file stands for: `s` for `os.system` after `from os import system as s`. */
function importedNames(tokens: readonly Token[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (let at = 0; at < tokens.length; at += 1) {
    if (!isStatementStart(tokens, at)) continue;
    const word = tokens[at]?.text;
    if (word === 'import') readImports(tokens, at + 1, '', names);
    const module = word === 'from' ? dottedAt(tokens, at + 1) : undefined;
    if (module !== undefined && tokens[at + 1 + module.length]?.text === 'import') {
      readImports(tokens, at + 2 + module.length, `${module.names.join('.')}.`, names);
    }
    addAlias(tokens, at, names);
  }
  return names;
}

/** `run = os.system`: another name for the same. */
function addAlias(tokens: readonly Token[], at: number, names: Map<string, string>): void {
  const value = tokens[at]?.kind === 'name' && tokens[at + 1]?.text === '=' ? dottedAt(tokens, at + 2) : undefined;
  if (value === undefined || tokens[at + 2 + value.length]?.kind !== 'end') return;
  const [first = '', ...rest] = value.names;
  const alias = tokens[at]?.text ?? '';
  const full = [names.get(first) ?? first, ...rest].join('.');
  if (full !== alias) names.set(alias, full);
}

function readImports(tokens: readonly Token[], from: number, prefix: string, names: Map<string, string>): void {
  let at = from;
  while (at < tokens.length && tokens[at]?.kind !== 'end') {
    const dotted = dottedAt(tokens, at);
    at += dotted?.length ?? 1;
    if (dotted === undefined) continue;
    const [first = ''] = dotted.names;
    const renamed = tokens[at]?.text === 'as' ? tokens[at + 1]?.text : undefined;
    if (renamed !== undefined) {
      names.set(renamed, `${prefix}${dotted.names.join('.')}`);
      at += 2;
    } else if (prefix !== '') names.set(first, `${prefix}${first}`);
    // `import os.path` brings the name `os`, which stands for itself.
  }
}

function isStatementStart(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before === undefined || before.kind === 'end' || (before.kind === 'sign' && before.text === ':');
}

function dottedAt(
  tokens: readonly Token[],
  at: number,
): { readonly names: readonly string[]; readonly length: number } | undefined {
  const token = tokens[at];
  if (token?.kind !== 'name' || tokens[at - 1]?.text === '.') return undefined;
  const names = [token.text];
  while (tokens[at + names.length * 2 - 1]?.text === '.') {
    const next = tokens[at + names.length * 2];
    if (next?.kind !== 'name') break;
    names.push(next.text);
  }
  return { names, length: names.length * 2 - 1 };
}

const blanks = /[ \t\f\r]+|\\\r?\n|#[^\n]*/.source;
const longStrings = /"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''/.source;
const strings = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/.source;
const tokenShape = `(?:${blanks})|(?<end>[\\n;])|(?<string>[rbufRBUF]{0,2}(?:${longStrings}|${strings}))|(?<name>[\\p{L}_][\\p{L}\\p{N}_]*)|(?<number>\\d[\\w.]*)|(?<sign>[\\s\\S])`;
const kinds = ['end', 'string', 'name', 'number', 'sign'] as const;

/** Line ends inside of brackets are none. */
function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let depth = 0;
  for (const { 0: text, groups = {} } of source.matchAll(new RegExp(tokenShape, 'gu'))) {
    if (tokens.length >= maxTokens) break;
    const kind = kinds.find((name) => groups[name] !== undefined);
    if (kind === 'sign' && /[([{]/.test(text)) depth += 1;
    if (kind === 'sign' && /[)\]}]/.test(text)) depth = Math.max(0, depth - 1);
    if (kind !== undefined && (kind !== 'end' || depth === 0)) tokens.push({ kind, text, line });
    line += text.split('\n').length - 1;
  }
  tokens.push({ kind: 'end', text: '', line });
  return tokens;
}
