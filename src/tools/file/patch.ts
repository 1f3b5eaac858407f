/** `patch`: changes parts of files, by replacing text or by a patch over several files. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type FilePath, type ToolContext, type ToolOutcome } from '../../agent/tool.ts';
import type { JsonObject } from '../../lib/json.ts';
import { diffBlock } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { beforeWrite } from './before-write.ts';
import { beginEdit } from './check-edit.ts';
import { refusedData } from './data-syntax.ts';
import { answering, decodeExactly, type FileProblem, openFile } from './file-access.ts';
import { bringsMasksBack } from './masked-secrets.ts';
import { judgeWrite, writeRefusal } from './judge-write.ts';
import { replaceText } from './replace-text.ts';
import { alone, saveFile, staleFile } from './save-file.ts';
import { missHint, patience } from './miss-hint.ts';
import { otherProfileProblem } from './other-profile.ts';
import { previewLine } from './text-window.ts';
import { boundDiff, unifiedDiff } from './unified-diff.ts';
import { applyPatch } from './v4a/apply-patch.ts';
import { patchedPaths } from './v4a/parse-patch.ts';
import { masksMessage } from './write-file.ts';

const parameters = z.object({
  mode: z.enum(['replace', 'patch']).default('replace'),
  path: z.string().optional().describe('The file'),
  old_string: z.string().optional().describe('Text to find, with enough lines around it to be unique'),
  new_string: z.string().optional().describe('New text; empty deletes'),
  replace_all: z.boolean().default(false).describe('Change all occurrences'),
  patch: z
    .string()
    .optional()
    .describe(
      'V4A: *** Begin Patch … *** End Patch with sections *** Update File: p, *** Add File: p, *** Delete File: p, *** Move File: a -> b; hunks start with @@ hint @@, lines with a space, - or +',
    ),
  cross_profile: z.boolean().default(false).describe('The user wants a file of another profile written'),
});

type Args = z.infer<typeof parameters>;

export const patchTool = defineTool<ToolServices, typeof parameters>({
  name: 'patch',
  toolset: 'file',
  description:
    'Change part of a file. Mode replace (the default) needs path, old_string and new_string; mode patch needs patch alone and can change several files. Small differences in white space and quotes of old_string are forgiven. Returns a diff; check it.',
  parameters,
  traits: { usesWorkspace: true },
  display: { emoji: '🔧', preview: (args) => previewLine(namedFiles(args).join(', ')), render: diffBlock },
  judge: async (args, services) => {
    const path = args.path === undefined ? [] : [args.path];
    return await judgeWrite('patch', [...path, ...patchedPaths(args.patch ?? '')], services);
  },
  refusal: writeRefusal,
  sources: () => [{ from: 'tool', name: 'patch' }],
  parallel: {
    paths: ({ mode, path }, { files }) =>
      mode === 'replace' && path !== undefined ? [files.resolve(path)] : undefined,
  },
  edits: (args, { files }) => namedFiles(args).map((path) => ({ path, resolved: files.resolve(path) })),
  async execute(args, context) {
    const { files } = context.services;
    const targets = namedFiles(args).map((path) => ({ path, resolved: files.resolve(path) }));
    const foreign = args.cross_profile ? undefined : await otherProfileProblem(targets, context.services);
    if (foreign !== undefined) return failure({ success: false, ...foreign });
    if (args.mode === 'replace') return await replace(args, context);
    if (args.patch === undefined || args.patch.trim() === '')
      return failure({ error: 'Mode patch needs the argument patch.' });
    const { patch } = args;
    return await alone(targets, context, () => applyPatch(patch, context));
  },
});

function namedFiles({ mode, path, patch }: Args): readonly string[] {
  if (mode === 'patch') return patchedPaths(patch ?? '');
  return path === undefined ? [] : [path];
}

async function replace(args: Args, context: ToolContext<ToolServices>): Promise<ToolOutcome> {
  const { path, old_string: oldString, new_string: newString } = args;
  if (path === undefined || oldString === undefined || newString === undefined) {
    return failure({ error: 'Mode replace needs path, old_string and new_string.' });
  }
  if (oldString === '') return failed('old_string cannot be empty. To write a whole file use write_file.');
  if (oldString === newString) return failed('old_string and new_string are identical: there is nothing to change.');
  const { services } = context;
  const target: FilePath = { path, resolved: services.files.resolve(path) };
  const outcome = await answering(`change ${path}`, () =>
    alone([target], context, () => replaceIn(target, { oldString, newString, everywhere: args.replace_all }, context)),
  );
  return 'error' in outcome ? failure({ success: false, ...outcome }) : outcome;
}

async function replaceIn(
  target: FilePath,
  { oldString, newString, everywhere }: { oldString: string; newString: string; everywhere: boolean },
  context: ToolContext<ToolServices>,
): Promise<ToolOutcome | FileProblem> {
  const { services } = context;
  const { path } = target;
  const opened = await openText(target, context);
  if ('error' in opened) return opened;
  const replaced = replaceText(opened.text, oldString, newString, everywhere);
  switch (replaced.kind) {
    case 'missing':
      return await missed(target, opened.text, oldString, services);
    case 'ambiguous':
      return failed(`Found ${replaced.count} matches for old_string. Add lines around it, or set replace_all.`);
    case 'escaped':
      return failed(
        `old_string and new_string hold ${replaced.escape} where ${path} has the quote alone. Send them as the file has it, without the backslash.`,
      );
    case 'unchanged':
      return failed(`The change would leave ${path} as it is.`);
    case 'replaced':
      break;
  }
  if (bringsMasksBack(opened.text, replaced.text, services.redact)) return failed(masksMessage(path));
  const refused = await refusedData(path, replaced.text);
  if (refused !== undefined) return failure({ success: false, ...refused });
  const ready = await beforeWrite([target], 'before patch', context, () => beginEdit(target, opened.text, context));
  if ('error' in ready) return ready;
  const { check } = ready;
  await saveFile(target, replaced.text, context);
  check.written(replaced.text);
  services.state.readLedger.forgetMisses(target.resolved);
  const diff = services.redact(boundDiff(await unifiedDiff({ path, before: opened.text, after: replaced.text })));
  const value = {
    success: true,
    diff,
    files_modified: [target.resolved],
    ...(replaced.strategy === 'exact' ? {} : { matched_by: replaced.strategy }),
    ...(await check.report()),
    resolved_path: target.resolved,
    ...ready.warnings,
  };
  return answer(value, { changedFiles: [target.resolved], diff });
}

/** Shows what may have been meant; where nothing may, or again and again nothing fits, it says what to do. */
async function missed(
  { path, resolved }: FilePath,
  text: string,
  oldString: string,
  { redact, state }: ToolServices,
): Promise<ToolOutcome> {
  const { closestSections } = await import('./closest-sections.ts');
  const sections = await closestSections(redact(text), oldString);
  const misses = state.readLedger.noteMiss(resolved);
  const shown = sections === undefined ? '' : `\n\nWhat is most like it there:\n${sections}`;
  const hint = sections === undefined || misses >= patience ? { _hint: missHint(path, misses) } : {};
  return failed(`Could not find a match for old_string in the file${shown}`, hint);
}

function failed(error: string, more: JsonObject = {}): ToolOutcome {
  return failure({ success: false, error, ...more });
}

/** A text file that may be changed now. */
export async function openText(
  target: FilePath,
  context: ToolContext<ToolServices>,
): Promise<{ readonly text: string } | FileProblem> {
  const opened = await openFile(context.services.files, target, context.signal);
  if ('error' in opened) return opened;
  const stale = await staleFile(target, opened.bytes, context);
  if (stale !== undefined) return stale;
  const text = decodeExactly(opened.bytes);
  return text === undefined ? { error: `${target.path} is not UTF-8 text and cannot be patched.` } : { text };
}
