/** Checks the syntax of a file just written, in process where possible. */
import type { Environment } from '../../environments/environment.ts';
import { errorMessage } from '../../lib/errors.ts';
import { extensionOf } from './content-kind.ts';
import { cutText } from './text-window.ts';

export type SyntaxReport =
  | { readonly status: 'ok' | 'error'; readonly output: string }
  | { readonly status: 'skipped'; readonly message: string };

const checkDeadlineMs = 30_000;
const maxReportChars = 2000;
/** Parsing happens on the one thread everything runs on; these take some tens of milliseconds. */
const maxJsonChars = 5_000_000;
const maxYamlChars = 200_000;

/** Never throws: a check that cannot be made is skipped. `path` is absolute in the environment. */
export async function checkSyntax(
  environment: Environment,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<SyntaxReport> {
  switch (extensionOf(path)) {
    case 'json':
      return checkJson(path, text);
    case 'yaml':
    case 'yml':
      return await checkYaml(text);
    case 'js':
    case 'mjs':
    case 'cjs':
      return await checkJavaScript(environment, path, signal);
    default:
      return skipped('No syntax check for this kind of file');
  }
}

/** Files that take comments in spite of their name. */
const jsonWithComments = /(?:^|\/)(?:[jt]sconfig[^/]*|\.vscode\/[^/]+|devcontainer)\.json$/;

function checkJson(path: string, text: string): SyntaxReport {
  if (jsonWithComments.test(path)) return skipped('This file may hold comments');
  if (text.length > maxJsonChars) return skipped('Too large to check');
  try {
    JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    return { status: 'ok', output: '' };
  } catch (error) {
    return failed(errorMessage(error));
  }
}

async function checkYaml(text: string): Promise<SyntaxReport> {
  if (text.length > maxYamlChars) return skipped('Too large to check');
  const { parseAllDocuments } = await import('yaml');
  try {
    const documents = parseAllDocuments(text);
    const errors = Array.isArray(documents) ? documents.flatMap((document) => document.errors) : [];
    return errors.length === 0 ? { status: 'ok', output: '' } : failed(errors.map((error) => error.message).join('\n'));
  } catch (error) {
    return failed(errorMessage(error));
  }
}

async function checkJavaScript(environment: Environment, path: string, signal: AbortSignal): Promise<SyntaxReport> {
  try {
    const node = environment.kind === 'local' ? process.execPath : await environment.findProgram('node');
    if (node === undefined) return skipped('node is not installed');
    const run = await environment.runProgram([node, '--check', path], {
      timeoutMs: checkDeadlineMs,
      signal,
      maxOutput: maxReportChars,
    });
    if (run.exitCode === 0) return { status: 'ok', output: '' };
    if (run.exitCode === 124 || run.exitCode === 130) return skipped('The check did not finish');
    return failed(run.stderr || run.output);
  } catch (error) {
    return skipped(`The check could not run: ${errorMessage(error)}`);
  }
}

function failed(output: string): SyntaxReport {
  return { status: 'error', output: cutText(output.trim(), maxReportChars) };
}

function skipped(message: string): SyntaxReport {
  return { status: 'skipped', message };
}
