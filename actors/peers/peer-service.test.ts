/** Where another server of the log is reached, of what its identity says. */
import { expect, it } from 'vitest';
import { peerPlace, peerService } from './peer-service.ts';

it.each([
  ['192.0.2.1:6443', '192.0.2.1', 6_443],
  ['192.0.2.1:443', '192.0.2.1', 443],
  ['[2001:db8::1]:443', '2001:db8::1', 443],
  ['api.example:80', 'api.example', 80],
])('%s is %s and %i', (address, host, port) => {
  const made = peerService('apiserver-a', address, 'pem');
  expect(made).toMatchObject({ name: 'apiserver-a', caBundle: 'pem', available: true });
  expect(made?.service).toEqual({ namespace: 'default', name: 'kubernetes', port });
  expect(made && peerPlace(made.service)).toEqual({ ok: true, host, port });
});

it.each(['', 'a', 'a:', ':6443', 'a:0', 'a:65536', 'a/b:1', '2001:db8::1:443', 'u@[::1:1', '[]:1'])(
  '%j is no address',
  (address) => {
    expect(peerService('apiserver-a', address, '')).toBeUndefined();
  },
);

it('a service that is no peer is nowhere', () => {
  const service = { namespace: 'default', name: 'kubernetes', port: 443 };
  expect(peerPlace(service)).toMatchObject({ ok: false });
});
