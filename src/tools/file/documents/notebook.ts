/** The cells of a Jupyter notebook as plain text. Format: https://nbformat.readthedocs.io/en/latest/format_description.html */
import * as z from 'zod';

const sourceShape = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))]);
const notebookShape = z.object({ cells: z.array(z.object({ cell_type: z.string(), source: sourceShape })) });

const names: Readonly<Record<string, string>> = { markdown: 'Markdown', code: 'Code', raw: 'Raw' };

/** Without outputs, each cell under a heading that counts cells of its kind. Throws for what is no notebook. */
export function notebookText(text: string): string {
  const counts = new Map<string, number>();
  const cells = notebookShape.parse(JSON.parse(text)).cells.map(({ cell_type: type, source }) => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    return `# ── ${names[type] ?? type} cell ${count} ──\n${source.replace(/\n$/, '')}`;
  });
  return cells.join('\n\n');
}
