/** `kanban_attach`, `kanban_attach_url` and `kanban_attachments`: files of a task. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type ToolContext } from '../../agent/tool.ts';
import { attachFile, attachmentsOf, maxAttachmentBytes, tooLarge } from '../../kanban/attachments.ts';
import { requireTask } from '../../kanban/tasks.ts';
import { UserError } from '../../lib/errors.ts';
import { secretInAddress } from '../../safety/address-secrets.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { judgeAddresses } from '../web/judge-web.ts';
import { getOutbound } from '../web/outbound.ts';
import {
  boardName,
  isOffered,
  judgeChange,
  onBoard,
  onBoardBeside,
  ownTask,
  ownTaskId,
  ownWords,
  passesOn,
  taskMeant,
  wordsOf,
} from './on-board.ts';

const content = z.object({
  task_id: ownTaskId,
  filename: z.string(),
  content_base64: z.string().describe('The whole file; 25 MB at most'),
  content_type: z.string().optional(),
  board: boardName,
});

/** Base64 takes four characters for three bytes. */
const maxEncodedChars = Math.ceil(maxAttachmentBytes / 3) * 4 + 1000;

export const kanbanAttachTool = defineTool<ToolServices, typeof content>({
  name: 'kanban_attach',
  toolset: 'kanban',
  description: 'Attach a file to a task, given as base64.',
  parameters: content,
  display: { emoji: '📎', preview: ({ filename }) => filename },
  available: isOffered,
  judge: ({ task_id, filename, content_type }, services) =>
    judgeChange('attaches a file to a task of the board', { task_id, filename, content_type }, services),
  sources: ownWords,
  parallel: 'never',
  execute: async ({ task_id: named, filename, content_base64: encoded, content_type, board: slug }, context) =>
    await onBoardBeside(context, slug, async (board, access) => {
      const id = ownTask(access, named);
      if (encoded.length > maxEncodedChars) throw tooLarge(filename);
      const text = encoded.replaceAll(/\s/g, '');
      if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z\d+/]+={0,2}$/.test(text)) {
        return failure('content_base64 is not valid base64.');
      }
      const bytes = Buffer.from(text, 'base64');
      const outside = passesOn(context.services);
      const file = { filename, bytes, contentType: content_type, uploadedBy: 'agent', outside };
      const number = await attachFile(board, id, file);
      return answer({ ok: true, task_id: id, attachment_id: number, size: bytes.length });
    }),
});

const address = z.object({
  task_id: ownTaskId,
  url: z.string(),
  filename: z.string().optional(),
  content_type: z.string().optional(),
  board: boardName,
});

export const kanbanAttachUrlTool = defineTool<ToolServices, typeof address>({
  name: 'kanban_attach_url',
  toolset: 'kanban',
  description: 'Download a file from the web (http or https, 25 MB at most) and attach it to a task.',
  parameters: address,
  display: { emoji: '📎', preview: ({ url }) => url },
  available: isOffered,
  judge: ({ url }, services) => judgeAddresses([url.trim()], services),
  sources: ownWords,
  parallel: 'never',
  execute: async ({ task_id: named, url: written, filename, content_type, board: slug }, context) =>
    await onBoardBeside(context, slug, async (board, access) => {
      const id = ownTask(access, named);
      requireTask(board, id);
      const { bytes, type, name } = await download(written.trim(), context);
      const file = {
        filename: filename?.trim() || name,
        bytes,
        contentType: content_type ?? type,
        uploadedBy: 'agent',
        outside: true,
      };
      const number = await attachFile(board, id, file);
      return answer({ ok: true, task_id: id, attachment_id: number, size: bytes.length });
    }),
});

const listing = z.object({ task_id: ownTaskId, board: boardName });

export const kanbanAttachmentsTool = defineTool<ToolServices, typeof listing>({
  name: 'kanban_attachments',
  toolset: 'kanban',
  description: 'List the files of a task, with their paths.',
  parameters: listing,
  display: { emoji: '📎', preview: ({ task_id: id }) => id ?? 'my task' },
  available: isOffered,
  judge: () => harmless,
  parallel: 'safe',
  execute: async ({ task_id: named, board: slug }, context) =>
    await onBoard(context, slug, async (board, access) => {
      const id = taskMeant(access, named);
      return await board.db.read(() => {
        const task = requireTask(board, id);
        const attachments = attachmentsOf(board, id).map((file) => ({
          id: file.id,
          filename: file.filename,
          content_type: file.content_type,
          size: file.size,
          uploaded_by: file.uploaded_by,
          stored_path: file.stored_path,
          created_at: file.created_at,
        }));
        const sources = wordsOf(board, access, [task], { withContext: false });
        return { ...answer({ ok: true, task_id: id, attachments }), sources };
      });
    }),
});

interface Download {
  readonly bytes: Uint8Array;
  readonly type: string | undefined;
  readonly name: string;
}

/** Through the one way to addresses that anybody may have written. Throws `UserError`. */
async function download(written: string, { services, signal }: ToolContext<ToolServices>): Promise<Download> {
  const { config, state } = services;
  const url = URL.parse(written);
  const secret = url === null ? undefined : secretInAddress(url, services.redact);
  if (secret !== undefined) {
    throw new UserError(`The address of ${url?.host ?? ''} holds ${secret}.`, {
      hint: 'Secrets are not sent in addresses; leave it out.',
    });
  }
  const { web } = state;
  const found = await getOutbound(written, {
    signal,
    allowPrivate: config.security.allow_private_urls,
    proxies: web.proxies,
    timeoutMs: 60_000,
    maxBytes: maxAttachmentBytes,
    refuse: (to) => (web.blocked.find(to) === undefined ? undefined : 'the owner blocked this site'),
    ...(web.lookup === undefined ? {} : { lookup: web.lookup }),
  });
  if (found.status < 200 || found.status > 299) {
    throw new UserError(`Nothing was attached: ${found.url.host} answered with HTTP status ${found.status}.`, {
      hint: 'Check the address.',
    });
  }
  const type = found.headers['content-type']?.split(';')[0]?.trim();
  return { bytes: found.body, type: type === '' ? undefined : type, name: lastName(URL.parse(written) ?? found.url) };
}

function lastName({ pathname }: URL): string {
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || 'download';
  } catch {
    // Not every % is one of an encoding.
    return last;
  }
}
