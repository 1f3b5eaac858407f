/** How a skill is typed as a command. */

/** A skill's or bundle's name as a command: lower case, spaces and underscores as hyphens. Empty when nothing is left. */
export function commandName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
    .replace(/[^\p{L}\p{N}.-]/gu, '')
    .replace(/-{2,}/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
}
