import { expect, it } from 'vitest';
import { objectAt, stringAt } from '../../../api/json/json.ts';
import { dayOf } from '../../authentication/service-accounts/legacy-tokens.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { keepTokenTracking } from './token-tracking.ts';

const MAPS = '/api/v1/namespaces/kube-system/configmaps';
const MAP = `${MAPS}/kube-apiserver-legacy-service-account-token-tracking`;
const DAY_MS = 86_400_000;

it('says since when, keeps what stands there, and puts right what is no day', async () => {
  const { parts, loopback, objects, clock, find, patch, del, until } = await givenControllers();
  const problems: unknown[] = [];
  const { listen } = parts;
  const failed = (error: unknown): void => void problems.push(error);
  const stopping = new AbortController();
  const tracking = { loopback, objects, listen, clock, failed, until: stopping.signal };
  const since = async () => stringAt(objectAt(await find(MAP), 'data'), 'since');
  await keepTokenTracking(tracking);
  const first = dayOf(clock.now());
  expect(await since()).toBe(first);
  clock.advance(DAY_MS);
  await keepTokenTracking(tracking);
  expect(await since()).toBe(first);
  await patch(MAP, 'merge', { data: { since: 'yesterday' } });
  await until('it is a day again', async () => (await since()) === dayOf(clock.now()));
  await del(MAP);
  await until('it is made again', async () => (await since()) !== '');
  const madeAgain = clock.now();
  await del(MAP);
  await until('it is made again, later', async () => {
    if ((await since()) !== '') return true;
    clock.advance(60_000);
    return false;
  });
  expect(clock.now() - madeAgain).toBeGreaterThan(25 * 60_000);
  expect(problems).toEqual([]);
});
