/** `write_file`: writes a whole file. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { FilePath } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import { answering, decodeExactly, findFile, maxFileBytes, readFound } from './file-access.ts';
import { bringsMasksBack } from './masked-secrets.ts';
import { lint, saveFile, staleFile } from './save-file.ts';
import { previewLine } from './text-window.ts';

const parameters = z.object({
  path: z.string().min(1).describe('File to write; missing directories are made'),
  content: z.string().describe('The whole new content'),
});

export const writeFileTool = defineTool<ToolServices, typeof parameters>({
  name: 'write_file',
  toolset: 'file',
  description: 'Write a whole file, replacing what was there. To change a part of a file use patch.',
  emoji: '✏️',
  parameters,
  parallel: { paths: ({ path }, { files }) => [files.resolve(path)] },
  edits: ({ path }, { files }) => [{ path, resolved: files.resolve(path) }],
  preview: ({ path, content }) => previewLine(`${path} (${content.length} chars)`),
  async execute({ path, content }, context) {
    const { services } = context;
    const target: FilePath = { path, resolved: services.files.resolve(path) };
    return await answering(`write ${path}`, async () => {
      const current = await currentContent(target, services, context.signal);
      if ('error' in current) return { ...current };
      const stale = await staleFile(target, current.bytes, services);
      if (stale !== undefined) return { ...stale };
      const before = current.bytes === undefined ? undefined : decodeExactly(current.bytes);
      if (before !== undefined && bringsMasksBack(before, content, services.redact))
        return { error: masksMessage(path) };
      const saved = await saveFile(target, content, services);
      return {
        bytes_written: saved.bytes,
        dirs_created: saved.createdDirectories.length > 0,
        lint: await lint(target, content, context),
      };
    });
  },
});

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
