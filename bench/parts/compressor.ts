/** What shortens a history, as it is bundled for the measurement of it. */
export { Compressor } from '../../src/agent/context/compressor.ts';
export { pairCalls } from '../../src/agent/history.ts';
