/** Test support: a live connection whose requests are answered by the test. */
import { alwaysAllow } from '../../actors/authorization/server-authorizer.ts';
import type { Answer } from '../../actors/request/answer.ts';
import { resolveRequestInfo } from '../../actors/request/request-info.ts';
import type {
  AuthenticatedRequest,
  ReceivedRequest,
  UserInfo,
} from '../../actors/request/request.ts';
import type { ClientMessage } from '../../api/live/live-messages.ts';
import type { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { turn } from '../watch/given-session.fixture.ts';
import { WatchSessions } from '../watch/watch-sessions.ts';
import { LiveHub } from './live-hub.ts';

const ALICE: UserInfo = { name: 'alice', uid: '', groups: [], extra: {} };

/** A message as it was sent. */
interface Told {
  readonly type: string;
  readonly id?: string;
}

const unused = (): never => {
  throw new Error('nothing else fails here');
};

/**
 * @param answer to what alice asks for by a subscription.
 * @param more `failed`: told why a watch could not go on; `actsFor`: the user that alice asks as.
 */
export function givenHub(
  clock: ManualClock,
  answer: (request: AuthenticatedRequest) => Answer,
  more: { readonly failed?: (error: unknown) => void; readonly actsFor?: UserInfo } = {},
) {
  const { failed = unused, actsFor } = more;
  const hub = new LiveHub({
    ...{ clock, authorizer: alwaysAllow },
    sessions: new WatchSessions({ clock, failed }),
    faults: { record: unused, answer: unused, count: 0 },
    authenticator: { authenticate: () => ({ verdict: 'identified', user: ALICE }) },
    chain: {
      send(request: ReceivedRequest) {
        const { method, path, query } = request;
        const hers = request.routedAs(resolveRequestInfo(method, path, query)).identifiedAs(ALICE);
        const own = actsFor === undefined ? hers : hers.impersonating(actsFor);
        own.reply(answer(own));
      },
    },
  });
  const sent: Told[] = [];
  const wire = {
    isFull: false,
    send: ({ parts }: { readonly parts: readonly Buffer[] }) =>
      // The messages of the protocol have both.
      void sent.push(JSON.parse(Buffer.concat(parts).toString()) as Told),
    flush: () => undefined,
    close: () => undefined,
  };
  const connection = { remoteAddress: '', clientCertificate: () => undefined };
  const opening = { headers: {}, rawHeaders: [], connection };
  const live = hub.open(wire, opening, () => undefined);
  /** What is sent within a second, behind a message. */
  const told = async (message?: ClientMessage): Promise<readonly Told[]> => {
    sent.length = 0;
    if (message !== undefined) live.receive(JSON.stringify(message));
    for (let step = 0; step < 20; step += 1) {
      for (let nth = 0; nth < 5; nth += 1) await turn();
      clock.advance(50);
    }
    return [...sent];
  };
  return { hub, told };
}
