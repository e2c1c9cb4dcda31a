import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import type { Random } from '../../../api/meta/clock.ts';
import { MemoryEventLog } from '../../../streams/memory/memory-event-log.ts';
import { parsedKind } from '../../../projections/objects/stored-kinds.ts';
import { givenControlPlane, type ControlPlane } from '../given-registry.fixture.ts';
import { claimsOf, IP_ADDRESSES, NODE_PORTS, SERVICES } from './service-claims.ts';

const URL = '/api/v1/namespaces/default/services';
const FLAGS = [
  '--service-cluster-ip-range=10.0.0.0/27,fd00::/124',
  '--service-node-port-range=30000-30019',
];
const SERVERS = 3;
const NAMES = 24;
const ROUNDS = 25;

/** A row of numbers that says of each write what it is. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Each server is a writer of its own; all choose the same, so that they meet. */
function randomOf(server: number): Random {
  let count = 0;
  return {
    integer: (below) => below - 1,
    uuid() {
      count += 1;
      return `${String(server)}-${String(count)}`;
    },
  };
}

function specBy(roll: (below: number) => number): JsonObject {
  const port = { port: 80, ...(roll(4) === 0 ? { nodePort: 30_000 + roll(20) } : {}) };
  const address = roll(6) === 0 ? { clusterIP: `10.0.0.${String(1 + roll(30))}` } : {};
  const policy = roll(4) === 0 ? { ipFamilyPolicy: 'RequireDualStack' } : {};
  switch (roll(5)) {
    case 0:
      return { type: 'ExternalName', externalName: 'example.com' };
    case 1:
      return { ports: [{ port: 80 }], ...address, ...policy };
    default:
      return { type: 'NodePort', ports: [port], ...address, ...policy };
  }
}

async function writeOnce({ post, put, patch, del }: ControlPlane, roll: (below: number) => number) {
  const name = `s${String(roll(NAMES))}`;
  const object = { kind: 'Service', apiVersion: 'v1', metadata: { name }, spec: specBy(roll) };
  switch (roll(6)) {
    case 0:
    case 1:
      return post(URL, object);
    case 2:
      return put(`${URL}/${name}`, object);
    case 3:
      return patch(`${URL}/${name}`, 'merge', {
        spec: { type: 'ClusterIP', ports: [{ port: 80 }] },
      });
    case 4:
      return patch(`${URL}/${name}`, 'merge', { spec: { ipFamilyPolicy: 'SingleStack' } });
    default:
      return del(`${URL}/${name}`);
  }
}

/** What all services say they have, and what is held. */
function heldAndSaid({ objects }: ControlPlane) {
  const services = [...objects.of(SERVICES).inOrder('')].map((stored) =>
    parsedKind('v1/services', stored),
  );
  const said = services.flatMap(claimsOf).map(({ resource, path }) => `${resource}${path}`);
  const held = [IP_ADDRESSES, NODE_PORTS].flatMap((resource) =>
    [...objects.of(resource).inOrder('')].map(({ path }) => `${resource}${path}`),
  );
  return { said: said.sort(), held: held.sort() };
}

describe('servers that give addresses and ports at the same time, on one log', () => {
  it('give none twice, and release each', async () => {
    const log = new MemoryEventLog();
    const planes: ControlPlane[] = [];
    for (let one = 0; one < SERVERS; one += 1) {
      planes.push(await givenControlPlane({ log, flags: FLAGS, random: randomOf(one) }));
    }
    const told = new Map<number, number>();
    const roll = dice(17);
    for (let round = 0; round < ROUNDS; round += 1) {
      const writes = planes.flatMap((plane) => [0, 1, 2, 3].map(() => writeOnce(plane, roll)));
      for (const { code } of await Promise.all(writes)) told.set(code, (told.get(code) ?? 0) + 1);
      const [first, ...others] = planes.map(heldAndSaid);
      expect(new Set(first?.said).size).toBe(first?.said.length);
      expect(first?.held).toEqual(first?.said);
      for (const other of others) expect(other).toEqual(first);
    }
    // Of each outcome there were some: otherwise the law was not put to the test.
    for (const code of [200, 201, 404, 409, 422]) expect(told.get(code)).toBeGreaterThan(10);
    const overtaken = planes.reduce((sum, { verdicts }) => sum + verdicts.overtaken, 0);
    expect(overtaken).toBeGreaterThan(20);
    const [plane] = planes;
    await plane?.del(URL);
    expect(plane && heldAndSaid(plane)).toEqual({ said: [], held: [] });
  });
});
