/** What a server says of pods, and what a watch gives of it. */
import type { ServerMessage } from '../../api/live/live-messages.ts';
import type { Change } from './live-client.ts';

/** The path that is watched. */
export const PODS = '/api/v1/namespaces/shop/pods';

/** A pod as it is shown. */
export const pod = (name: string, image = 'a') => ({
  metadata: { namespace: 'shop', name },
  spec: { containers: [{ name: 'web', image }] },
});

/** The objects that are there when a subscription begins. */
export const state = (
  id: string,
  revision: string,
  ...names: readonly string[]
): ServerMessage => ({
  type: 'next',
  id,
  revision,
  reset: true,
  initial: true,
  events: names.map((name) => ({ type: 'ADDED', object: pod(name) })),
});

/** All that there was has been sent. */
export const caughtUp = (id: string, revision: string): ServerMessage => ({
  type: 'caughtUp',
  id,
  revision,
});

/** A change in a few words. */
export const told = (change: Change<unknown>): string =>
  change.type === 'RESET' || change.type === 'CAUGHT_UP'
    ? change.type
    : `${change.type} ${change.revision}`;
