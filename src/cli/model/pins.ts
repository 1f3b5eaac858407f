/** What an administrator has decided. */
import type { ManagedScope } from '../../config/managed.ts';

/** True when the administrator decides this dotted key, a part of it, or what contains it. */
export function isPinned({ keys }: ManagedScope, key: string): boolean {
  return keys.some((leaf) => leaf === key || leaf.startsWith(`${key}.`) || key.startsWith(`${leaf}.`));
}
