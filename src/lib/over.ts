/** Why something stops that is no longer wanted. */

/**
 * For `AbortController.abort` where nobody reads the reason. Without one Node makes an error with its stack each time; a
 * gateway ends some ten small things with every turn, and that was 2 % of its processor time.
 */
export const over: unknown = new DOMException('This operation was aborted', 'AbortError');
