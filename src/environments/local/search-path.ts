/** Where programs are looked for. */

/** `PATH` of an environment; empty when it has none. */
export function searchPathOf(env: Readonly<Record<string, string | undefined>>): string {
  return env['PATH'] ?? '';
}
