/** Carries out a V4A patch, file by file; what fails is reported, and the rest is done all the same. */
import { answer, failure, type FilePath, type ToolContext, type ToolOutcome } from '../../../agent/tool.ts';
import type { ToolServices } from '../../services.ts';
import { answering, decodeExactly, openFile } from '../file-access.ts';
import { bringsMasksBack } from '../masked-secrets.ts';
import { lint, saveFile, staleFile } from '../save-file.ts';
import type { SyntaxReport } from '../syntax-check.ts';
import { boundDiff, unifiedDiff } from '../unified-diff.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FileOperation, parsePatch } from './parse-patch.ts';

/** What became of one file; paths as the patch names them. */
interface Change {
  readonly diff: string;
  readonly modified: readonly string[];
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  readonly lint?: SyntaxReport;
}

export async function applyPatch(patch: string, context: ToolContext<ToolServices>): Promise<ToolOutcome> {
  const { files, redact } = context.services;
  const operations = parsePatch(patch);
  if ('problem' in operations) return failure({ success: false, error: operations.problem });
  const changes: Change[] = [];
  const errors: string[] = [];
  for (const operation of operations) {
    const attempt = await answering(`${operation.kind} ${operation.path}`, () => carryOut(operation, context));
    if ('error' in attempt) errors.push(`${operation.path}: ${attempt.error}`);
    else changes.push(attempt);
  }
  const lints = changes.flatMap((change) => change.lint ?? []);
  const shownLint = lints.find((report) => report.status === 'error') ?? lints[0];
  const value = {
    success: errors.length === 0,
    diff: redact(boundDiff(changes.map((change) => change.diff).join(''))),
    files_modified: changes.flatMap((change) => change.modified),
    files_created: changes.flatMap((change) => change.created),
    files_deleted: changes.flatMap((change) => change.deleted),
    ...(shownLint === undefined ? {} : { lint: shownLint }),
    ...(errors.length === 0 ? {} : { error: errors.join('\n') }),
  };
  const changed = [...value.files_modified, ...value.files_created, ...value.files_deleted];
  const changedFiles = [...new Set(changed.map((path) => files.resolve(path)))];
  return (value.success ? answer : failure)(value, { changedFiles, diff: value.diff });
}

type Attempt = Change | { readonly error: string };

async function carryOut(operation: FileOperation, context: ToolContext<ToolServices>): Promise<Attempt> {
  const { files } = context.services;
  const target: FilePath = { path: operation.path, resolved: files.resolve(operation.path) };
  switch (operation.kind) {
    case 'update':
      return await update(target, operation, context);
    case 'add':
      return await add(target, operation.content, context);
    case 'delete':
      return await remove(target, context);
    case 'move':
      return await move(target, { path: operation.to, resolved: files.resolve(operation.to) }, context);
  }
}

async function update(
  target: FilePath,
  { hunks }: Extract<FileOperation, { kind: 'update' }>,
  context: ToolContext<ToolServices>,
): Promise<Attempt> {
  const { services } = context;
  const opened = await openFile(services.files, target, context.signal);
  if ('error' in opened) return opened;
  const stale = await staleFile(target, opened.bytes, services);
  if (stale !== undefined) return stale;
  const before = decodeExactly(opened.bytes);
  if (before === undefined) return { error: 'not UTF-8 text' };
  const after = applyHunks(before, hunks);
  if (typeof after !== 'string') return { error: after.problem };
  if (bringsMasksBack(before, after, services.redact)) {
    return { error: 'the patch would put masked secrets in the place of the real ones; leave those lines out.' };
  }
  await saveFile(target, after, services);
  return {
    ...nothing,
    diff: await unifiedDiff({ path: target.path, before, after }),
    modified: [target.path],
    lint: await lint(target, after, context),
  };
}

const nothing: Change = { diff: '', modified: [], created: [], deleted: [] };

async function add(target: FilePath, content: string, context: ToolContext<ToolServices>): Promise<Attempt> {
  const { services } = context;
  if ((await services.files.stat(target.resolved)) !== undefined) {
    return { error: 'the file exists already; use *** Update File, or write_file to replace it.' };
  }
  await saveFile(target, content, services);
  return {
    ...nothing,
    diff: await unifiedDiff({ path: target.path, before: undefined, after: content }),
    created: [target.path],
    lint: await lint(target, content, context),
  };
}

/** A file that is already gone is a success: the state that was wanted holds. */
async function remove(target: FilePath, context: ToolContext<ToolServices>): Promise<Attempt> {
  const { files, state } = context.services;
  const stat = await files.stat(target.resolved);
  if (stat === undefined) return nothing;
  if (stat.kind !== 'file') return { error: 'not a file; only files can be deleted here.' };
  const opened = await openFile(files, target, context.signal);
  const before = 'error' in opened ? undefined : decodeExactly(opened.bytes);
  await files.remove(target.resolved);
  state.readLedger.forgetContents(target.resolved);
  return {
    ...nothing,
    diff: before === undefined ? '' : await unifiedDiff({ path: target.path, before, after: undefined }),
    deleted: [target.path],
  };
}

async function move(from: FilePath, to: FilePath, context: ToolContext<ToolServices>): Promise<Attempt> {
  const { files, state } = context.services;
  if ((await files.stat(from.resolved)) === undefined) return { error: 'there is no such file to move.' };
  if ((await files.stat(to.resolved)) !== undefined) return { error: `${to.path} exists already.` };
  await files.rename(from.resolved, to.resolved);
  state.readLedger.forgetContents(from.resolved);
  return {
    ...nothing,
    diff: `rename from ${from.path}\nrename to ${to.path}\n`,
    created: [to.path],
    deleted: [from.path],
  };
}
