/** Remembers what a session has read, to stop read loops and stale writes. */
export class ReadLedger {}
