/** Text without what no reader sees and a model does: zero-width and tag characters, direction overrides, controls. */
export function visible(text: string): string {
  return text.replace(
    // The joiners U+200C and U+200D stay: scripts and emoji need them.
    /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u00AD\u200B\u2060-\u2064\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu,
    '',
  );
}
