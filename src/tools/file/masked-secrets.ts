/** Masks secrets line by line, and keeps masks from being written back over the secrets. */

/**
 * The lines with secrets masked, one for one, so that line numbers stay right. Private keys, which the masking
 * of text would replace as one block, are masked line by line, also when only a part of them is in view.
 */
export function maskLines(lines: readonly string[], redact: (text: string) => string): string[] {
  const withoutKeys = maskPrivateKeys(lines);
  const masked = redact(withoutKeys.join('\n')).split('\n');
  return masked.length === lines.length ? masked : withoutKeys.map((line) => redact(line));
}

/**
 * True when the new text holds a line in which a secret of the old text stands masked, as it was shown to the model:
 * writing it would destroy the secret.
 */
export function bringsMasksBack(oldText: string, newText: string, redact: (text: string) => string): boolean {
  if (redact(oldText) === oldText) return false;
  const oldLines = oldText.split('\n').map((line) => line.trim());
  const known = new Set(oldLines);
  const added = new Set(
    newText
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => !known.has(line)),
  );
  if (added.size === 0) return false;
  const masked = maskLines(oldLines, redact);
  return masked.some((line, index) => line !== oldLines[index] && added.has(line.trim()));
}

const keyMask = '[REDACTED PRIVATE KEY]';
const keyBegin = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;
const keyEnd = /-----END [A-Z0-9 ]*PRIVATE KEY-----/;

function maskPrivateKeys(lines: readonly string[]): string[] {
  const firstEnd = lines.findIndex((line) => keyEnd.test(line));
  const firstBegin = lines.findIndex((line) => keyBegin.test(line));
  // An end without a beginning: the window starts inside a key.
  let inside = firstEnd !== -1 && (firstBegin === -1 || firstEnd < firstBegin);
  return lines.map((line) => {
    if (keyBegin.test(line)) inside = true;
    if (!inside) return line;
    if (keyEnd.test(line)) inside = false;
    return keyMask;
  });
}
