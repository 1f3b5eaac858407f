/** What there is against a script, and where it runs. Nobody can see into one: it is a program that nobody knows. */
import { createHash } from 'node:crypto';
import type { ToolContext } from '../../agent/tool.ts';
import type { Confinement } from '../../environments/environment.ts';
import { UserError } from '../../lib/errors.ts';
import { containable, type Judgement, unclear } from '../../safety/finding.ts';
import { noSandboxMessage } from '../policy/messages.ts';
import type { ToolServices } from '../services.ts';
import { placementOf } from '../terminal/placement.ts';

const unknownProgram = { verdict: 'unknown', place: 'sandbox', unknown: ['a script'] } as const;

/** In the sandbox or in a container it may run; without one a person is shown all of it. What it calls is judged call by call. */
export async function judgeScript(code: string, services: ToolServices): Promise<Judgement> {
  const placement = await placementOf(unknownProgram, services, undefined, services.environment.cwd);
  if (placement.kind === 'confined') return { shown: code, findings: [] };
  if (placement.kind === 'nowhere') {
    const message = noSandboxMessage(placement.problem);
    return { shown: code, findings: [], refused: { reason: placement.problem, message } };
  }
  if (services.insideContainer) return { shown: code, findings: [] };
  const why = placement.noSandbox === undefined ? '' : ` (${placement.noSandbox})`;
  const description = `runs a script with all rights of the user, without a sandbox${why}`;
  // An answer is one about this very script.
  const digest = createHash('sha256').update(code).digest('hex').slice(0, 16);
  return { shown: code, findings: [{ ...containable(unclear(description)), key: `execute_code ${digest}` }] };
}

/** What a script that is about to run is confined to; `undefined`: it runs with all rights of the person. */
export async function placeScript({
  services,
  rights,
}: Pick<ToolContext<ToolServices>, 'services' | 'rights'>): Promise<Confinement | undefined> {
  const placement = await placementOf(unknownProgram, services, rights, services.environment.cwd);
  if (placement.kind === 'nowhere') throw new UserError(placement.problem);
  if (placement.kind === 'confined') return placement.confinement;
  if (placement.noSandbox !== undefined) services.state.unconfined.fellBack(placement.noSandbox);
  return undefined;
}
