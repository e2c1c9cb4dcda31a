/**
 * The limit of an object is the log's, as it is etcd's in Kubernetes: a dry run, which reaches
 * neither, shows an object of any size that the request makes, with its managers.
 */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import {
  configMap,
  type ControlPlane,
  deployment,
  givenControlPlane,
  type Told,
} from '../given-registry.fixture.ts';
import { BODY_BYTES_MAX } from '../write-context.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

/** Keys without values, which the managed fields name again: 1.7 MB, and twice as much with them. */
const KEYS = Object.fromEntries(
  Array.from({ length: 6_400 }, (_, at) => [String(at).padStart(250, '0'), '']),
) as Record<string, string>;
/** One fits into an object, and two do not. */
const LONG = ['x'.repeat((2 * BODY_BYTES_MAX) / 3)];
const CONTAINER = '/spec/template/spec/containers/0';

type Write = (plane: ControlPlane, query: string) => Promise<Told>;

function inContainer(fields: JsonObject): JsonObject {
  const containers = [{ name: 'main', image: 'nginx', ...fields }];
  return { spec: { template: { spec: { containers } } } };
}

const OF_DEPLOYMENTS: readonly (readonly [string, Write])[] = [
  [
    'a JSON patch',
    ({ patch }, query) =>
      patch(`${DEPLOYMENTS}/d${query}`, 'json', [
        { op: 'copy', from: `${CONTAINER}/args`, path: `${CONTAINER}/command` },
      ]),
  ],
  [
    'a strategic merge patch',
    ({ patch }, query) =>
      patch(`${DEPLOYMENTS}/d${query}`, 'strategic-merge', inContainer({ command: LONG })),
  ],
  [
    'an apply beside another manager',
    ({ patch }, query) =>
      patch(`${DEPLOYMENTS}/d${query}`, 'apply', {
        kind: 'Deployment',
        apiVersion: 'apps/v1',
        metadata: { name: 'd' },
        ...inContainer({ command: LONG }),
      }),
  ],
];

it.each(OF_DEPLOYMENTS)(
  '%s that makes an object too large is shown by a dry run',
  async (_, write) => {
    const plane = await givenControlPlane();
    await plane.post(DEPLOYMENTS, deployment('d', 1));
    const args = inContainer({ args: LONG });
    expect((await plane.patch(`${DEPLOYMENTS}/d`, 'strategic-merge', args)).code).toBe(200);
    const before = plane.applied.current;

    const dry = await write(plane, '?fieldManager=m&dryRun=All');
    expect([dry.code, dry.message]).toEqual([200, '']);
    expect(dry.object).toMatchObject(inContainer({ args: LONG, command: LONG }));
    expect(await write(plane, '?fieldManager=m')).toMatchObject({ code: 413 });
    expect(plane.applied.current).toBe(before);
  },
);

it.each<readonly [string, Write, number, number]>([
  ['a create', ({ post }, query) => post(`${MAPS}${query}`, configMap('new', KEYS)), 201, 201],
  ['an update', ({ put }, query) => put(`${MAPS}/old${query}`, configMap('old', KEYS)), 200, 200],
  [
    'a merge patch',
    ({ patch }, query) => patch(`${MAPS}/old${query}`, 'merge', { data: KEYS }),
    200,
    200,
  ],
  [
    'an apply',
    ({ patch }, query) => patch(`${MAPS}/new${query}`, 'apply', configMap('new', KEYS)),
    201,
    413,
  ],
])('%s of many keys keeps its managers in a dry run', async (_, write, dryCode, code) => {
  const plane = await givenControlPlane();
  await plane.post(MAPS, configMap('old', { first: '' }));
  const dry = await write(plane, '?fieldManager=m&dryRun=All');
  expect([dry.code, dry.message]).toEqual([dryCode, '']);
  expect(dry.object['data']).toMatchObject(KEYS);
  expect(JSON.stringify(dry.object.metadata.managedFields)).toContain(Object.keys(KEYS).at(-1));
  expect(JSON.stringify(dry.object).length).toBeGreaterThan(BODY_BYTES_MAX);

  const written = await write(plane, '?fieldManager=m');
  expect(written.code).toBe(code);
  // What is written fits into the log, so all but the managers, of which an apply is about.
  if (code < 300) expect(written.object.metadata).not.toHaveProperty('managedFields');
});
