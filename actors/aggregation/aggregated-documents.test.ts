import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemsAt, objectAt, stringAt } from '../../api/json/json.ts';
import { GroupTexts } from '../../projections/discovery/aggregated-discovery.ts';
import { DiscoveryView } from '../../projections/discovery/discovery-view.ts';
import { MergedOpenApiView } from '../../projections/openapi/merged-openapi-view.ts';
import { parseObject } from '../../tools/generate/golden.fixture.ts';
import { testClock, testFaults } from '../request/given.fixture.ts';
import { AggregatedDocuments } from './aggregated-documents.ts';
import {
  type GivenServer,
  givenServers,
  noOwnOpenApi,
  type ServerState,
} from './given-servers.fixture.ts';

type Pair = readonly [string, string];

const A1: Pair = ['a.example', 'v1'];
const A2: Pair = ['a.example', 'v2'];
const B: Pair = ['b.example', 'v1'];

function server(groupVersions: readonly Pair[], isOld = false): GivenServer {
  return { state: 'answers', release: 1, groupVersions, isOld, asked: [] };
}

/** Server `a` has two versions of one group, `b` is old. */
function given() {
  const servers = new Map([
    ['a', server([A1, A2])],
    ['b', server([B], true)],
  ]);
  const world = givenServers(servers);
  const clock = testClock();
  const documents = new AggregatedDocuments({ clock, faults: testFaults(), ...world });
  void documents.begin();
  const find = (name: string): GivenServer => servers.get(name) ?? server([]);
  return { world, clock, documents, find };
}

/** Until nothing is under way but what hangs. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise(setImmediate);
}

/** What clients are shown of each group version: its resources, how fresh they are, and OpenAPI. */
async function shown(documents: AggregatedDocuments) {
  const { registered, described } = documents.current();
  const view = new DiscoveryView([], 'host:1', new GroupTexts(), registered);
  const openApi = new MergedOpenApiView(noOwnOpenApi(), described);
  const list = parseObject(view.document('/apis', true)?.body ?? Buffer.from('{}'));
  const v2 = objectAt(parseObject((await openApi.v2Json()).bytes), 'paths') ?? {};
  const found: Record<string, object> = {};
  for (const group of itemsAt(list, 'items')) {
    const name = stringAt(objectAt(group, 'metadata'), 'name');
    for (const entry of itemsAt(group, 'versions')) {
      const path = `apis/${name}/${stringAt(entry, 'version')}`;
      const plain = view.document(`/${path}`, false);
      const v3 = openApi.v3(path);
      found[path] = {
        freshness: stringAt(entry, 'freshness'),
        resources: itemsAt(entry, 'resources').map((one) => stringAt(one, 'resource')),
        list: itemsAt(plain?.object, 'resources').map((one) => stringAt(one, 'name')),
        v3: v3 === undefined ? [] : Object.keys(objectAt(parseObject(v3.bytes), 'paths') ?? {}),
        v2: Object.keys(v2).filter((one) => one.startsWith(`/${path}/`)),
      };
    }
  }
  return found;
}

function whole([group, version]: Pair, release = 1, freshness = 'Current'): object {
  const path = `/apis/${group}/${version}/things${String(release)}`;
  const names = [`things${String(release)}`];
  return { freshness, resources: names, list: names, v3: [path], v2: [path] };
}

const EMPTY = { freshness: 'Stale', resources: [], list: [], v3: [], v2: [] };

