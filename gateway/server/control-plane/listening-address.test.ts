/** Where clients are told that the server is, and by which protocols it answers there. */
import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';

import { parsed, problem } from '../../flags/given-flags.fixture.ts';
import { authority, listening } from '../../listener/given-listener.fixture.ts';
import { knownHost, ListeningAddress } from './service-hooks.ts';

it.each([
  [[], '127.0.0.1:7443'],
  [['--bind-address=10.0.0.1'], '10.0.0.1:7443'],
  [['--bind-address=0.0.0.0', '--advertise-address=10.0.0.2'], '10.0.0.2:7443'],
  [['--advertise-address=fd00::1'], '[fd00::1]:7443'],
  [['--advertise-address=10.0.0.2', '--external-hostname=api.example'], 'api.example:7443'],
  [['--external-hostname=api.example:443'], 'api.example:443'],
  [['--advertise-address='], '127.0.0.1:7443'],
])('%j: clients are told %s', (argv, text) => {
  const address = new ListeningAddress(knownHost(parsed([...argv])));
  expect(address.text).toBe('');
  address.opened(7443);
  expect(address.text).toBe(text);
});

it.each([
  [['http/1.1'], 'http/1.1'],
  [undefined, 'h2'],
])('with %j for ALPN a client that can do both speaks %s', async (ALPNProtocols, protocol) => {
  const more = ALPNProtocols && { ALPNProtocols };
  const { listener } = await listening(() => undefined, undefined, undefined, more);
  const socket = connect({
    ...{ host: '127.0.0.1', port: listener.port, ca: authority.certificate },
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  await once(socket, 'secureConnect');
  expect(socket.alpnProtocol).toBe(protocol);
  socket.destroy();
});

it('a port is shared where Node can do it, and is not where it cannot', () => {
  const [major = 0] = process.versions.node.split('.').map(Number);
  const said = problem(['--permit-port-sharing']);
  const refusal = `--permit-port-sharing: needs Node 22.12 or newer, and this is ${process.version}`;
  if (major < 22) expect(said).toBe(refusal);
  else if (major > 22) expect(said).toBe('no problem');
  expect(problem(['--permit-port-sharing=false'])).toBe('no problem');
});
