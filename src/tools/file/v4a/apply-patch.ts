/** Carries out a V4A patch over several files: all of it, or nothing when a part of it cannot be done. */
import { answer, failure, type ToolContext, type ToolOutcome } from '../../../agent/tool.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ToolServices } from '../../services.ts';
import { beforeWrite } from '../before-write.ts';
import { answering } from '../file-access.ts';
import { beginEdit, type EditCheck, joinDiagnostics } from '../check-edit.ts';
import { missHint } from '../miss-hint.ts';
import { saveFile } from '../save-file.ts';
import type { SyntaxReport } from '../syntax-check.ts';
import { boundDiff, unifiedDiff } from '../unified-diff.ts';
import { parsePatch } from './parse-patch.ts';
import { PatchPlan, type PatchStep } from './plan-patch.ts';

/** What became of the files so far. */
interface Done {
  readonly diff: string[];
  /** Absolute paths of everything that was touched. */
  readonly touched: Set<string>;
  /** Paths as the patch has them. */
  readonly created: string[];
  readonly deleted: string[];
  /** What is to be looked at in the end, by absolute path. */
  readonly written: Map<string, WrittenFile>;
}

interface WrittenFile {
  /** As the patch has it. */
  readonly path: string;
  readonly check: EditCheck;
}

export async function applyPatch(patch: string, context: ToolContext<ToolServices>): Promise<ToolOutcome> {
  const operations = parsePatch(patch);
  if ('problem' in operations) return failure({ success: false, error: operations.problem });
  const { files, state } = context.services;
  const { readLedger } = state;
  const plan = new PatchPlan(context);
  const steps: PatchStep[] = [];
  const problems: string[] = [];
  const hints: string[] = [];
  for (const operation of operations) {
    const planned = await plan.plan(operation);
    if ('error' in planned) {
      problems.push(`- ${operation.path}: ${planned.error}`);
      if (planned.isMiss !== true) continue;
      const misses = readLedger.noteMiss(files.resolve(operation.path));
      hints.push(missHint(operation.path, misses));
    } else steps.push(planned);
  }
  if (problems.length > 0) {
    const error = `Patch validation failed (no files were modified):\n${problems.join('\n')}`;
    return failure({ success: false, error, ...(hints.length === 0 ? {} : { _hint: [...new Set(hints)].join('\n') }) });
  }
  const targets = steps.flatMap((step) => (step.kind === 'move' ? [step.target, step.to] : [step.target]));
  const ready = await answering('look where the files lie', () =>
    beforeWrite(targets, 'before patch', context, () => beginEdits(steps, context)),
  );
  if ('error' in ready) return failure({ success: false, ...ready });
  return await carryOut(steps, { warnings: ready.warnings, checks: ready.check }, context);
}

async function carryOut(
  steps: readonly PatchStep[],
  { warnings, checks }: { readonly warnings: object; readonly checks: ReadonlyMap<string, EditCheck> },
  context: ToolContext<ToolServices>,
): Promise<ToolOutcome> {
  const done: Done = { diff: [], touched: new Set(), created: [], deleted: [], written: new Map() };
  let error: string | undefined;
  for (const step of steps) {
    const made = await answering(`${step.kind} ${step.target.path}`, () => make(step, { done, checks }, context));
    if (made === undefined) continue;
    error = `${step.target.path}: ${made.error} What stands before it in the patch was done, the rest was not.`;
    break;
  }
  const diff = context.services.redact(boundDiff(done.diff.join('')));
  const changedFiles = [...done.touched];
  const [first] = changedFiles;
  const value = {
    success: error === undefined,
    diff,
    files_modified: changedFiles,
    ...(done.created.length === 0 ? {} : { files_created: done.created }),
    ...(done.deleted.length === 0 ? {} : { files_deleted: done.deleted }),
    ...(await reports([...done.written.values()])),
    ...(error === undefined ? {} : { error }),
    ...(changedFiles.length === 1 ? { resolved_path: first } : {}),
    ...warnings,
  };
  return (value.success ? answer : failure)(value, { changedFiles, diff });
}

/** By absolute path, for the first change of each file. */
async function beginEdits(
  steps: readonly PatchStep[],
  context: ToolContext<ToolServices>,
): Promise<ReadonlyMap<string, EditCheck>> {
  const first = new Map<string, Extract<PatchStep, { kind: 'write' }>>();
  for (const step of steps) {
    if (step.kind === 'write' && !first.has(step.target.resolved)) first.set(step.target.resolved, step);
  }
  const begun = [...first].map(
    async ([resolved, { target, before }]): Promise<[string, EditCheck]> => [
      resolved,
      await beginEdit(target, before, context),
    ],
  );
  return new Map(await Promise.all(begun));
}

/** After everything is written: files of one patch belong together. */
async function reports(written: readonly WrittenFile[]): Promise<JsonObject> {
  const lint: Record<string, SyntaxReport> = {};
  const diagnostics: string[] = [];
  for (const { path, check } of written) {
    const report = await check.report();
    lint[path] = report.lint;
    if (report.lsp_diagnostics !== undefined) diagnostics.push(report.lsp_diagnostics);
  }
  const joined = joinDiagnostics(diagnostics);
  return { ...(written.length === 0 ? {} : { lint }), ...(joined === undefined ? {} : { lsp_diagnostics: joined }) };
}

async function make(
  step: PatchStep,
  { done, checks }: { readonly done: Done; readonly checks: ReadonlyMap<string, EditCheck> },
  context: ToolContext<ToolServices>,
): Promise<undefined> {
  const { files, state } = context.services;
  const { path, resolved } = step.target;
  switch (step.kind) {
    case 'write': {
      state.readLedger.forgetMisses(resolved);
      await saveFile(step.target, step.after, context);
      done.touched.add(resolved);
      if (step.before === undefined) done.created.push(path);
      done.diff.push(await unifiedDiff({ path, before: step.before, after: step.after }));
      const check = checks.get(resolved);
      check?.written(step.after);
      if (check !== undefined) done.written.set(resolved, { path, check });
      return;
    }
    case 'delete':
      await files.remove(resolved);
      done.written.delete(resolved);
      state.readLedger.forgetContents(resolved);
      done.touched.add(resolved);
      done.deleted.push(path);
      if (step.before !== undefined) done.diff.push(await unifiedDiff({ path, before: step.before, after: undefined }));
      return;
    case 'move':
      await files.rename(resolved, step.to.resolved);
      done.written.delete(resolved);
      state.readLedger.forgetContents(resolved);
      done.touched.add(resolved).add(step.to.resolved);
      done.created.push(step.to.path);
      done.deleted.push(path);
      done.diff.push(`# Moved: ${path} -> ${step.to.path}\n`);
      return;
  }
}
