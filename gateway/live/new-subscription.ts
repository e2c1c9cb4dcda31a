/** Which subscription a message asks for. */
import type { SubscribeMessage } from '../../api/live/live-messages.ts';
import type { Status } from '../../api/meta/status.ts';
import { LineSubscription } from './line-subscription.ts';
import type { LiveContext, Subscription } from './live-subscription.ts';
import { subjectOf } from './live-target.ts';
import { WindowSubscription } from './window-subscription.ts';
import { ObjectSubscription } from './object-subscription.ts';

/** It has not begun yet; or why there is none. */
export function newSubscription(
  context: LiveContext,
  message: SubscribeMessage,
): Subscription | { readonly refusal: Status } {
  const subject = subjectOf(message);
  if ('refusal' in subject) return subject;
  if (subject.kind === 'lines') return new LineSubscription(context, message);
  if (message.window === undefined) return new ObjectSubscription(context, message);
  return new WindowSubscription(context, message, message.window);
}
