/** Answers that mean: say nothing. */

const MAX_LENGTH = 64;
const TOKENS: ReadonlySet<string> = new Set(['[SILENT]', 'SILENT', 'NO_REPLY', 'NO REPLY']);
const LONGEST_TOKEN = Math.max(...[...TOKENS].map(({ length }) => length));

/** The whole answer is a token such as `[SILENT]` or `NO_REPLY`: it is stored and not sent. */
export function isSilent(answer: string): boolean {
  const text = answer.trim();
  return text !== '' && text.length <= MAX_LENGTH && TOKENS.has(bare(text));
}

/** What has been streamed so far may still become such a token, so it is held back. */
export function maySilence(partial: string): boolean {
  const text = bare(partial.trim()).slice(0, LONGEST_TOKEN + 1);
  if (partial.length > MAX_LENGTH) return false;
  return [...TOKENS].some((token) => token.startsWith(text) || text === '[' || token.startsWith(`[${text}`));
}

// The whole text, apart from brackets, stars and punctuation around it.
const NARRATION =
  /^(?:silent|silence|no (?:response|reply|answer|comment|output|message)(?: (?:needed|required|necessary))?|nothing to (?:say|add|report)|(?:stays?|remains?|staying|remaining) silent)$/i;

/** A text that only tells of silence: `(silent)`, `no response`, `…`, 🔇. */
export function isSilenceNarration(answer: string): boolean {
  const text = answer.trim();
  if (text === '' || text.length > MAX_LENGTH) return false;
  if (isSilent(text) || /^(?:\.{3,}|…|🔇|🤫)+$/u.test(text)) return true;
  return NARRATION.test(text.replaceAll(/^[\s\p{P}*_]+|[\s\p{P}*_]+$/gu, '').replaceAll(/\s+/g, ' '));
}

/** In capitals, without punctuation at its edges and with single spaces. */
function bare(text: string): string {
  const token = text.toUpperCase().replaceAll(/\s+/g, ' ');
  const trimmed = token.replaceAll(/^[^\p{L}\p{N}[]+|[^\p{L}\p{N}\]]+$/gu, '');
  return trimmed
    .replaceAll(/\[\s+/g, '[')
    .replaceAll(/\s+\]/g, ']')
    .replaceAll(/\s*_\s*/g, '_');
}
