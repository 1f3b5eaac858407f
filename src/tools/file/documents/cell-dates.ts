/** Dates in cells: they are numbers, and only the format of the cell says that they mean days. */
import { readXml } from './read-xml.ts';

/** The numbers of the cell styles that show a date or a time. */
export async function readDateStyles(chunks: AsyncIterable<Uint8Array>): Promise<ReadonlySet<number>> {
  const dateFormats = new Set<string>(builtinDateFormats);
  const styles = new Set<number>();
  let inStyles = false;
  let count = 0;
  await readXml(chunks, {
    open(name, attributes) {
      if (name === 'cellXfs') inStyles = true;
      const format = attributes['numFmtId'] ?? '';
      if (name === 'numFmt' && isDateFormat(attributes['formatCode'] ?? '')) dateFormats.add(format);
      if (name !== 'xf' || !inStyles) return;
      if (dateFormats.has(format)) styles.add(count);
      count += 1;
    },
    close(name) {
      if (name === 'cellXfs') inStyles = false;
    },
  });
  return styles;
}

/** ECMA-376, 18.8.30: what these numbers mean is not written down in the file. */
const builtinDateFormats = [14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47].map(String);

function isDateFormat(code: string): boolean {
  const bare = code.replaceAll(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_.|\*./gi, '');
  return /[dmyhs]/i.test(bare) && !/general/i.test(bare);
}

/** The day count of a cell as a date, as a time of day, or as both; undefined for what is none. */
export function dateOf(days: number, from1904: boolean): string | undefined {
  if (!Number.isFinite(days) || days < 0 || days > 2_958_466) return undefined;
  // Day 60 is a 29 February 1900 that never was; the days before it are one off.
  const epoch = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const [date = '', time = ''] = new Date(epoch + Math.round(days * 86_400) * 1000).toISOString().split(/[T.]/);
  if (days < 1 && !from1904) return time;
  return time === '00:00:00' || Number.isInteger(days) ? date : `${date} ${time}`;
}
