import { expect, it } from 'vitest';
import type { Authorizer } from '../../actors/authorization/authorizer.ts';
import { ALLOW, NO_OPINION } from '../../actors/authorization/authorizer.ts';
import { givenRouted } from '../../actors/request/given.fixture.ts';
import { resolveRequestInfo } from '../../actors/request/request-info.ts';
import type { ReceivedRequest, UserInfo } from '../../actors/request/request.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { WatchSessions } from '../watch/watch-sessions.ts';
import { LiveHub } from './live-hub.ts';

const PATH = '/everwatch/v1/figures';
const userNamed = (name: string): UserInfo => ({ name, uid: '', groups: [], extra: {} });
const ALICE = userNamed('alice');
const BOB = userNamed('bob');

/** A hub, of which alice is the only user that is known. */
function givenHub({ acts }: { readonly acts: boolean }) {
  const clock = new ManualClock();
  const allowed = new Set(['alice', 'bob']);
  const known = new Set(['alice']);
  const asked: string[] = [];
  const authorizer: Authorizer = {
    authorize({ user }) {
      asked.push(user.name);
      return allowed.has(user.name) ? ALLOW : NO_OPINION;
    },
  };
  const hub = new LiveHub({
    ...{ clock, authorizer, sessions: new WatchSessions({ clock, failed: fail }) },
    faults: { record: fail, answer: fail, count: 0 },
    authenticator: {
      authenticate: () =>
        known.has('alice') ? { verdict: 'identified', user: ALICE } : { verdict: 'unknown' },
    },
    chain: {
      send(request: ReceivedRequest) {
        const { method, path, query } = request;
        const routed = request.routedAs(resolveRequestInfo(method, path, query));
        const own = routed.identifiedAs(ALICE);
        const whole = acts ? own.impersonating(BOB) : own;
        whole.reply({ kind: 'Stream', headers: {}, chunks: untilGone });
      },
    },
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
    clock.advance(10); // What is to be sent is gathered.
  };
  return { hub, clock, allowed, known, asked, pass };
}

/** A connection of alice's with one subscription, which may be bob's. */
async function given({ acts }: { readonly acts: boolean }) {
  const { hub, allowed, asked, pass } = givenHub({ acts });
  const sent: string[] = [];
  const wire = {
    isFull: false,
    send: ({ parts }: { readonly parts: readonly Buffer[] }) =>
      void sent.push(Buffer.concat(parts).toString()),
    flush: () => undefined,
    close: () => undefined,
  };
  const connection = { remoteAddress: '', clientCertificate: () => undefined };
  const opening = { headers: {}, rawHeaders: [], connection };
  hub.open(wire, opening, () => undefined).subscribe({ type: 'subscribe', id: 'a', path: PATH });
  await pass(10);
  return { allowed, asked, sent, pass };
}

function fail(): never {
  throw new Error('nothing fails here');
}

async function* untilGone(gone: AbortSignal): AsyncGenerator<Buffer> {
  await new Promise((resolve) => {
    gone.addEventListener('abort', resolve);
  });
  yield* [];
}

it.each([
  [false, 'alice'],
  [true, 'bob'],
])(
  'asks for rights again, also where no rule tells of a change (impersonation: %s)',
  async (acts, user) => {
    const { allowed, asked, sent, pass } = await given({ acts });
    await pass(10_000);
    expect(new Set(asked)).toEqual(new Set([user]));
    expect(sent.join('')).not.toContain('"type":"error"');
    allowed.delete(user);
    await pass(10_000);
    const told = sent.find((text) => text.includes('"type":"error"')) ?? '';
    expect(JSON.parse(told)).toMatchObject({ id: 'a', status: { code: 403 } });
    expect(told).toContain(`User \\"${user}\\" cannot get path`);
  },
);

it.each([
  ['its user is not known any more', (of: ReturnType<typeof givenHub>) => of.known.clear()],
  ['its user may not any more', (of: ReturnType<typeof givenHub>) => of.allowed.clear()],
])('a stream is lost when %s, and nothing is asked for once it has ended', async (_, take) => {
  const of = givenHub({ acts: false });
  const { hub, asked, pass, clock } = of;
  const routed = givenRouted({ url: PATH }).request;
  const { waiting } = clock;
  let lost = 0;
  const letGo = hub.hold(routed.identifiedAs(ALICE), () => (lost += 1));
  expect(hub.connectionCount).toBe(0);
  await pass(10_000);
  await pass(10_000);
  expect([asked.length > 0, lost]).toEqual([true, 0]);
  take(of);
  await pass(10_000);
  expect(lost).toBe(1);
  letGo();
  letGo();
  await pass(20_000);
  expect(lost).toBe(1);
  expect(clock.waiting).toBe(waiting);
});

it('a stream that ends while its right is asked for is not lost behind that', async () => {
  const { hub, known, clock, pass } = givenHub({ acts: false });
  let lost = 0;
  const letGo = hub.hold(givenRouted({ url: PATH }).request.identifiedAs(ALICE), () => (lost += 1));
  known.clear();
  clock.advance(10_000);
  letGo();
  await pass(0);
  expect(lost).toBe(0);
});

it('a stream of a user that acts for another has to be asked for again when rules change', async () => {
  const { hub, pass } = givenHub({ acts: true });
  let lost = 0;
  const acting = givenRouted({ url: PATH }).request.identifiedAs(ALICE).impersonating(BOB);
  hub.hold(acting, () => (lost += 1));
  await pass(10_000);
  expect(lost).toBe(0);
  hub.rulesChanged();
  await pass(1_000);
  expect(lost).toBe(1);
});
