/** Names of Home Assistant that go into addresses: whoever writes them must not be able to lead elsewhere. */
import { failure, type ToolOutcome } from '../../agent/tool.ts';

/** Domains whose services run programs or reach beyond the house. */
const refusedDomains: readonly string[] = [
  'command_line',
  'hassio',
  'pyscript',
  'python_script',
  'rest_command',
  'shell_command',
];

const entityPattern = /^[a-z_][a-z0-9_]*\.[a-z0-9_]+$/;
const namePattern = /^[a-z][a-z0-9_]*$/;

/** What is wrong with an entity's id; undefined: nothing. */
export function refuseEntity(id: string): string | undefined {
  return entityPattern.test(id) ? undefined : `Invalid entity_id '${id.slice(0, 100)}': it looks like light.kitchen`;
}

/** What is wrong with a service; undefined: nothing. */
export function refuseService(domain: string, service: string): string | undefined {
  for (const [what, name] of [
    ['domain', domain],
    ['service', service],
  ] as const) {
    if (!namePattern.test(name)) return `Invalid ${what} '${name.slice(0, 100)}': small letters, digits and _`;
  }
  if (!refusedDomains.includes(domain)) return undefined;
  return `Services of '${domain}' are never called from here: they run programs. Refused: ${refusedDomains.join(', ')}`;
}

export function refused(problem: string): ToolOutcome {
  return failure({ error: problem });
}
