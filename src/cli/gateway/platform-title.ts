/** A chat platform as lists show it. */
import type { PlatformFacts } from '../../gateway/platform/platform.ts';

export function platformTitle({ label, plugin }: Pick<PlatformFacts, 'label' | 'plugin'>): string {
  return plugin === undefined ? label : `${label} (plugin)`;
}
