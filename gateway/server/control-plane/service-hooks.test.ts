import { isIP } from 'node:net';
import { expect, it } from 'vitest';
import { advertisedAddress } from './service-hooks.ts';

it.each([
  [undefined, '203.0.113.5', '203.0.113.5'],
  ['203.0.113.9', '0.0.0.0', '203.0.113.9'],
  ['203.0.113.9', '127.0.0.1', '203.0.113.9'],
  ['fd00::5', '::', 'fd00::5'],
  ['127.0.0.1', '0.0.0.0', undefined],
  ['::1', '0.0.0.0', undefined],
])('advertised %s and bound to %s, others reach the server by %s', async (said, bound, address) => {
  expect(await advertisedAddress({ advertiseAddress: said, bindAddress: bound })).toBe(address);
});

it.each(['0.0.0.0', '127.0.0.1', '::', '::1'])(
  'bound to %s it is an address of the machine that others can reach, where there is one',
  async (bindAddress) => {
    for (const advertiseAddress of [undefined, '0.0.0.0']) {
      const found = await advertisedAddress({ advertiseAddress, bindAddress });
      if (found === undefined) continue;
      expect(isIP(found)).toBeGreaterThan(0);
      expect(found).not.toMatch(/^(127\.|0\.0\.0\.0|::1?$|fe80)/);
    }
  },
);
