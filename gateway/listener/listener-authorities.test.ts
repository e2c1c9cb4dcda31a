/** Clients whose authority is not believed any more, on connections that were open before. */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { Agent } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { AuthorityPool } from '../../actors/authentication/authority-pool.ts';
import { x509Authenticator } from '../../actors/authentication/x509.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { makeAuthority, makeLeaf } from './tls/certificate-maker.ts';
import type { PemPair } from './tls/certificate-pair.ts';
import {
  authority,
  closeAll,
  closers,
  HOST,
  listening,
  overHttp1,
  overHttp2,
  serving,
  text,
} from './given-listener.fixture.ts';
import type { Listener } from './listener.ts';
import { until } from '../../tools/until.fixture.ts';

const validity = { notBefore: Date.now() - 3_600_000, notAfter: Date.now() + 3_600_000 };
const first = await makeAuthority('first', validity);
const second = await makeAuthority('second', validity);

afterEach(closeAll);

function client(signer: PemPair): Promise<PemPair> {
  const named = { commonName: 'jane', organizations: [], names: [] };
  return makeLeaf(signer, { ...named, use: 'client', validity });
}

async function given() {
  const clock = testClock(Date.now());
  const pool = new AuthorityPool(first.certificate, clock);
  const authenticator = x509Authenticator(pool);
  const held: (() => void)[] = [];
  const answer = (request: ReceivedRequest): void => {
    // No test reads more of it than that.
    const asked = request as Parameters<typeof authenticator.authenticate>[0];
    const reply = (): void => {
      const decided = authenticator.authenticate(asked);
      const isKnown = !(decided instanceof Promise) && decided.verdict === 'identified';
      request.reply(text('', isKnown ? 200 : 401));
    };
    if (request.path === '/held') held.push(reply);
    else reply();
  };
  const asking = { requestCert: true, rejectUnauthorized: false };
  const { listener } = await listening(answer, undefined, clock, asking);
  const believe = ({ certificate }: PemPair): void => {
    const tls = { cert: serving.certificate, key: serving.key, ca: certificate };
    listener.renew({ ...asking, ...tls }, { authorities: true });
    pool.replace(certificate);
  };
  believe(first);
  // So long ago that no handshake is under way any more.
  clock.advance(60_000);
  return { listener, believe, held, clock };
}

function agentOf({ certificate, key }: PemPair): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1, cert: certificate, key });
}

async function code(listener: Listener, agent: Agent, path = '/'): Promise<number> {
  const ask = () => overHttp1(listener, { path }, { agent });
  // A connection that rests is closed when authorities change, maybe just as it is used again.
  return (await ask().catch(ask)).code;
}

it('lets no client in whose authority has gone, on the connection that it has', async () => {
  const { listener, believe, held } = await given();
  const [old, busy] = [agentOf(await client(first)), agentOf(await client(first))];
  const fresh = agentOf(await client(second));
  expect([await code(listener, old), await code(listener, fresh)]).toEqual([200, 401]);
  const waiting = code(listener, busy, '/held');
  await until(() => held.length === 1);
  const { certificate: cert, key } = await client(first);
  const url = `https://${HOST}:${String(listener.port)}`;
  const session = connectHttp2(url, { ca: authority.certificate, cert, key });
  closers.push(() => session.destroy());
  expect((await overHttp2(session)).code).toBe(200);
  const waitingToo = overHttp2(session, { path: '/held' });
  await until(() => held.length === 2);
  believe(second);
  for (const reply of held.splice(0)) reply();
  expect((await waitingToo).code).toBe(401);
  // This one was under way, and its connection goes on.
  expect(await waiting).toBe(401);
  expect(await code(listener, busy)).toBe(401);
  expect([await code(listener, old), await code(listener, fresh)]).toEqual([401, 200]);
  believe(first);
  expect([await code(listener, busy), await code(listener, fresh)]).toEqual([200, 401]);
  for (const agent of [old, busy, fresh]) agent.destroy();
});

it('takes up no session, for that would not show all that leads to an authority', async () => {
  const { listener } = await given();
  const { certificate: cert, key } = await client(first);
  const options = { host: HOST, port: listener.port, ca: authority.certificate, cert, key };
  const shakeHands = async (session?: Buffer): Promise<{ isReused: boolean; ticket: Buffer }> => {
    const socket = connectTls({ ...options, ...(session && { session }) });
    // Its last word: so whatever the server has to say before comes too.
    socket.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let ticket = Buffer.alloc(0);
    socket.on('session', (latest) => (ticket = latest));
    socket.resume();
    await once(socket, 'secureConnect');
    const isReused = socket.isSessionReused();
    await once(socket, 'close');
    return { isReused, ticket };
  };
  const { ticket } = await shakeHands();
  expect(ticket.length).toBeGreaterThan(0);
  expect((await shakeHands(ticket)).isReused).toBe(false);
});
