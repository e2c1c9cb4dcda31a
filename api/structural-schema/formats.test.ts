import { expect, it } from 'vitest';

import { formatCheck, isCheckedFormat } from './formats.ts';

it.each([
  ['uri', 'http://example.com:80/a?b', true],
  ['uri', 'example.com', false],
  ['uri', 'http://[::1', false],
  ['email', '"Jo" <jo@example.com> (at work)', true],
  ['email', 'jo@', false],
  ['hostname', 'a-b.example', true],
  ['hostname', 'a_b.example', false],
  ['ipv4', '10.0.0.01', true],
  ['ipv6', '::ffff:1.2.3.4', true],
  ['ipv6', 'fe80::1%eth0', false],
  ['cidr', '10.0.0.0/33', false],
  ['mac', '00:00:5e:00:53:01', true],
  ['duration', 'about 3 days', true],
  ['duration', 'soon', false],
  ['date', '2021-02-29', false],
  ['date-time', '2020-02-29T23:59:59.5+01:00', true],
  ['byte', 'YQ==', true],
  ['byte', '', false],
  ['isbn', '978-0321751041', true],
  ['creditcard', '4111-1111-1111-1112', false],
  ['rgbcolor', 'rgb( 1, 2,255)', true],
  ['k8s-short-name', 'a.b', false],
  ['k8s-long-name', 'a.b', true],
  ['uuid4', '123e4567-e89b-12d3-a456-426614174000', false],
])('of %s, %s is one: %s', (format, text, isOne) => {
  expect(formatCheck(format)?.(text)).toBe(isOne);
});

it('knows no format but those that are checked', () => {
  expect(isCheckedFormat('datetime')).toBe(true);
  expect(isCheckedFormat('int32')).toBe(false);
  expect(formatCheck('')).toBeUndefined();
});

it('looks at long texts once', () => {
  const digits = '1'.repeat(300_000);
  const names = ['duration', 'email', 'uri', 'byte', 'hostname', 'cidr', 'creditcard', 'rgbcolor'];
  for (const name of names) expect(typeof formatCheck(name)?.(`${digits}!`)).toBe('boolean');
});
