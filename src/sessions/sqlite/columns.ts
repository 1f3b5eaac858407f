/** Reads values out of rows. SQLite columns may hold any type, whatever was declared. */
import type { Row } from './connection.ts';

/** The column as text; the empty string when it is null or missing. */
export function text(row: Row, column: string): string {
  return textOrNull(row, column) ?? '';
}

/** The column as text; numbers are written out, blobs count as null. */
export function textOrNull(row: Row, column: string): string | null {
  const value = row[column];
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : null;
}

/** The column as a number; 0 when it is not one. */
export function number(row: Row, column: string): number {
  return numberOrNull(row, column) ?? 0;
}

/** The column as a number; null when it is not one. */
export function numberOrNull(row: Row, column: string): number | null {
  const value = row[column];
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : null;
}
