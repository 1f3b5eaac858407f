/** Which shell commands check a project, and what such a check says about it. */
import { tmpdir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';

export type EvidenceKind = 'lint' | 'typecheck' | 'build' | 'format' | 'check' | 'test' | 'ad_hoc';

export interface Evidence {
  /** The command as the project names it. */
  readonly canonical: string;
  readonly kind: EvidenceKind;
  /** `targeted`: of some files or tests only. */
  readonly scope: 'targeted' | 'full';
}

const adHocName = 'ad-hoc verification script';

const kinds: Readonly<Record<string, EvidenceKind>> = {
  lint: 'lint',
  typecheck: 'typecheck',
  build: 'build',
  fmt: 'format',
  format: 'format',
  check: 'check',
};

const passedThrough = new Set(['env', 'command', 'time', 'noglob']);
const quiet = new Set(['-s', '--silent']);
const interpreters = /^(?:bash|sh|zsh|node|deno|bun|tsx|python[\d.]*|ruby|perl|php)$/;
const pythonRunners = new Set(['uv', 'poetry', 'pipenv']);

/** What a command is evidence of, in a project with these verify commands; undefined for most commands. */
export function evidenceOf(command: string, verifyCommands: readonly string[]): Evidence | undefined {
  for (const words of shellParts(command).map(withoutPrefix)) {
    for (const canonical of verifyCommands) {
      const rest = wordsBehind(words, canonical);
      if (rest === undefined) continue;
      return { canonical, kind: kindOf(canonical), scope: rest.some(namesSome) ? 'targeted' : 'full' };
    }
    if (verifyCommands.length === 0 && isAdHoc(words)) {
      return { canonical: adHocName, kind: 'ad_hoc', scope: 'targeted' };
    }
  }
  return undefined;
}

function kindOf(canonical: string): EvidenceKind {
  return kinds[canonical.split(' ').at(-1) ?? ''] ?? 'test';
}

/** The words that follow a verify command, however it is spelled; undefined when this is another command. */
function wordsBehind(words: readonly string[], canonical: string): readonly string[] | undefined {
  const [program = '', ...rest] = words;
  const [manager = '', verb, script = ''] = canonical.split(' ');
  if (canonical === 'pytest') return behindPytest(words);
  if (canonical.endsWith('.sh')) {
    const path = program === 'bash' || program === 'sh' ? rest : words;
    return path[0]?.replace(/^\.\//, '') === canonical ? path.slice(1) : undefined;
  }
  if (program !== manager) return undefined;
  const spoken = rest.filter((word) => !quiet.has(word));
  if (verb !== 'run') return spoken[0] === verb ? spoken.slice(1) : undefined;
  const name = spoken[0] === 'run' ? spoken.slice(1) : spoken;
  return name[0] === script ? name.slice(1) : undefined;
}

function behindPytest(words: readonly string[]): readonly string[] | undefined {
  const [program = '', second, third] = words;
  if (program === 'pytest') return words.slice(1);
  if (pythonRunners.has(program) && second === 'run') return behindPytest(words.slice(2));
  return /^python3?$/.test(program) && second === '-m' && third === 'pytest' ? words.slice(3) : undefined;
}

/** A path, or the name of a test. */
function namesSome(word: string): boolean {
  return !word.startsWith('-') && /[/\\]|::|\.[a-z]{1,5}(?::\d+)?$|^test_/i.test(word);
}

/** A script of the agent's own, made for one look and kept in the temporary directory. */
function isAdHoc([program = '', second]: readonly string[]): boolean {
  const path = interpreters.test(program) ? (second ?? '') : program;
  return /^hermes-(?:verify|ad-hoc)-/.test(basename(path)) && dirname(resolve(path)) === resolve(tmpdir());
}

function withoutPrefix(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !passedThrough.has(word) && !/^\w+=/.test(word));
  return start === -1 ? [] : words.slice(start);
}

/**
 * The simple commands of shell text as words: parted at `&&`, `||`, `;` and line ends; what is behind a pipe, and where
 * output goes, is left out.
 */
function shellParts(command: string): string[][] {
  const tokens = command.match(
    /&&|\|\||[;\n|]|\d*>>?(?:&\d)?\s*[^\s;&|]*|(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s;&|'"\\>])+/g,
  );
  const parts: string[][] = [[]];
  let isPiped = false;
  for (const token of tokens ?? []) {
    if (/^(?:&&|\|\||[;\n])$/.test(token)) {
      parts.push([]);
      isPiped = false;
    } else if (token === '|') isPiped = true;
    else if (!isPiped && !/^\d*>/.test(token)) parts.at(-1)?.push(token.replaceAll(/['"]|\\(?=.)/g, ''));
  }
  return parts.filter((words) => words.length > 0);
}
