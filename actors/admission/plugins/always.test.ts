import { expect, it } from 'vitest';

import { configMap } from '../../registry/given-registry.fixture.ts';
import { givenPlugin } from '../given-plugin.fixture.ts';
import { alwaysAdmit, alwaysDeny } from './always.ts';

const URL = '/api/v1/namespaces/default/configmaps';

it.each(['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const)(
  'AlwaysDeny refuses a %s, AlwaysAdmit does not',
  async (operation) => {
    const asked = { url: operation === 'CREATE' ? URL : `${URL}/a`, operation };
    const object = configMap('a');
    const deny = await givenPlugin(alwaysDeny);
    const { status } = await deny.admit({ ...asked, object });
    const why = 'admission control is denying all modifications';
    expect(status).toMatchObject({ code: 403, message: `configmaps "a" is forbidden: ${why}` });
    const admit = await givenPlugin(alwaysAdmit);
    expect((await admit.admit({ ...asked, object })).message).toBe('');
  },
);
