import { expect, it } from 'vitest';
import { givenAuthenticated } from '../../actors/request/given.fixture.ts';
import { isOfAnotherSite } from './live-origin.ts';

const certificate = { raw: new Uint8Array([1]), commonName: 'alice', organizations: [] };
const HOST = 'host:6443';

it.each([
  ['no page', {}, false],
  ['the page of this server', { origin: `https://${HOST}` }, false],
  ['a page of another site', { origin: 'https://evil.example' }, true],
  ['a page of another port', { origin: 'https://host:8443' }, true],
  ['a page without TLS', { origin: `http://${HOST}` }, true],
  ['a page that has no origin', { origin: 'null' }, true],
])('%s, with the certificate of the user', (_, headers, isRefused) => {
  const { request } = givenAuthenticated({ certificate, headers: { host: HOST, ...headers } });
  expect(isOfAnotherSite(request)).toBe(isRefused);
});

it('a page of another site with a token of its own is let in', () => {
  const headers = { host: HOST, origin: 'https://console.example' };
  expect(isOfAnotherSite(givenAuthenticated({ headers }).request)).toBe(false);
});
