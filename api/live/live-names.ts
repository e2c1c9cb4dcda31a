/** What messages of the live protocol have in common. */
import { LIVE_LIMITS } from './live-limits.ts';

/** Names a subscription. */
export const ID = {
  type: 'string',
  maxLength: LIVE_LIMITS.idCharactersMax,
  description: 'The subscription, named by the client; free again behind `complete` and `error`.',
} as const;

/** A place in the order of everything. */
export const REVISION = {
  type: 'string',
  maxLength: 20,
  description: 'A resourceVersion: a whole number in decimal digits.',
} as const;
