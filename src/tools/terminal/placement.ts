/** Where a command runs: with all rights of the person, or kept from harm by the operating system. */
import type { Rights } from '../../agent/policy.ts';
import type { Confinement } from '../../environments/environment.ts';
import type { Verdict } from '../../safety/commands/verdict.ts';
import type { ToolServices } from '../services.ts';

export type Placement =
  /** `noSandbox`: why it runs there although a sandbox should hold it (`terminal.sandbox: auto`). */
  | { readonly kind: 'outside'; readonly noSandbox?: string }
  | { readonly kind: 'confined'; readonly confinement: Confinement }
  /** It must be confined (`terminal.sandbox: always`), and cannot be. */
  | { readonly kind: 'nowhere'; readonly problem: string };

type Place = Pick<ToolServices, 'config' | 'environment' | 'insideContainer' | 'state'>;

/**
 * `rights`: what lifts containment of this call. What is known and must reach outside (a push with the person's keys)
 * does; what is unknown is confined where that is possible.
 */
export async function placementOf(
  { verdict, place, unknown }: Pick<Verdict, 'verdict' | 'place' | 'unknown'>,
  { config, environment, insideContainer, state }: Place,
  rights: Rights | undefined,
  cwd: string,
): Promise<Placement> {
  const { sandbox, sandbox_network: network } = config.terminal;
  if (insideContainer || sandbox === 'off' || rights === 'approved') return outside;
  if (sandbox === 'auto' && rights !== 'contained') {
    if (rights === 'unquestioned') return outside;
    if (place === 'outside' && unknown.length === 0) {
      // A push and its like run the hooks of a repository, which must then be the person's own.
      if (await environment.keepsGitSettings(cwd)) return outside;
    } else if (verdict === 'harmless' && !environment.shellIsAltered) return outside;
  }
  const problem = await environment.confinementProblem();
  if (problem === undefined) return { kind: 'confined', confinement: { network: state.hosts.networkFor(network) } };
  return sandbox === 'always' ? { kind: 'nowhere', problem } : { kind: 'outside', noSandbox: problem };
}

const outside: Placement = { kind: 'outside' };
