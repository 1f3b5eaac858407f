/** Leaves behind what still holds the program when it has nothing to do any more. */

/** Ends the process after so many seconds unless it ends by itself before; 0 waits for as long as it takes. */
export function exitAfter(seconds: number): void {
  if (seconds <= 0) return;
  // Alone it keeps nothing alive.
  setTimeout(() => process.exit(), seconds * 1000).unref();
}
