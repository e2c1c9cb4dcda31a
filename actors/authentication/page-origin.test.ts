import { describe, expect, it } from 'vitest';
import { isOfAnotherSite } from './page-origin.ts';

const HOST = 'host:6443';

interface Asking {
  readonly allowed?: RegExp[];
  readonly isUpgraded?: boolean;
  readonly method?: string;
}

function asks(
  headers: Record<string, string>,
  { allowed = [], isUpgraded = true, method = 'GET' }: Asking = {},
): boolean {
  const connection = { remoteAddress: '', clientCertificate: () => undefined, isUpgraded };
  return isOfAnotherSite({ method, headers: { host: HOST, ...headers }, connection }, allowed);
}

describe('isOfAnotherSite', () => {
  it.each([
    ['no page', {}, false],
    ['the page of this server', { origin: `https://${HOST}` }, false],
    ['with the port of the scheme', { host: 'host', origin: 'https://host:443' }, false],
    ['in other letters', { origin: 'https://HOST:6443' }, false],
    ["Kubernetes' own tests", { origin: 'http://localhost' }, false],
    ['a page of kubectl proxy', { origin: 'http://127.0.0.1:8001' }, false],
    ['the same on IPv6', { origin: 'http://[::1]:8001' }, false],
    ['a page of another site', { origin: 'https://evil.example' }, true],
    ['a page of another port', { origin: 'https://host:8443' }, true],
    ['a page without TLS', { origin: `http://${HOST}` }, true],
    ['a page that has no origin', { origin: 'null' }, true],
    ['a file', { origin: 'file://' }, true],
    ['an empty text', { origin: '' }, true],
    ['a name that begins with loopback', { origin: 'http://localhost.evil.example' }, true],
    ['a name that holds ours', { origin: `https://${HOST}.evil.example` }, true],
    ['a user of that name', { origin: `https://${HOST}@evil.example` }, true],
  ])('%s', (_, headers, isRefused) => {
    expect(asks(headers)).toBe(isRefused);
  });

  it('lets in pages that may call the API', () => {
    const origin = 'https://console.example';
    expect(asks({ origin }, { allowed: [/^https:\/\/console\.example$/] })).toBe(false);
    expect(asks({ origin }, { allowed: [/^https:\/\/other\.example$/] })).toBe(true);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('asks of a %s that is no upgrade', (method) => {
    const other = { method, isUpgraded: false };
    expect(asks({ origin: 'https://evil.example' }, other)).toBe(true);
    expect(asks({ origin: 'null' }, other)).toBe(true);
    expect(asks({ origin: `https://${HOST}` }, other)).toBe(false);
    expect(asks({ ':authority': 'new:1', host: 'x', origin: 'https://new:1' }, other)).toBe(false);
    expect(asks({}, other)).toBe(false);
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])(
    'lets every page ask for a %s, which it cannot read',
    (method) => {
      expect(asks({ origin: 'https://evil.example' }, { method, isUpgraded: false })).toBe(false);
    },
  );

  it.each([
    ['same-origin', false],
    ['none', false],
    ['same-site', true],
    ['cross-site', true],
    ['', true],
  ])('where the browser says of the page that it is %s', (site, isRefused) => {
    expect(asks({ origin: 'https://panel.example', 'sec-fetch-site': site })).toBe(isRefused);
  });
});
