/**
 * The law of slices, by counts: a write of a large object is no single turn of the event loop, and
 * of two large writes no two slices share one. How long a slice takes is for bench/attacks.ts.
 */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { PART } from '../../../api/json/json-parts.ts';
import { LARGE_BYTES } from '../../request/large-work.ts';
import { configMap, givenControlPlane, type Told } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** Reading, typing, candidate, comparing, managers, rules, admission, bytes. */
const SLICES_MIN = 7;

function large(name: string, value: string): JsonObject {
  const keys = Array.from({ length: 500 }, (_, at) => [`k${String(at)}`, value.repeat(600)]);
  return configMap(name, Object.fromEntries(keys) as Record<string, string>);
}

/** How many turns others had while it was answered. */
async function turnsWhile(asked: Promise<Told>): Promise<readonly [Told, number]> {
  let turns = 0;
  let isOver = false;
  const goOn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(goOn);
  };
  setImmediate(goOn);
  const told = await asked;
  isOver = true;
  return [told, turns];
}

it('others have their turns while a large object is written, in every way', async () => {
  const plane = await givenControlPlane();
  const body = large('a', 'x');
  expect(JSON.stringify(body).length).toBeGreaterThan(LARGE_BYTES);

  const writes = [
    () => plane.post(MAPS, body),
    () => plane.put(`${MAPS}/a`, large('a', 'y')),
    () => plane.patch(`${MAPS}/a`, 'merge', { data: large('a', 'z')['data'] ?? null }),
    () => plane.patch(`${MAPS}/a?fieldManager=b&force=true`, 'apply', large('a', 'w')),
    // A small patch of what is large.
    () => plane.patch(`${MAPS}/a`, 'json', [{ op: 'add', path: '/data/new', value: 'v' }]),
  ];
  for (const write of writes) {
    const [{ code, message }, turns] = await turnsWhile(write());
    expect(message).toBe('');
    expect(code).toBeLessThan(300);
    expect(turns).toBeGreaterThanOrEqual(SLICES_MIN);
  }
});

it('others have their turns between parts of an object of many fields', async () => {
  const plane = await givenControlPlane();
  const keys = Array.from({ length: 40_000 }, (_, at) => [`k${String(at)}`, 'v']);
  const body = configMap('many', Object.fromEntries(keys) as Record<string, string>);
  const [{ code, object }, turns] = await turnsWhile(plane.post(MAPS, body));

  expect(code).toBe(201);
  expect(turns).toBeGreaterThanOrEqual(SLICES_MIN + Math.floor(keys.length / PART));
  // The encoder sets them aside, also where it pauses.
  expect(object.metadata).toHaveProperty('managedFields');
  expect(object.metadata).toHaveProperty('resourceVersion');
});

it('a large write ends with its deadline, at the stage that it stands at', async () => {
  const { send, clock } = await givenControlPlane();
  const late = send({ method: 'POST', url: MAPS, body: large('a', 'x'), deadline: 1_000 });
  clock.advance(1_000);
  const [{ code }, turns] = await turnsWhile(late);

  expect(code).toBe(504);
  expect(turns).toBeLessThan(SLICES_MIN);
});

it('a small object is written in one turn', async () => {
  const plane = await givenControlPlane();
  const [{ code }, turns] = await turnsWhile(plane.post(MAPS, configMap('small', { a: 'b' })));

  expect(code).toBe(201);
  expect(turns).toBeLessThan(SLICES_MIN);
});
