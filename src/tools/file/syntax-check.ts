/** Checks the syntax of a file just written by the program that knows its language best; types are not looked at. */
import type { Environment } from '../../environments/environment.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { ToolServices } from '../services.ts';
import { extensionOf } from './content-kind.ts';
import { dataSyntax } from './data-syntax.ts';
import { cutText } from './text-window.ts';

export type SyntaxReport =
  | { readonly status: 'ok' | 'error'; readonly output: string; readonly message?: string }
  | { readonly status: 'skipped'; readonly message: string };

const checkDeadlineMs = 30_000;
const maxReportChars = 2000;

/** How a language is checked: a program with its arguments, and which of its failures are about syntax. */
interface Checker {
  readonly program: string;
  readonly args: (path: string) => readonly string[];
  /** Of what it printed, the lines that tell of broken syntax; nothing means that it could not judge. */
  readonly errors?: (printed: string) => string;
  /** Left out where a language server looks at the file. */
  readonly standsIn?: true;
}

const parsePython =
  'import ast,sys\ntry:\n ast.parse(open(sys.argv[1],"rb").read(),sys.argv[1])\nexcept (SyntaxError,ValueError) as e:\n sys.exit(f"{type(e).__name__}: {e}")';

/** `stripTypeScriptTypes` is Node 22.13 and later; an older one exits with 3. */
const parseTypeScript =
  'const {stripTypeScriptTypes:s}=require("node:module");if(!s)process.exit(3);try{s(require("node:fs").readFileSync(process.argv[1],"utf8"),{mode:"transform",sourceUrl:process.argv[1]})}catch(e){console.error(e.stack);process.exit(1)}';

const python: Checker = {
  program: 'python3',
  args: (path) => ['-I', '-c', parsePython, path],
  // A `python3` that only stands in for one that is not there fails in words of its own.
  errors: (printed) => (/^\w+Error: /m.test(printed) ? printed : ''),
};
/** Where Node itself was at the time is no part of the error. */
const errors = (printed: string): string => printed.replace(/\n {4}at [^]*$/, '');
const javaScript: Checker = { program: 'node', args: (path) => ['--check', path], errors };
const typeScript: Checker = { program: 'node', args: (path) => ['--no-warnings', '-e', parseTypeScript, path], errors };

const checkers: Readonly<Record<string, Checker>> = {
  py: python,
  pyi: python,
  js: javaScript,
  mjs: javaScript,
  cjs: javaScript,
  ts: typeScript,
  mts: typeScript,
  cts: typeScript,
  go: { program: 'gofmt', args: (path) => ['-e', '-l', path] },
  rs: {
    program: 'rustfmt',
    args: (path) => ['--check', '--edition', '2024', path],
    // It fails over white space too, which is no error.
    errors: (printed) => (/^error.*\n\s*-->/m.test(printed) ? printed.slice(printed.search(/^error/m)) : ''),
    standsIn: true,
  },
};

/** Never throws: a check that cannot be made is skipped. `path` is absolute in the environment. */
export async function checkSyntax(
  { environment, edits }: Pick<ToolServices, 'environment' | 'edits'>,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<SyntaxReport> {
  const data = await dataSyntax(path, text);
  if (data !== undefined) return typeof data === 'string' ? failed(data) : data;
  const checker = checkers[extensionOf(path)];
  if (checker === undefined) return skipped('No syntax check for this kind of file');
  if (checker.standsIn && (await edits.diagnostics?.covers(path)) === true) {
    return skipped('A language server looks at this file');
  }
  try {
    return await runChecker(checker, { environment, path, signal });
  } catch (error) {
    return skipped(`The check could not run: ${errorMessage(error)}`);
  }
}

async function runChecker(
  { program, args, errors = (printed) => printed }: Checker,
  { environment, path, signal }: { environment: Environment; path: string; signal: AbortSignal },
): Promise<SyntaxReport> {
  const own = program === 'node' && environment.kind === 'local' ? process.execPath : undefined;
  const found = own ?? (await environment.findProgram(program));
  if (found === undefined) return skipped(`${program} is not installed`);
  const run = await environment.runProgram([found, ...args(path)], {
    timeoutMs: checkDeadlineMs,
    signal,
    maxOutput: maxReportChars,
  });
  if (run.exitCode === 0) return { status: 'ok', output: '' };
  if (run.exitCode === 124 || run.exitCode === 130) return skipped('The check did not finish');
  const printed = errors(run.stderr || run.output);
  return run.exitCode > 2 || printed === '' ? skipped(`${program} could not check this file`) : failed(printed);
}

function failed(output: string): SyntaxReport {
  return { status: 'error', output: cutText(output.trim(), maxReportChars) };
}

function skipped(message: string): SyntaxReport {
  return { status: 'skipped', message };
}
