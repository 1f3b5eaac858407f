/** `hermes doctor --security`: what is reachable, each thing really tried, with the guards as a session has them. */
import type { Check } from '../finding.ts';
import { auditRecord } from './audit-record.ts';
import { commands } from './commands.ts';
import { commandEnvironment } from './environment.ts';
import { agentFiles } from './files.ts';
import { otherUsers } from './other-users.ts';
import { sandbox } from './sandbox.ts';

export const securityProbes: readonly Check[] = [
  agentFiles,
  commands,
  commandEnvironment,
  sandbox,
  otherUsers,
  auditRecord,
];
