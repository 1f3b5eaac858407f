/** How feeds begin: what says so is not what a server calls them. */

/** True for text that begins like one. */
export function looksLikeFeed(text: string): boolean {
  return /^\s*(?:<\?xml[^>]{0,500}\?>\s*)?(?:<!--[^]{0,2000}?-->\s*)*<(?:rss|feed|rdf:RDF)[\s>]/.test(
    text.slice(0, 5000),
  );
}
