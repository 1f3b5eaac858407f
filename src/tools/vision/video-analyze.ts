/** `video_analyze`: has a video watched by a model that takes videos. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { failure, type ToolOutcome } from '../../agent/tool.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { ModelError } from '../../llm/model-error.ts';
import { previewLine } from '../file/text-window.ts';
import { PathDenied } from '../policy/path-denied.ts';
import type { ToolServices } from '../services.ts';
import { judgePictures } from './judge-address.ts';
import { namedSources } from './named-sources.ts';

const parameters = z.object({
  video_url: z.string().min(1).describe('http(s) URL or local path'),
  question: z.string().min(1).describe('What you want to know'),
});

export const videoAnalyzeTool = defineTool<ToolServices, typeof parameters>({
  name: 'video_analyze',
  toolset: 'video',
  description:
    'Have a model watch a video (mp4, webm, mov, avi, mkv, mpeg; up to 37 MiB) and answer a question about it.',
  parameters,
  traits: { idempotent: true, quotesOthers: true, longRunning: true },
  display: { emoji: '🎬', preview: ({ video_url: named }) => previewLine(named.replace(/^data:.*/is, 'data: …')) },
  available: ({ state: { vision } }) => vision?.canWatch === true,
  judge: ({ video_url: named }, services) => judgePictures([named], services),
  sources: ({ video_url: named }, services) => namedSources(named, services),
  // One video fills memory several times over while it is sent.
  parallel: 'never',
  async execute({ video_url: named, question }, { services, signal }): Promise<ToolOutcome> {
    try {
      const { loadVideo } = await import('./load-video.ts');
      const { vision } = services.state;
      if (vision === undefined) throw new UserError('Nobody can watch videos here.');
      const { url, sources } = await loadVideo(named, services, signal);
      const analysis = services.redact(await vision.watch(url, asked(question), signal));
      return { content: JSON.stringify({ success: true, analysis }, null, 2), isError: false, sources };
    } catch (error) {
      signal.throwIfAborted();
      const known = error instanceof UserError || error instanceof ModelError || error instanceof PathDenied;
      if (!known) throw error;
      return failure({ success: false, error: `${errorMessage(error)}${remedy(error)}`, analysis: null });
    }
  },
});

function asked(question: string): string {
  return `Describe the whole of this video: what is seen, said and heard, how it moves, what is written in it and where scenes change. Then answer this:\n\n${question}`;
}

function remedy(error: Error): string {
  if (!(error instanceof ModelError)) return '';
  if (error.kind === 'payload_too_large') return ' Make the video shorter or compress it.';
  // Without a status nothing was sent, and the error says why.
  if (error.kind !== 'bad_request' || error.status === undefined) return '';
  return ' The model may take no videos: name one that does as auxiliary.video.model (its provider as auxiliary.vision.provider).';
}
