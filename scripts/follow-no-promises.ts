/** Runs tests without Node following every promise. */
import asyncHooks from 'node:async_hooks';

/**
 * The runner of Node notes for each asynchronous resource which test began it. For promises that costs a seventh of the time
 * of a run, and gives no more than the name of the test beside an error that nothing awaited. To be called before `node:test`
 * is loaded; a Node 24 that does not know the option goes on as before.
 */
export function followNoPromises(): void {
  const { createHook } = asyncHooks;
  asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
}
