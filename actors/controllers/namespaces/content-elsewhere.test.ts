/** Namespaces that end while other servers hold something of them. */
import { afterEach, expect, it } from 'vitest';
import { type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { objectsAt } from '../../../api/kinds/rules/value-validation.ts';
import type { Controller } from '../controller-parts.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import type { AnswerElsewhere, ServersElsewhere } from './content-elsewhere.ts';
import { startNamespaceDeletion } from './namespace-deletion.ts';

const SHOP = '/api/v1/namespaces/shop';
const FLUNDERS = '/apis/wardle.example.com/v1/namespaces/shop/flunders';

const running: Controller[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

/** A server with flunders in memory, of which a deletion takes those without finalizers. */
class Wardle implements ServersElsewhere {
  isStale = false;
  readonly asked: string[] = [];
  verbs = ['delete', 'deletecollection', 'list'];
  left: JsonObject[] = [
    { metadata: { name: 'one' } },
    { metadata: { name: 'held', finalizers: ['example.com/hold'] } },
  ];

  versions() {
    const flunders = { resource: 'flunders', scope: 'Namespaced', verbs: this.verbs };
    const fischers = { resource: 'fischers', scope: 'Cluster', verbs: this.verbs };
    const metrics = { resource: 'pods', scope: 'Namespaced', verbs: ['get', 'list'] };
    return ['v1', 'v1alpha1'].map((version) => ({
      ...{ group: 'wardle.example.com', version, groupPriority: 1, versionPriority: 1 },
      ...{ resources: [flunders, fischers, metrics], isStale: this.isStale, list: undefined },
    }));
  }

  ask(method: string, path: string): Promise<AnswerElsewhere> {
    this.asked.push(`${method} ${path}`);
    const [plain = ''] = path.split('?');
    if (method === 'DELETE') {
      this.left = this.left.filter(({ metadata }) => {
        const name = stringAt(objectAt({ metadata: metadata ?? null }, 'metadata'), 'name');
        const isMeant = plain === FLUNDERS || plain === `${FLUNDERS}/${name}`;
        return !isMeant || JSON.stringify(metadata).includes('finalizers');
      });
    }
    const body = Buffer.from(JSON.stringify({ items: this.left }));
    return Promise.resolve({ ok: true, code: 200, body });
  }
}

async function ending(wardle: Wardle) {
  const plane = await givenControllers();
  await plane.post('/api/v1/namespaces', {
    ...{ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'shop' } },
  });
  running.push(await plane.started((parts) => startNamespaceDeletion(parts, wardle)));
  await plane.del(SHOP);
  const said = async (type: string): Promise<JsonObject | undefined> => {
    const namespace = await plane.find(SHOP);
    return objectsAt(objectAt(namespace, 'status'), 'conditions').find(
      (one) => one['type'] === type,
    );
  };
  return { ...plane, said };
}

it.each([
  ['deletes collections', ['delete', 'deletecollection', 'list'], `DELETE ${FLUNDERS}?`],
  ['deletes single objects', ['delete', 'list'], `DELETE ${FLUNDERS}/one?`],
])('is emptied there too, where a server %s', async (_, verbs, request) => {
  const wardle = new Wardle();
  wardle.verbs = verbs;
  const { said, until, find } = await ending(wardle);
  await until('it says what is left', async () => {
    const remaining = await said('NamespaceContentRemaining');
    return stringAt(remaining, 'message').includes('flunders.wardle.example.com has 1');
  });
  expect((await said('NamespaceFinalizersRemaining'))?.['message']).toBe(
    'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
  );
  wardle.left = [];
  await until('it has gone', async () => (await find(SHOP)) === undefined);
  expect(wardle.asked.some((one) => one.startsWith(request))).toBe(true);
  // Not in its other version, not what has no namespace, and not what cannot be deleted.
  expect(wardle.asked.every((one) => one.includes(FLUNDERS))).toBe(true);
});

it('asks for nothing by a name that is no segment of a path', async () => {
  const wardle = new Wardle();
  wardle.verbs = ['delete', 'list'];
  wardle.left = ['..', 'a/../../b', '%2e', '', 'a?b'].map((name) => ({ metadata: { name } }));
  const { said, until } = await ending(wardle);
  await until('it says why not', async () => {
    const failed = stringAt(await said('NamespaceDeletionContentFailure'), 'message');
    return failed.includes('invalid resource name "a/../../b": [may not contain \'/\']');
  });
  const deletions = wardle.asked.filter((one) => one.startsWith('DELETE'));
  expect(new Set(deletions)).toEqual(
    new Set([`DELETE ${FLUNDERS}/a%3Fb?propagationPolicy=Background`]),
  );
});

it('waits for a server that cannot say what it serves', async () => {
  const wardle = new Wardle();
  wardle.isStale = true;
  wardle.left = [];
  const { said, until, find } = await ending(wardle);
  await until(
    'it says so',
    async () => (await said('NamespaceDeletionDiscoveryFailure')) !== undefined,
  );
  expect(await said('NamespaceDeletionDiscoveryFailure')).toMatchObject({
    ...{ status: 'True', reason: 'DiscoveryFailed' },
    message:
      'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: wardle.example.com/v1: stale GroupVersion discovery: wardle.example.com/v1, wardle.example.com/v1alpha1: stale GroupVersion discovery: wardle.example.com/v1alpha1',
  });
  expect(wardle.asked).toEqual([]);
  wardle.isStale = false;
  await until('it has gone', async () => (await find(SHOP)) === undefined);
});