describe('documents of other servers', () => {
  it('are there at once, and whole when their servers answered', async () => {
    const { world, documents } = given();
    world.register('a', A1);
    expect(await shown(documents)).toEqual({ 'apis/a.example/v1': EMPTY });
    await settle();
    expect(await shown(documents)).toEqual({ 'apis/a.example/v1': whole(A1) });
  });

  it('are read of old servers from the list of each group version', async () => {
    const { world, documents } = given();
    world.register('b', B);
    await settle();
    expect(await shown(documents)).toEqual({ 'apis/b.example/v1': whole(B) });
  });

  it('of OpenAPI v3 are made of v2 where a server has v2 alone, and anew when it is another', async () => {
    const { world, documents, find, clock } = given();
    find('a').missing = ['/openapi/v3'];
    world.register('a', A1);
    world.register('a', A2);
    await settle();
    const both = { 'apis/a.example/v1': whole(A1), 'apis/a.example/v2': whole(A2) };
    expect(await shown(documents)).toEqual(both);
    find('a').state = 'refuses';
    clock.advance(60_000);
    await settle();
    expect(await shown(documents)).toEqual({
      'apis/a.example/v1': whole(A1, 1, 'Stale'),
      'apis/a.example/v2': whole(A2, 1, 'Stale'),
    });
    Object.assign(find('a'), { state: 'answers', release: 2 });
    clock.advance(3_600_000);
    await settle();
    expect(await shown(documents)).toEqual({
      'apis/a.example/v1': whole(A1, 2),
      'apis/a.example/v2': whole(A2, 2),
    });
  });

  it('are asked for once for all APIServices of a server', async () => {
    const { world, find } = given();
    world.register('a', A1);
    world.register('a', A2);
    await settle();
    expect(find('a').asked.filter((path) => path === '/apis')).toHaveLength(1);
  });

  it.each<[ServerState]>([['refuses'], ['is broken']])(
    'are kept and stale while a server %s, and fresh as soon as it is back',
    async (state) => {
      const { world, documents, find, clock } = given();
      world.register('a', A1);
      world.register('b', B);
      await settle();
      find('a').state = state;
      clock.advance(60_000);
      await settle();
      expect(await shown(documents)).toEqual({
        'apis/a.example/v1': whole(A1, 1, 'Stale'),
        'apis/b.example/v1': whole(B),
      });
      find('a').state = 'answers';
      find('a').release = 2;
      clock.advance(500);
      await settle();
      // Discovery is tried again soon; OpenAPI of a server that failed a minute later.
      clock.advance(60_000);
      await settle();
      expect(await shown(documents)).toMatchObject({ 'apis/a.example/v1': whole(A1, 2) });
    },
  );

  it('wait for no server that hangs', async () => {
    const { world, documents, find } = given();
    find('a').state = 'hangs';
    world.register('a', A1);
    world.register('b', B);
    await settle();
    expect(await shown(documents)).toEqual({
      'apis/a.example/v1': EMPTY,
      'apis/b.example/v1': whole(B),
    });
    documents.stop();
  });

  it('are asked of a server that is not available, and current while it tells them', async () => {
    const { world, documents, find } = given();
    world.register('a', A1, false);
    await settle();
    const told = { freshness: 'Current', resources: ['things1'], list: ['things1'] };
    expect(await shown(documents)).toEqual({ 'apis/a.example/v1': { ...told, v3: [], v2: [] } });
    find('a').release = 2;
    world.register('a', A1, true);
    await settle();
    expect(await shown(documents)).toEqual({ 'apis/a.example/v1': whole(A1, 2) });
    find('a').state = 'refuses';
    world.register('a', A1, false);
    await settle();
    expect(await shown(documents)).toEqual({ 'apis/a.example/v1': whole(A1, 2, 'Stale') });
  });

  it('are current of the version whose APIService believes the server, and stale of the other', async () => {
    const { world, documents, find } = given();
    find('a').authority = 'right';
    world.register('a', A1, false, 'wrong');
    world.register('a', A2, true, 'right');
    await settle();
    expect(await shown(documents)).toMatchObject({
      'apis/a.example/v1': { freshness: 'Stale', resources: [] },
      'apis/a.example/v2': whole(A2),
    });
  });

  it('are asked for again soon where a list was refused, though the rest was given', async () => {
    const { world, documents, find, clock } = given();
    find('a').missing = ['/apis/a.example/v1'];
    world.register('a', A1);
    await settle();
    find('a').missing = [];
    clock.advance(500);
    await settle();
    expect(await shown(documents)).toEqual({ 'apis/a.example/v1': whole(A1) });
  });

  it('go with their APIService, at once', async () => {
    const { world, documents, clock } = given();
    world.register('a', A1);
    world.register('a', A2);
    await settle();
    world.remove(A1);
    expect(Object.keys(await shown(documents))).toEqual(['apis/a.example/v2']);
    world.remove(A2);
    await settle();
    expect(await shown(documents)).toEqual({});
    expect(clock.waiting).toBe(0);
  });

  it('are the same objects while they say the same, so that what is made of them is kept', async () => {
    const { world, documents, clock } = given();
    world.register('a', A1);
    world.register('b', B);
    await settle();
    const before = documents.current();
    clock.advance(60_000);
    await settle();
    const after = documents.current();
    expect(after.registered).toBe(before.registered);
    expect(after.described).toBe(before.described);
  });
});

/** Whatever servers and APIServices do, what was known once is shown as long as there is an APIService. */
describe('discovery and OpenAPI', () => {
  const pair = fc.constantFrom(A1, A2, B);
  const step = fc.oneof(
    fc.record({ do: fc.constant('register' as const), pair, available: fc.boolean() }),
    fc.record({ do: fc.constant('remove' as const), pair }),
    fc.record({
      do: fc.constant('state' as const),
      name: fc.constantFrom('a', 'b'),
      state: fc.constantFrom<ServerState>('answers', 'refuses', 'hangs', 'is broken'),
    }),
    fc.record({ do: fc.constant('release' as const), name: fc.constantFrom('a', 'b') }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(500, 5_000, 60_000) }),
  );
  const serverOf = ([group]: Pair): string => (group === 'b.example' ? 'b' : 'a');

  it('have no holes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 24 }), async (steps) => {
        const { world, documents, find, clock } = given();
        const known = new Set<string>();
        for (const one of steps) {
          if (one.do === 'register') {
            world.register(serverOf(one.pair), one.pair, one.available);
          } else if (one.do === 'remove') {
            world.remove(one.pair);
          } else if (one.do === 'state') {
            find(one.name).state = one.state;
          } else if (one.do === 'release') {
            find(one.name).release += 1;
          } else {
            clock.advance(one.ms);
          }
          for (const isSettled of [false, true]) {
            if (isSettled) await settle();
            const now = await shown(documents);
            const registered = world.services.all().map(({ path }) => path.slice(1));
            expect(Object.keys(now).sort()).toEqual(registered.sort());
            const isGone = (part: string) => !registered.includes(part.split(' ')[0] ?? '');
            for (const part of [...known].filter(isGone)) known.delete(part);
            const parts = new Set(partsOf(now));
            expect([...known].filter((part) => !parts.has(part))).toEqual([]);
            for (const part of parts) known.add(part);
          }
        }
        documents.stop();
      }),
      { numRuns: 100 },
    );
  });

  /** `apis/GROUP/VERSION v2` and so on, of what there is something of. */
  function partsOf(all: Record<string, object>): string[] {
    return Object.entries(all).flatMap(([path, entry]) =>
      Object.entries(entry).flatMap(([name, value]) =>
        Array.isArray(value) && value.length > 0 ? [`${path} ${name}`] : [],
      ),
    );
  }
});
