/** This machine keeps to what all environments keep to. */
import { conformance } from './conformance.ts';
import { living, makeWorkplace } from './support.ts';

conformance('local', (t) => {
  const { environment, directory } = makeWorkplace(t);
  return Promise.resolve({ environment, directory, living: (text) => Promise.resolve(living(text)) });
});
