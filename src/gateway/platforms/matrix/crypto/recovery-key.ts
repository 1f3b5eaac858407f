/** A recovery key as people write it down. https://spec.matrix.org/latest/appendices/#cryptographic-key-representation */

const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const prefix = [0x8b, 0x01];
const keyBytes = 32;
const allBytes = prefix.length + keyBytes + 1;

/** Undefined for what is none, or has a letter that is wrong. */
export function readRecoveryKey(written: string): Buffer | undefined {
  let value = 0n;
  for (const letter of written.replaceAll(/\s/g, '')) {
    const digit = letters.indexOf(letter);
    if (digit === -1) return undefined;
    value = value * 58n + BigInt(digit);
    if (value >> BigInt(allBytes * 8) > 0n) return undefined;
  }
  const bytes = Buffer.from(value.toString(16).padStart(allBytes * 2, '0'), 'hex');
  const isWhole = bytes.reduce((parity, byte) => parity ^ byte, 0) === 0;
  return isWhole && prefix.every((byte, index) => bytes[index] === byte)
    ? bytes.subarray(prefix.length, prefix.length + keyBytes)
    : undefined;
}

/** In groups of four. */
export function writeRecoveryKey(key: Uint8Array): string {
  const bytes = [...prefix, ...key];
  const parity = bytes.reduce((sum, byte) => sum ^ byte, 0);
  let value = BigInt(`0x${Buffer.from([...bytes, parity]).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = (letters[Number(value % 58n)] ?? '') + text;
  return text.match(/.{1,4}/g)?.join(' ') ?? '';
}
