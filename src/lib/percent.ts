/** Text with its percent escapes read; where a `%` stands for itself, the text as it is written. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
