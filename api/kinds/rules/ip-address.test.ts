import { describe, expect, it } from 'vitest';
import {
  familyOf,
  formatIp,
  formatIpRange,
  isInRange,
  parseIp,
  parseIpRange,
  specialRangeOf,
} from './ip-address.ts';
import {
  ipProblems,
  ipRangeWarnings,
  ipWarnings,
  validateInterfaceAddress,
  validateIpRange,
  validateLegacyIp,
} from './ip-validation.ts';

function formatted(text: string): string | undefined {
  const address = parseIp(text);
  return address === undefined ? undefined : formatIp(address);
}

describe('an IP address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['010.0.000.1', '10.0.0.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::', '::'],
    ['1::', '1::'],
    ['::1.2.3.4', '::102:304'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:0:3:0:4:0', '1:0:2:0:3:0:4:0'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ])('written %s is %s', (text, canonical) => {
    expect(formatted(text)).toBe(canonical);
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.',
    '1.2.3.4 ',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    ':1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:',
    '::g',
    '::12345',
    'fe80::1%eth0',
    '1.2.3.4::',
    `${'0'.repeat(200)}.0.0.1`,
  ])('is not what is written %j', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  it.each([
    ['127.9.9.9', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['169.254.1.1', 'link-local'],
    ['fe80::1', 'link-local'],
    ['224.0.0.9', 'link-local multicast'],
    ['ff02::1', 'link-local multicast'],
    ['10.0.0.1', undefined],
    ['2001:db8::1', undefined],
  ])('%s is %s', (text, range) => {
    const address = parseIp(text);
    expect(address && specialRangeOf(address)).toBe(range);
  });

  it('is of the family that it stands for', () => {
    const families = ['1.2.3.4', '::ffff:1.2.3.4', '::1'].map((text) => {
      const address = parseIp(text);
      return address && familyOf(address);
    });
    expect(families).toEqual(['IPv4', 'IPv4', 'IPv6']);
  });
});

describe('a range of addresses', () => {
  it('holds the addresses of its prefix', () => {
    const range = parseIpRange('10.1.2.3/12');
    const holds = ['10.0.0.0', '10.15.255.255', '10.16.0.0', '::1'].map((text) => {
      const address = parseIp(text);
      return range !== undefined && address !== undefined && isInRange(range, address);
    });
    expect(range && formatIpRange(range)).toBe('10.0.0.0/12');
    expect(holds).toEqual([true, true, false, false]);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/', '::/129', '/8'])(
    'is not what is written %s',
    (text) => {
      expect(parseIpRange(text)).toBeUndefined();
    },
  );
});

describe('what is wrong with an address', () => {
  it('depends on how strict the field is', () => {
    expect(ipProblems('10.0.0.01')).toEqual(['must not have leading 0s']);
    expect(ipProblems('::ffff:1.2.3.4')).toEqual(['must not be an IPv4-mapped IPv6 address']);
    expect(ipProblems('FE80::1')).toEqual(['must be in canonical form ("fe80::1")']);
    expect(validateLegacyIp('f', 'FE80::1')).toEqual([]);
    expect(validateLegacyIp('f', 'x', ['x'])).toEqual([]);
  });

  it('is told of ranges and of interfaces too', () => {
    const bodies = [
      validateIpRange('f', '10.0.0.1/8'),
      validateIpRange('f', '10.0.0.0/08'),
      validateInterfaceAddress('f', '10.0.0.1/08'),
      validateInterfaceAddress('f', '10.0.0.1/8'),
    ].map((errors) => errors.map(({ body }) => body));
    expect(bodies).toEqual([
      ['Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length'],
      ['Invalid value: "10.0.0.0/08": must not have leading 0s in IP or prefix length'],
      ['Invalid value: "10.0.0.1/08": must be in canonical form ("10.0.0.1/8")'],
      [],
    ]);
  });

  it('is a warning where it was taken before', () => {
    expect(ipWarnings('f', '2001:DB8::1')).toEqual([
      'f: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ]);
    expect(ipRangeWarnings('f', '10.0.0.1/8')).toEqual([
      'f: CIDR value "10.0.0.1/8" is ambiguous in this context ' +
        '(should be "10.0.0.0/8" or "10.0.0.1/32"?)',
    ]);
    expect(ipWarnings('f', '010.0.0.1')).toEqual([
      'f: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
    ]);
  });
});
