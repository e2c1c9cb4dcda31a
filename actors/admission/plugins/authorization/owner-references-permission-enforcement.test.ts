import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { ALLOW, type Attributes } from '../../../authorization/authorizer.ts';
import { configMap } from '../../../registry/given-registry.fixture.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.ts';

const URL = '/api/v1/namespaces/default/configmaps';
const OWNER = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: '1' };
const BLOCKING = { ...OWNER, blockOwnerDeletion: true };

/** @param allowed as `delete configmaps` and `update deployments/finalizers`. */
function given(...allowed: readonly string[]) {
  const authorizer = {
    authorize({ request: { verb, resource, subresource } }: Attributes) {
      const what = subresource === '' ? resource : `${resource}/${subresource}`;
      const reason = 'no';
      return allowed.includes(`${verb} ${what}`)
        ? ALLOW
        : ({ verdict: 'noOpinion', reason } as const);
    },
  };
  return givenPlugin(ownerReferencesPermissionEnforcement, [], { authorizer });
}

function owned(...ownerReferences: JsonObject[]): JsonObject {
  return configMap('a', {}, { ownerReferences });
}

const update = { url: `${URL}/a`, operation: 'UPDATE' } as const;

describe('OwnerReferencesPermissionEnforcement', () => {
  it('lets any user create with an owner that it does not hold up', async () => {
    const { admit } = await given();
    expect((await admit({ url: URL, object: owned(OWNER) })).message).toBe('');
  });

  it('lets only users with the right to delete give an owner later', async () => {
    const asked = { ...update, object: owned(OWNER), oldObject: configMap('a') };
    expect((await (await given('delete configmaps')).admit(asked)).message).toBe('');
    expect((await (await given()).admit(asked)).message).toBe(
      'configmaps "a" is forbidden: cannot set an ownerRef on a resource you can\'t delete: ' +
        'no, <nil>',
    );
  });

  it('does not ask where owners stay as they are', async () => {
    const { admit } = await given();
    const same = { ...update, object: owned(BLOCKING), oldObject: owned(BLOCKING) };
    expect((await admit(same)).message).toBe('');
  });

  it.each(['update deployments/finalizers', 'update */finalizers'])(
    'lets users hold up an owner that may %s',
    async (allowed) => {
      const { admit } = await given(allowed);
      expect((await admit({ url: URL, object: owned(BLOCKING) })).message).toBe('');
    },
  );

  it('lets no other user', async () => {
    const { admit } = await given('delete configmaps');
    const why =
      'configmaps "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers ' +
      "to a resource you can't set finalizers on: no, <nil>";
    expect((await admit({ url: URL, object: owned(BLOCKING) })).message).toBe(why);
    const later = { ...update, object: owned(BLOCKING), oldObject: owned(OWNER) };
    expect((await admit(later)).message).toBe(why);
  });

  it('refuses an owner of a kind that is not served', async () => {
    const { admit } = await given();
    const owner = { ...BLOCKING, kind: 'Widget', apiVersion: 'example.com/v1' };
    expect((await admit({ url: URL, object: owned(owner) })).message).toBe(
      'configmaps "a" is forbidden: cannot set blockOwnerDeletion in this case because cannot ' +
        'find RESTMapping for APIVersion example.com/v1 Kind Widget: no matches for kind ' +
        '"Widget" in version "example.com/v1"',
    );
  });
});
