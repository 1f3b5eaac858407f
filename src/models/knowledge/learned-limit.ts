/** Reads out of a provider's refusal how long the window of the model is. */

/** The whole range that is believed, in tokens. */
const minWindow = 1024;
const maxWindow = 10_000_000;

/** A number of at least four digits, with or without commas. */
const number = String.raw`(\d{1,3}(?:[,_]\d{3})+|\d{4,9})\b`;

/** How the limit is said, most certain first. Sources: answers of the servers named behind each. */
const phrasings: readonly RegExp[] = [
  // Anthropic: "prompt is too long: 250000 tokens > 200000 maximum"; "… exceed context limit: 190000 + 20000 > 200000"
  new RegExp(String.raw`>\s*${number}`),
  // llama.cpp: {"n_prompt_tokens": 9000, "n_ctx": 8192}
  new RegExp(String.raw`"?n_ctx(?:_slot)?"?\s*[:=]\s*${number}`),
  // OpenAI, vLLM, OpenRouter: "maximum context length is 32768 tokens"; xAI: "maximum prompt length is 131072"
  new RegExp(
    String.raw`max(?:imum)?[ _-](?:(?:model|context|prompt|input|sequence|token|total)[ _-]){0,3}(?:length|window|size|limit|tokens?)\s*(?:is|of|:|=|\()?\s*${number}`,
  ),
  // Gemini: "exceeds the maximum number of tokens allowed (1048576)"
  new RegExp(String.raw`maximum number of (?:input |context )?tokens(?: allowed)?\s*(?:is|of|:|\()?\s*${number}`),
  // Copilot: "exceeds the limit of 128000"
  new RegExp(String.raw`exceed(?:s|ed)? the limit of ${number}`),
  // Kimi: "exceeded model token limit: 262144"; not MiniMax: "context window exceeds limit (2013)", an error code
  new RegExp(String.raw`(?:context|tokens?|model|prompt|input)[^.\d]{0,40}\blimit\s*(?:is|of|:|=)?\s*${number}`),
  // llama.cpp, Ollama: "exceeds the available context size (4096 tokens)", "context window of 8192"
  new RegExp(
    String.raw`context (?:length|size|window|limit)\s*(?:\([^)\d]{0,20})?(?:is|of|only|at most|:|=|\(|to)?\s*${number}`,
  ),
  // Mistral: "too large for model with 32768 maximum context length"
  new RegExp(String.raw`${number}[ -](?:tokens?[ -])?(?:maximum|max) context`),
  new RegExp(String.raw`${number}[ -]tokens?[ -](?:context|limit|maximum|window)`),
];

/** Limits of time or of the answer are no windows. */
const otherLimit =
  /per[ -](?:second|minute|hour|day|month)|\b[rt]p[md]\b|rate[ _-]?limit|quota|max(?:imum)?[ _](?:completion|output|new)[ _]tokens|completion tokens|output tokens/;
/** A refusal that speaks of the prompt as well is about the window, whatever else it mentions. */
const aboutWindow = /context|prompt is too long|prompt length|input token count|token limit/;

/**
 * Tokens of the window that a refusal names; undefined when it names none, or another limit (requests a minute, length
 * of the answer).
 */
export function learnedLimit(errorText: string): number | undefined {
  const text = errorText.slice(0, 20_000).toLowerCase();
  if (otherLimit.test(text) && !aboutWindow.test(text)) return undefined;
  if (/per[ -](?:minute|day|hour)|\b[rt]p[md]\b/.test(text)) return undefined;
  for (const phrasing of phrasings) {
    const digits = phrasing.exec(text)?.[1];
    const tokens = digits === undefined ? undefined : toWindow(digits);
    if (tokens !== undefined) return tokens;
  }
  return undefined;
}

/** A window in tokens out of a number or its text (`"131,072"`); undefined when it cannot be one. */
export function toWindow(value: unknown): number | undefined {
  const tokens =
    typeof value === 'string' && /^\d[\d,_]{0,14}$/.test(value) ? Number(value.replace(/[,_]/g, '')) : value;
  return typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= minWindow && tokens <= maxWindow
    ? tokens
    : undefined;
}
