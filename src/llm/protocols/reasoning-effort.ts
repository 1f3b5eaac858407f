/** The steps of reasoning effort, and what to ask for where not all of them are known. */
import type { ReasoningEffort } from '../protocol.ts';

const steps: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

/** `effort`, or the nearest step that the endpoint knows; of two that are as near, the lower. */
export function nearestEffort(effort: ReasoningEffort, known: readonly ReasoningEffort[] | undefined): ReasoningEffort {
  if (known === undefined || known.includes(effort)) return effort;
  const distance = (step: ReasoningEffort) => Math.abs(steps.indexOf(step) - steps.indexOf(effort));
  const [nearest] = steps.filter((step) => known.includes(step)).sort((a, b) => distance(a) - distance(b));
  return nearest ?? effort;
}
