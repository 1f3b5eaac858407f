/** Command lines with places for values, which the shell reads as one word each, wherever they stand. */

type Quote = '"' | "'" | undefined;

/**
 * `{name}` and `{{name}}` become the value; other doubled braces become single ones, other single ones stay, and `${name}` is the
 * shell's own.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const names = Object.keys(values).join('|');
  const place = new RegExp(String.raw`(?<!\$)(?:\{\{(${names})\}\}|\{(${names})\})`, 'g');
  let filled = '';
  let at = 0;
  for (const { index, 0: whole, 1: doubled, 2: single } of template.matchAll(place)) {
    const value = values[doubled ?? single ?? ''] ?? '';
    filled += plainBraces(template.slice(at, index)) + quoted(value, quoteAt(template, index));
    at = index + whole.length;
  }
  return filled + plainBraces(template.slice(at));
}

function plainBraces(text: string): string {
  return text.replaceAll('{{', '{').replaceAll('}}', '}');
}

/** Which quotes are open there. */
function quoteAt(template: string, end: number): Quote {
  let quote: Quote;
  for (let at = 0; at < end; at += 1) {
    const sign = template[at];
    if (quote === "'") {
      if (sign === "'") quote = undefined;
    } else if (sign === '\\') at += 1;
    else if (quote === '"') {
      if (sign === '"') quote = undefined;
    } else if (sign === '"' || sign === "'") quote = sign;
  }
  return quote;
}

function quoted(value: string, within: Quote): string {
  if (within === '"') return value.replace(/[\\"$`]/g, String.raw`\$&`);
  const inSingle = value.replaceAll("'", String.raw`'\''`);
  return within === "'" ? inSingle : `'${inSingle}'`;
}
