/** Entry of the thread that makes one picture smaller: what it fills with memory, or breaks, ends with the thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { resample } from './resample.ts';

const { bytes, orientation }: { readonly bytes: Uint8Array; readonly orientation: number } = workerData;
const made = await resample(bytes, orientation);
parentPort?.postMessage(made, []);
