import { describe, expect, it } from 'vitest';
import { NO_NODES } from '../../gateway/server/given-plane.fixture.ts';
import { UNKNOWN } from '../authentication/authenticator.ts';
import { KeyRing } from '../authentication/jwt/key-ring.ts';
import { TokenIssuer } from '../authentication/service-accounts/token-issuer.ts';
import { alwaysAllow } from '../authorization/server-authorizer.ts';
import { testRandom } from '../request/given.fixture.ts';
import { ForkBases } from '../served-resources/fork-bases.ts';
import { givenVirtual } from './given-virtual.fixture.ts';
import { virtualHandlers } from './virtual-handlers.ts';

/** Subresources that `registry.ts` and the strategies answer. */
const KNOWN = ['scale'];
const ISSUING = { issuer: '', audiences: [], lifetimeSecondsMax: 0, extendsLifetime: false };

describe('virtualHandlers', () => {
  it('has a handler for every verb of what is served and not stored', async () => {
    const { plane } = await givenVirtual();
    const handlers = virtualHandlers({
      served: plane.served,
      authenticator: { authenticate: () => UNKNOWN },
      authorizer: alwaysAllow,
      rules: alwaysAllow,
      tokens: new TokenIssuer(ISSUING, new KeyRing(), testRandom()),
      components: [],
      nodes: NO_NODES,
      forks: new ForkBases(plane.objects),
    });
    const wanted = new Set<string>();
    for (const facts of plane.served.facts()) {
      const { group: apiGroup, version: apiVersion, resource } = facts;
      const served = plane.served.lookup({ apiGroup, apiVersion, resource });
      const { storage, strategy } = served?.definition ?? { storage: '', strategy: undefined };
      const isStored = facts.storageVersionHash !== undefined;
      if (!isStored) for (const verb of facts.verbs) wanted.add(`${storage} ${verb}`);
      for (const { name, verbs } of facts.subresources) {
        if (KNOWN.includes(name) || strategy?.subresources.has(name) === true) continue;
        for (const verb of verbs) wanted.add(`${storage}/${name} ${verb}`);
      }
    }
    const there = [...handlers].flatMap(([storage, bySubresource]) =>
      [...bySubresource].flatMap(([subresource, verbs]) =>
        Object.keys(verbs).map((verb) =>
          subresource === '' ? `${storage} ${verb}` : `${storage}/${subresource} ${verb}`,
        ),
      ),
    );
    // Of what is stored, only what has more to do than to be stored.
    expect(there.sort()).toEqual([...wanted, 'dev.everwatch/forks create'].sort());
    expect(there).toContain('core/pods/binding create');
    expect(there).toContain('core/componentstatuses list');
  });

  it('has no other verb', async () => {
    const { ask } = await givenVirtual();
    const codes = await Promise.all([
      ask('GET', '/apis/authentication.k8s.io/v1/tokenreviews'),
      ask('DELETE', '/api/v1/componentstatuses/scheduler'),
      ask('GET', '/api/v1/componentstatuses?watch=true'),
      ask('GET', '/api/v1/namespaces/default/pods/a/binding'),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([405, 405, 405, 405]);
  });

  it('answers 500 for a fault, and leaves no client waiting', async () => {
    const { post } = await givenVirtual({
      authorize: () => {
        throw new Error('broken');
      },
      rulesFor: () => Promise.reject(new Error('broken too')),
    });
    const path = '/apis/authorization.k8s.io/v1';
    const thrown = await post(`${path}/selfsubjectaccessreviews`, {
      spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
    });
    expect(thrown).toMatchObject({ code: 500, message: 'Internal error occurred: broken' });
    const rejected = await post(`${path}/selfsubjectrulesreviews`, { spec: { namespace: 'a' } });
    expect(rejected).toMatchObject({ code: 500, message: 'Internal error occurred: broken too' });
  });

  it('reads options and bodies as of any other create', async () => {
    const { post } = await givenVirtual();
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect(await post(`${path}?dryRun=Some`, {})).toMatchObject({ code: 422 });
    expect(await post(`${path}?dryRun=All`, {})).toMatchObject({ code: 201 });
    expect(await post(`${path}?fieldValidation=Strict`, { a: 1 })).toMatchObject({ code: 400 });
    const warned = await post(path, { a: 1 });
    expect(warned.warnings).toEqual(['unknown field "a"']);
    expect(await post(path, { kind: 'Pod' })).toMatchObject({ code: 400 });
    expect(await post(path, { apiVersion: 'v1', kind: 'SelfSubjectReview' })).toMatchObject({
      message:
        'SelfSubjectReview in version "v1" cannot be handled as a SelfSubjectReview: no kind ' +
        '"SelfSubjectReview" is registered for version "v1" in scheme ' +
        '"pkg/api/legacyscheme/scheme.go:30"',
    });
  });
});
