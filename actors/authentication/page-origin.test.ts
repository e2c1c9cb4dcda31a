import { describe, expect, it } from 'vitest';
import { isOfAnotherSite } from './page-origin.ts';

const HOST = 'host:6443';

function asks(headers: Record<string, string>, allowed: RegExp[] = [], isUpgraded = true): boolean {
  const connection = { remoteAddress: '', clientCertificate: () => undefined, isUpgraded };
  return isOfAnotherSite({ headers: { host: HOST, ...headers }, connection }, allowed);
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

  it('lets in pages that may call the API, and every page where nothing was upgraded', () => {
    const origin = 'https://console.example';
    expect(asks({ origin }, [/^https:\/\/console\.example$/])).toBe(false);
    expect(asks({ origin }, [/^https:\/\/other\.example$/])).toBe(true);
    expect(asks({ origin }, [], false)).toBe(false);
  });
});
