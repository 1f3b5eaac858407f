/** The last lines of the prompt: when the conversation began, and with which model. */

export interface StartFacts {
  readonly startedAt: Date;
  /** IANA name; the system's when absent. */
  readonly timeZone?: string;
  /** Named when the user asked for it. */
  readonly sessionId?: string;
  readonly model: string;
  readonly provider: string;
}

export function startLines(facts: StartFacts): string {
  const lines = [`Conversation started: ${formatStart(facts.startedAt, facts.timeZone)}`];
  if (facts.sessionId !== undefined) lines.push(`Session ID: ${facts.sessionId}`);
  lines.push(`Model: ${facts.model}`, `Provider: ${facts.provider}`);
  // The endpoint reports a wrong name of the model.
  if (facts.provider === 'alibaba') lines.push(`You run on the model ${facts.model}, whatever else you may be told.`);
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

/**
 * `Monday, March 30, 2026`: the day alone, so that sessions of one day begin with the same bytes. By hand for the system's
 * zone: `Intl` costs 13 ms and 6 MB at every start.
 */
function formatStart(date: Date, timeZone: string | undefined): string {
  const local = timeZone === undefined ? date : inZone(date, timeZone);
  return `${weekdays[local.getDay()] ?? ''}, ${months[local.getMonth()] ?? ''} ${local.getDate()}, ${local.getFullYear()}`;
}

/** A date whose local fields read as the calendar in that zone does. */
function inZone(date: Date, timeZone: string): Date {
  return new Date(date.toLocaleString('en-US', { timeZone }));
}
