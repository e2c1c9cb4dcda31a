import { expect, it } from 'vitest';
import { KeyRing } from '../../../actors/authentication/jwt/key-ring.ts';
import { TokenIssuer } from '../../../actors/authentication/service-accounts/token-issuer.ts';
import { testFaults, testRandom } from '../../../actors/request/given.fixture.ts';
import { parseServeOptions } from '../../flags/flags.ts';
import { givenPlane } from '../given-plane.fixture.ts';
import { runControllers } from './run-controllers.ts';

it('tells controllers that were stopped of no more changes', async () => {
  const plane = await givenPlane();
  const told = { listeners: 0 };
  const counted: typeof plane = {
    ...plane,
    listen(listener) {
      told.listeners += 1;
      const end = plane.listen(listener);
      return () => {
        told.listeners -= 1;
        end();
      };
    },
  };
  const { features } = parseServeOptions([], () => '');
  const asked = { issuer: '', audiences: [], lifetimeSecondsMax: 0, extendsLifetime: false };
  const running = runControllers(counted, {
    options: { controllers: features.controllers, readOnly: false, eventTtlMs: 0 },
    served: plane.served,
    authority: '',
    tokens: new TokenIssuer(asked, new KeyRing(), testRandom()),
    faults: testFaults(),
  });
  await running.definitionsRead;
  expect(told.listeners).toBeGreaterThan(1);
  await running.stop();
  expect(told.listeners).toBe(0);
});
