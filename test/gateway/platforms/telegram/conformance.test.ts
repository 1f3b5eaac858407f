/** Telegram keeps to what every chat platform keeps to. */
import { telegram } from '../../../fakes/telegram-platform.ts';
import { conformance } from '../../conformance.ts';

conformance(telegram);
