/** What an account may still use, in lines. */
import type { AccountLimits, LimitWindow } from '../../providers/account-limits/account-limits.ts';

/** `now`: milliseconds since 1970. */
export function limitLines({ plan, windows, facts }: AccountLimits, provider: string, now: number): readonly string[] {
  return [
    `Account:  ${provider}${plan == null ? '' : ` (${plan})`}`,
    ...windows.map((window) => `${`${window.name}:`.padEnd(9)} ${windowText(window, now)}`),
    ...facts.map((fact) => fact.replace(/^[^:]*: /, (name) => name.padEnd(10))),
  ];
}

function windowText({ usedPercent, resetsAt, detail }: LimitWindow, now: number): string {
  const used = Math.max(0, Math.round(usedPercent));
  return [
    `${Math.max(0, 100 - used)}% left, ${used}% used`,
    ...(detail === undefined ? [] : [detail]),
    ...(resetsAt === undefined ? [] : [`full again ${untilText(resetsAt - now)}`]),
  ].join(', ');
}

function untilText(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 0) return 'now';
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  if (days > 0) return `in ${days} d ${hours} h`;
  return hours > 0 ? `in ${hours} h ${minutes % 60} min` : `in ${minutes} min`;
}
