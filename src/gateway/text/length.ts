/** The length of a text as a platform counts it. */

/** UTF-16 code units (Telegram), code points (most), UTF-8 bytes (IRC). */
export type LengthUnit = 'utf16' | 'codepoint' | 'byte';

export function measure(text: string, unit: LengthUnit): number {
  if (unit === 'utf16') return text.length;
  if (unit === 'byte') return Buffer.byteLength(text);
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * Where the longest piece that begins at `start` and is no longer than `room` ends. It never ends within a code point,
 * and always holds at least one.
 */
export function endWithin(text: string, start: number, room: number, unit: LengthUnit): number {
  let end = start;
  let left = room;
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0;
    left -= widthOf(code, unit);
    if (left < 0 && end > start) return end;
    end += code > 0xffff ? 2 : 1;
    if (left < 0) return end;
  }
  return end;
}

function widthOf(code: number, unit: LengthUnit): number {
  if (unit === 'codepoint') return 1;
  if (unit === 'utf16') return code > 0xffff ? 2 : 1;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
