/** What sections of the configuration are when nothing is set, where that was worked out ahead. */

/**
 * JSON by the name of the section. Empty in the sources, where the schema says it; the build fills it in, because most
 * sections of most homes are not set, and building their schemas takes 14 ms of a start.
 */
export const madeDefaults: ReadonlyMap<string, string> = new Map();
