/** What all services say of a browser that they lend, as far as it can be trusted. */
import * as z from 'zod';

export const startMs = 30_000;
export const endMs = 10_000;

/** It becomes a part of addresses. */
export const lentId = z.string().regex(/^[\w-]{1,200}$/, 'an id has letters, digits, - and _');

export const endpoint = z
  .string()
  .regex(/^(?:wss?|https?):\/\/\S+$/, 'the address of a browser begins with wss: or https:');
