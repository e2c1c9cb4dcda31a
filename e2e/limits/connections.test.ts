/** What one connection may do, and what an anonymous client may do with one. */
import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { describe, expect, it } from 'vitest';

import { eventually } from '../support/eventually.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

/** With AlwaysAllow no client is anonymous. */
const WITH_ANONYMOUS = '--authorization-mode=Node,RBAC';
const server = serverForThisFile({ args: [WITH_ANONYMOUS] });

async function sessionTo(
  { kubeconfig }: RunningServer,
  who: 'admin' | 'nobody',
): Promise<ClientHttp2Session> {
  const { url, ca, cert, key } = readKubeconfig(kubeconfig);
  const session = connect(url, who === 'admin' ? { ca, cert, key } : { ca });
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  return session;
}

async function statusOf(session: ClientHttp2Session, path: string): Promise<number> {
  const stream = session.request({ ':path': path });
  const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
  stream.resume();
  await once(stream, 'close');
  return Number(answered[':status']);
}

describe('a connection of HTTP/2', () => {
  it('is good for one answer to an anonymous client', async () => {
    const session = await sessionTo(server(), 'nobody');
    const goneAway = once(session, 'goaway');
    expect(await statusOf(session, '/version')).toBe(200);
    expect((await goneAway)[0]).toBe(0);
    await eventually('it is closed', () => session.destroyed || undefined);
  });

  it('is good for many to a known user', async () => {
    const session = await sessionTo(server(), 'admin');
    for (let index = 0; index < 5; index += 1) {
      expect(await statusOf(session, '/version')).toBe(200);
    }
    expect(session.closed).toBe(false);
    session.destroy();
  });

  it('is good for many of any client where the gate is shut', async () => {
    const args = [WITH_ANONYMOUS, '--feature-gates=UnauthenticatedHTTP2DOSMitigation=false'];
    const open = await startServer({ args: [...args, '--http2-max-streams-per-connection=7'] });
    const session = await sessionTo(open, 'nobody');
    expect(session.remoteSettings.maxConcurrentStreams).toBe(7);
    for (let index = 0; index < 5; index += 1) {
      expect(await statusOf(session, '/version')).toBe(200);
    }
    expect(session.closed).toBe(false);
    session.destroy();
    await open.stop();
  });
});
