/** By what a process is known that an agent has started: a variable, and a limit that nobody but root can lift again. */

export const shellMark = 'HERMES_SHELL_ID';

/** As an agent's environment writes it; what a person runs from a chat (`!command`) has another form. */
const agentMark = /^[\da-f]{32}\.\d+\.$/;

export function isAgentMark(value: string): boolean {
  return agentMark.test(value);
}

/**
 * So many file locks may the shells of an agent have, and all that they start. No kernel since 2.4.24 counts these
 * (https://man7.org/linux/man-pages/man2/getrlimit.2.html), so nothing is taken from anybody; but the number passes on to
 * what leaves its parents, its session and its environment behind.
 */
export const markedLocks = 1_047_110_815;

/** @param limits `/proc/<pid>/limits`. True for what was lowered further as well: raising it takes root. */
export function hasMarkedLimit(limits: string): boolean {
  const most = /^Max file locks\s+\S+\s+(\S+)/m.exec(limits)?.[1];
  return Number(most) <= markedLocks;
}
