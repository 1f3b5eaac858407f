/** Puts the system prompt together: stable parts first, so that providers can cache the front of it. */

export interface PromptFacts {
  readonly identity: string;
  readonly tools: readonly string[];
  /** Where commands run. */
  readonly environment: {
    readonly kind: string;
    readonly platform: string;
    readonly home: string;
    readonly cwd: string;
  };
  /** The surface the user sits at (`cli`, `telegram` …). */
  readonly surface: string;
  readonly model: string;
  readonly provider: string;
  /** Named in the prompt when the user asked for it. */
  readonly sessionId?: string;
  readonly startedAt: Date;
  /** IANA name; the system's when absent. */
  readonly timeZone?: string;
}

const surfaceHints: Readonly<Record<string, string>> = {
  cli: 'The user reads your answers in a terminal. Short Markdown is rendered; keep lines and tables narrow.',
};

/** Parts joined by one blank line. Built once a session; the same facts give the same bytes. */
export function buildSystemPrompt(facts: PromptFacts): string {
  return [
    facts.identity,
    ...toolGuidance(facts),
    environmentHint(facts),
    surfaceHints[facts.surface],
    startLines(facts),
  ]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n');
}

function toolGuidance({ tools }: PromptFacts): string[] {
  const has = (name: string): boolean => tools.includes(name);
  const lines: string[] = [];
  if (has('read_file') && has('terminal')) {
    lines.push(
      'Prefer read_file, search_files, patch and write_file over shell commands for reading, finding and changing files.',
    );
  }
  if (has('todo')) lines.push('For work of three or more steps, keep a todo list and update it as you go.');
  return lines.length === 0 ? [] : [lines.join(' ')];
}

function environmentHint({ tools, environment }: PromptFacts): string | undefined {
  if (!tools.includes('terminal') && !tools.includes('read_file')) return undefined;
  if (environment.kind !== 'local')
    return `Commands and files are in a ${environment.kind} environment; its working directory is ${environment.cwd}.`;
  return `Operating system: ${environment.platform}. Home: ${environment.home}. Working directory: ${environment.cwd}.`;
}

function startLines(facts: PromptFacts): string {
  const started = formatStart(facts.startedAt, facts.timeZone);
  const lines = [`Conversation started: ${started}`];
  if (facts.sessionId !== undefined) lines.push(`Session ID: ${facts.sessionId}`);
  lines.push(`Model: ${facts.model}`, `Provider: ${facts.provider}`);
  return lines.join('\n');
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `Monday, March 30, 2026 02:30 PM`. By hand for the system's zone: `Intl` costs 13 ms and 6 MB at every start. */
function formatStart(date: Date, timeZone: string | undefined): string {
  const local = timeZone === undefined ? date : inZone(date, timeZone);
  const hour = local.getHours();
  const time = `${String(hour % 12 === 0 ? 12 : hour % 12).padStart(2, '0')}:${String(local.getMinutes()).padStart(2, '0')}`;
  const day = `${weekdays[local.getDay()] ?? ''}, ${months[local.getMonth()] ?? ''} ${local.getDate()}, ${local.getFullYear()}`;
  return `${day} ${time} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** A date whose local fields read as the clock in that zone does. */
function inZone(date: Date, timeZone: string): Date {
  return new Date(date.toLocaleString('en-US', { timeZone }));
}
