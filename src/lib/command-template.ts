/** Command lines of the owner's with places for values, which the shell reads as one word each, wherever they stand. */

/**
 * `{name}` and `{{name}}` become the value as one word of the shell, whatever quotes they stand in; other doubled braces become
 * single ones, and `${name}` is the shell's own.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const parts = /\\[^]|["']|\$\{|\{\{(\w+)\}\}|\{(\w+)\}|\{\{|\}\}/g;
  const named = new Map(Object.entries(values));
  let open = '';
  return template.replace(parts, (found: string, doubled?: string, single?: string) => {
    const value = named.get(doubled ?? single ?? '');
    if (value !== undefined) return asWord(value, open);
    if (found === '"' || found === "'") {
      if (open === '') open = found;
      else if (open === found) open = '';
      return found;
    }
    // Between single quotes a backslash is one, so that a quote behind it ends them.
    if (found === "\\'" && open === "'") open = '';
    return found.startsWith('\\') ? found : found.replaceAll('{{', '{').replaceAll('}}', '}');
  });
}

function asWord(value: string, open: string): string {
  if (open === '"') return value.replace(/[\\"$`]/g, String.raw`\$&`);
  const inside = value.replaceAll("'", String.raw`'\''`);
  return open === "'" ? inside : `'${inside}'`;
}
