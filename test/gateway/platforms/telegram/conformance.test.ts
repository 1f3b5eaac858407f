/** Telegram keeps to what every chat platform keeps to. */
import { telegram, telegramWebhook } from '../../../fakes/telegram-platform.ts';
import { conformance } from '../../conformance.ts';

conformance(telegram);
conformance(telegramWebhook);
