/** `text_to_speech`: has a text spoken by the service or program that the owner chose. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { failure } from '../../agent/tool.ts';
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { afterOutsideText, type Finding, type Judgement } from '../../safety/finding.ts';
import { formatOf } from '../../speech/audio-format.ts';
import { formatFor } from '../../speech/format-for.ts';
import { previewLine } from '../file/text-window.ts';
import { PathDenied } from '../policy/path-denied.ts';
import type { ToolServices } from '../services.ts';

const parameters = z.object({
  text: z.string().min(1).describe('Long text is cut'),
  output_path: z.string().optional().describe('Default: a file of the cache'),
});

type Args = z.infer<typeof parameters>;

export const textToSpeechTool = defineTool<ToolServices, typeof parameters>({
  name: 'text_to_speech',
  toolset: 'tts',
  description: 'Speak text into an audio file. To send it, put the media_tag of the result into your answer as it is.',
  parameters,
  traits: { longRunning: true },
  display: { emoji: '🔊', preview: ({ text }) => previewLine(text) },
  available: ({ state }) => state.speech?.access.output.kind === 'speaker',
  judge: judgeSpeaking,
  refusal: (message) => ({ success: false, error: message }),
  sources: () => [{ from: 'tool', name: 'text_to_speech' }],
  parallel: { paths: ({ output_path }, { files }) => (output_path === undefined ? [] : [files.resolve(output_path)]) },
  async execute(args, context) {
    const { speech } = context.services.state;
    const output = speech?.access.output;
    if (speech === undefined || output?.kind !== 'speaker')
      return failure({ success: false, error: 'Nothing that speaks is set up.' });
    const problem = pathProblem(args.output_path);
    if (problem !== undefined) return failure({ success: false, error: problem });
    try {
      const { speakToFile } = await import('./speak-to-file.ts');
      return await speakToFile({ ...args, usual: formatFor(speech.surface, output.speaker) }, speech.access, context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof UserError) && !(error instanceof PathDenied)) throw error;
      const told = failure({ success: false, error: context.services.redact(error.message) });
      return { ...told, sources: [{ from: 'server', name: output.speaker.name }] };
    }
  },
});

/** The owner chose who speaks; once text from outside has entered, it may have chosen what is said to whom. */
async function judgeSpeaking({ text, output_path: path }: Args, services: ToolServices): Promise<Judgement> {
  const output = services.state.speech?.access.output;
  const speaker = output?.kind === 'speaker' ? output.speaker : undefined;
  const shown = [`${speaker?.name ?? 'text_to_speech'}: ${text}`, ...(path === undefined ? [] : [path])].join('\n');
  // What is spoken on this machine goes nowhere.
  const findings: Finding[] =
    speaker?.program === undefined ? [afterOutsideText(`has text spoken by ${speaker?.name ?? 'a service'}`)] : [];
  if (path === undefined || pathProblem(path) !== undefined) return { shown: escaped(shown), findings };
  const { judgeWrite } = await import('../file/judge-write.ts');
  const write = await judgeWrite('text_to_speech', [path], services);
  return { ...write, shown: escaped(shown), findings: [...findings, ...write.findings] };
}

function escaped(text: string): string {
  return escapeForDisplay(text).slice(0, 4000);
}

function pathProblem(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (path.split(/[\\/]/).includes('..'))
    return `output_path must not go up by '..': ${path.slice(0, 200)}. Name an absolute path, or one below the working folder.`;
  return formatOf(path) === undefined
    ? `output_path must end in .mp3, .ogg, .wav or .flac: ${path.slice(0, 200)}`
    : undefined;
}
