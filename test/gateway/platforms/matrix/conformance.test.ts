/** Matrix keeps to what every chat platform keeps to. */
import { matrix } from '../../../fakes/matrix-platform.ts';
import { conformance } from '../../conformance.ts';

conformance(matrix);
