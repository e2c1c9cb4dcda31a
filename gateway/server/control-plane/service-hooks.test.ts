import { isIP } from 'node:net';
import { expect, it } from 'vitest';
import { parseServeOptions } from '../../flags/flags.ts';
import { advertisedAddress, advertisedTo } from './service-hooks.ts';

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

const flagged = (flags: readonly string[]) => parseServeOptions(flags, () => '');

it.each([
  [
    '203.0.113.9',
    'fd00::/112',
    'service IP family "fd00::/112" must match public address family "203.0.113.9"',
  ],
  [
    'fd00::5',
    '10.0.0.0/24,fd00::/112',
    'service IP family "10.0.0.0/24" must match public address family "fd00::5"',
  ],
  [
    '127.0.0.1',
    'fd00::/112',
    'service IP family "fd00::/112" must match public address family "127.0.0.1"',
  ],
])(
  'advertised %s, with services in %s, the server does not start',
  async (address, ranges, why) => {
    const flags = [`--advertise-address=${address}`, `--service-cluster-ip-range=${ranges}`];
    await expect(advertisedTo(flagged(flags))).rejects.toThrow(why);
    const none = flagged([...flags, '--endpoint-reconciler-type=none']);
    expect(await advertisedTo(none)).toBe(address === '127.0.0.1' ? undefined : address);
  },
);

it('is of the family of the first range', async () => {
  const range = '--service-cluster-ip-range=fd00::/112,10.0.0.0/24';
  expect(await advertisedTo(flagged(['--advertise-address=fd00::5', range]))).toBe('fd00::5');
});
