/** Says in one line what a background task has written down. */
import type { FinishedCall } from '../../agent/run-tool-calls.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';

/** `display.memory_notifications`. */
export type LearnedNotice = 'off' | 'on' | 'verbose';

const previewLength = 80;

/** Undefined when nothing was written, or nothing is to be said. */
export function learnedLine(calls: readonly FinishedCall[], mode: LearnedNotice): string | undefined {
  if (mode === 'off') return undefined;
  const written = calls.flatMap((call) => writeOf(call) ?? []);
  const parts = [
    ...new Set(written.map((write) => (mode === 'verbose' ? `${write.what}: ${write.preview}` : write.what))),
  ];
  return parts.length === 0 ? undefined : `💾 ${parts.join(' · ')}`;
}

interface Write {
  readonly what: string;
  readonly preview: string;
}

function writeOf({ name, args, outcome, result }: FinishedCall): Write | undefined {
  if (outcome !== 'ok') return undefined;
  const answer = parseJson(result);
  if (!isJsonObject(answer) || answer['success'] !== true) return undefined;
  const staged = answer['staged'] === true;
  if (name === 'memory') return memoryWrite(args, staged);
  return name === 'skill_manage' ? skillWrite(args, staged, answer) : undefined;
}

function memoryWrite(args: FinishedCall['args'], staged: boolean): Write {
  const what = args['target'] === 'user' ? 'User profile' : 'Memory';
  const text = textOf(args['content']) || textOf(args['old_text']);
  return { what: staged ? `${what} change waits for you: /memory pending` : `${what} updated`, preview: cut(text) };
}

const done: Readonly<Record<string, string>> = {
  create: 'created',
  patch: 'patched',
  edit: 'rewritten',
  delete: 'deleted',
  write_file: 'extended',
  remove_file: 'shortened',
};

function skillWrite(args: FinishedCall['args'], staged: boolean, answer: JsonObject): Write {
  const skill = `Skill '${cut(textOf(args['name']))}'`;
  const action = textOf(args['action']);
  return {
    what: staged ? `${skill} waits for you: /skills pending` : `${skill} ${done[action] ?? 'changed'}`,
    preview: cut(textOf(args['new_string']) || textOf(args['file_path']) || textOf(answer['message'])),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function cut(text: string): string {
  const line = Array.from(text.replace(/[\p{Cc}\s]+/gu, ' ').trim());
  return line.length > previewLength ? `${line.slice(0, previewLength - 1).join('')}…` : line.join('');
}
