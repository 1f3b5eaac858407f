/** `write_file`: writes a whole file. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type FilePath, type ToolContext, type ToolOutcome } from '../../agent/tool.ts';
import { diffBlock } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { beforeWrite } from './before-write.ts';
import { beginEdit } from './check-edit.ts';
import { refusedData } from './data-syntax.ts';
import { isRealDocument } from './documents/document-kind.ts';
import { displayTextMessage, isDisplayText } from './display-text.ts';
import { answering, decodeExactly, type FileProblem, findFile, maxFileBytes, readFound } from './file-access.ts';
import { judgeWrite, writeRefusal } from './judge-write.ts';
import { bringsMasksBack } from './masked-secrets.ts';
import { alone, saveFile, staleFile } from './save-file.ts';
import { otherProfileProblem } from './other-profile.ts';
import { previewLine } from './text-window.ts';
import { boundDiff, unifiedDiff } from './unified-diff.ts';

const parameters = z.object({
  path: z.string().min(1).describe('File to write; missing directories are made'),
  content: z.string().describe('The whole new content'),
  cross_profile: z.boolean().default(false).describe('The user wants a file of another profile written'),
});

export const writeFileTool = defineTool<ToolServices, typeof parameters>({
  name: 'write_file',
  toolset: 'file',
  description: 'Write a whole file, replacing what was there. To change a part of a file use patch.',
  parameters,
  traits: { usesWorkspace: true },
  display: {
    emoji: '✏️',
    preview: ({ path, content }) => previewLine(`${path} (${content.length} chars)`),
    render: diffBlock,
  },
  judge: async ({ path }, services) => await judgeWrite('write_file', [path], services),
  refusal: writeRefusal,
  sources: () => [{ from: 'tool', name: 'write_file' }],
  parallel: { paths: ({ path }, { files }) => [files.resolve(path)] },
  edits: ({ path }, { files }) => [{ path, resolved: files.resolve(path) }],
  async execute({ path, content, cross_profile }, context) {
    const target: FilePath = { path, resolved: context.services.files.resolve(path) };
    const foreign = cross_profile ? undefined : await otherProfileProblem([target], context.services);
    if (foreign !== undefined) return failure(foreign);
    const outcome = await answering(`write ${path}`, () =>
      alone([target], context, () => write(target, content, context)),
    );
    return 'error' in outcome ? failure(outcome) : outcome;
  },
});

async function write(
  target: FilePath,
  content: string,
  context: ToolContext<ToolServices>,
): Promise<ToolOutcome | FileProblem> {
  const { services } = context;
  const { path, resolved } = target;
  if (isDisplayText(content)) return { error: displayTextMessage };
  const refused = await refusedData(path, content);
  if (refused !== undefined) {
    return failure({ bytes_written: 0, dirs_created: false, ...refused, resolved_path: resolved });
  }
  const current = await currentContent(target, services, context.signal);
  if ('error' in current) return current;
  if (current.bytes !== undefined && isRealDocument(path, current.bytes)) {
    return {
      error: `Nothing was written: ${path} is a document, and text in its place would destroy it. Change it with a program that knows the format, in the terminal.`,
    };
  }
  const stale = await staleFile(target, current.bytes, context);
  if (stale !== undefined) return stale;
  const before = current.bytes === undefined ? undefined : decodeExactly(current.bytes);
  if (before !== undefined && bringsMasksBack(before, content, services.redact)) return { error: masksMessage(path) };
  const ready = await beforeWrite([target], 'before write_file', context, () => beginEdit(target, before, context));
  if ('error' in ready) return ready;
  const { check } = ready;
  const saved = await saveFile(target, content, context);
  check.written(content);
  const shown = services.redact(boundDiff(await unifiedDiff({ path, before, after: content })));
  return answer(
    {
      bytes_written: saved.bytes,
      dirs_created: saved.createdDirectories.length > 0,
      ...(await check.report()),
      resolved_path: resolved,
      files_modified: [resolved],
      ...ready.warnings,
    },
    { changedFiles: [resolved], diff: shown },
  );
}

/** Said when a text would put a masked value in the place of the secret that the mask stands for. */
export function masksMessage(path: string): string {
  return `Nothing was written: the new text holds masked secrets of ${path} (such as sk-abc...wxyz or ***), which would replace the real ones. Leave those lines out with patch, or ask the user.`;
}

/** What is there now; a file too large to hold is overwritten without a look. */
async function currentContent(target: FilePath, { files }: ToolServices, signal: AbortSignal) {
  const stat = await files.stat(target.resolved);
  if (stat === undefined) return { bytes: undefined };
  const found = await findFile(files, target);
  if ('error' in found) return found;
  if (found.size > maxFileBytes) return { bytes: undefined };
  const opened = await readFound(files, target, found, signal);
  return 'error' in opened ? opened : { bytes: opened.bytes };
}
