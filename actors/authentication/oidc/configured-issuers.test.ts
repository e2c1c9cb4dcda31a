import { expect, it } from 'vitest';
import { testClock } from '../../request/given.fixture.ts';
import {
  readAuthenticationConfiguration,
  type AuthenticationConfiguration,
} from './authentication-configuration.ts';
import { ConfiguredIssuers } from './configured-issuers.ts';
import type { IssuerPlace } from './issuer-keys.ts';

const URL = 'https://issuer.example';

function given(hasEgress: boolean) {
  const asked: IssuerPlace[] = [];
  const forgotten: string[] = [];
  const fetch = (url: string, issuer: IssuerPlace) => {
    asked.push(issuer);
    const text = JSON.stringify({
      issuer: new globalThis.URL(url).origin,
      jwks_uri: `${URL}/keys`,
    });
    return Promise.resolve({ ok: true, code: 200, text } as const);
  };
  const meters = {
    judged: () => undefined,
    keysFetched: () => undefined,
    forgotten: (issuer: string): void => void forgotten.push(issuer),
  };
  const failed = (): void => undefined;
  const clock = testClock();
  const parts = { clock, fetch, failed, meters, algorithms: ['RS256'], hasEgress };
  const issuers = new ConfiguredIssuers(parts, []);
  const replace = async (next: AuthenticationConfiguration): Promise<string | undefined> => {
    const replaced = issuers.replace(next);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
    return replaced;
  };
  return { asked, forgotten, issuers, replace };
}

function configuration(url: string, egressSelectorType = ''): AuthenticationConfiguration {
  const read = readAuthenticationConfiguration({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url, audiences: ['us'], egressSelectorType },
        claimMappings: { username: { claim: 'sub', prefix: '' } },
      },
    ],
  });
  if (!read.ok) throw new Error(read.problem);
  return read.configuration;
}

it('believes no issuer behind a way that is not configured', () => {
  const wanted = configuration(URL, 'cluster');
  expect(given(false).issuers.begin(wanted)).toBe(
    'oidc: egress lookup required with egress selector type "cluster"',
  );
  const { asked, issuers } = given(true);
  expect(issuers.begin(wanted)).toBeUndefined();
  expect(asked).toMatchObject([{ egressSelectorType: 'cluster' }]);
  issuers.stop();
});

it('tells of issuers that are not believed any more, and of no others', async () => {
  const { forgotten, issuers, replace } = given(false);
  issuers.begin(configuration(URL));
  expect(await replace(configuration(URL))).toBeUndefined();
  expect(forgotten).toEqual([]);
  expect(await replace(configuration('https://other.example'))).toBeUndefined();
  expect(forgotten).toEqual([URL]);
  issuers.stop();
});
