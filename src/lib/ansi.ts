/**
 * Removing terminal control sequences from text. Node's `util.stripVTControlCharacters` leaves device control strings,
 * application commands and private modes such as `CSI > 4 ; 2 m` behind, and takes quadratic time for unfinished ones.
 */

/**
 * In this order: CSI (with private modes), string sequences (OSC, DCS, SOS, PM, APC) ended by BEL or ST,
 * two-byte escapes with intermediates, and whatever introducers are left. Every alternative stops at the next
 * introducer, so that a text of unfinished sequences costs linear time.
 */
const controlSequence =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]|[\x1b\x80-\x9f]/g;

const introducer = /[\x1b\x80-\x9f]/;

/** The text without colours, cursor movement, titles and other ECMA-48 control sequences. Linear in its length. */
export function stripAnsi(text: string): string {
  return introducer.test(text) ? text.replace(controlSequence, '') : text;
}
