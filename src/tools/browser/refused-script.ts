/** What `browser.restrict_evaluate` keeps scripts from. A net for accidents: JavaScript has more ways than can be named. */

const kept: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['cookies', /\bcookie(?:s|Store)?\b/i],
  ['web storage', /\b(?:local|session)Storage\b/],
  ['databases of the page', /\bindexedDB\b|\bcaches\b/i],
  ['clipboard and credentials', /\bclipboard\b|\bcredentials\b/i],
  ['service workers', /\bserviceWorker\b/],
  ['the network', /\bfetch\b|\bXMLHttpRequest\b|\bsendBeacon\b|\bWebSocket\b|\bEventSource\b|\bimport\s*\(/],
  ['values of forms', /\.value\b|\bFormData\b/],
  [
    'names that are put together',
    /\beval\b|\bFunction\b|\b(?:window|self|globalThis|document|navigator)\s*(?:\?\.)?\[/,
  ],
];

/** Which of it an expression uses; undefined: none. */
export function refusedScript(expression: string): string | undefined {
  return kept.find(([, pattern]) => pattern.test(expression))?.[0];
}
