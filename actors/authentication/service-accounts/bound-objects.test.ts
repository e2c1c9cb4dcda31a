import { expect, it } from 'vitest';
import type { StoredObject } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { BoundObjects } from './bound-objects.ts';

it('an object is read whole where it is, and not at all where it is not', () => {
  const account = { metadata: { name: 'bot' }, secrets: [{ name: 's' }] };
  const stored: StoredObject = {
    ...{ resource: 'core/serviceaccounts', path: 'ns/bot', labels: {} },
    ...{ resourceVersion: resourceVersion(1), json: Buffer.from(JSON.stringify(account)) },
  };
  const bound = new BoundObjects({ get: (_, path) => (path === 'ns/bot' ? stored : undefined) });
  expect(bound.read('core/serviceaccounts', 'ns', 'bot')).toEqual(account);
  expect(bound.read('core/serviceaccounts', 'ns', 'other')).toBeUndefined();
});
