/** The variable that every process carries which an agent has started. */

export const shellMark = 'HERMES_SHELL_ID';

/** As an agent's environment writes it; what a person runs from a chat (`!command`) has another form. */
const agentMark = /^[\da-f]{32}\.\d+\.$/;

export function isAgentMark(value: string): boolean {
  return agentMark.test(value);
}
