/** Small texts with a grammar of their own, which stand in objects and queries everywhere. */
import { formatGoDuration, parseGoDuration } from '../../../api/meta/go-duration.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  nameIsDns1035Label,
  qualifiedNameProblems,
} from '../../../api/meta/names.ts';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
} from '../../../api/meta/quantity.ts';
import { compileRegularExpression } from '../../../api/meta/regular-expression.ts';
import { compileJsonPath, printedValue } from '../../../api/json-path/json-path.ts';
import { formatAddress, NoAddress, parseAddress } from '../../../api/cel/library/address-text.ts';
import { canonicalTime, parseTime } from '../../../api/scheme/typed-json-scalars.ts';
import { formatCheck } from '../../../api/structural-schema/formats.ts';
import { holds, partsOf, seedOfParts, textOf, type FuzzTarget } from '../fuzz-target.ts';
import { frozen } from '../target-values.ts';
import { POD } from '../seeds.ts';

/** So many digits lie between two numbers at most of which a sum is made. */
const DIGITS_MAX = 10_100;
const FIVE = parseQuantity('5');

const quantity: FuzzTarget = {
  seeds: [
    '1Gi',
    '500m',
    '1e3',
    '-0.5',
    '1.5Ki',
    '100E',
    '1E2',
    '999999999999999999999',
    '+1',
    '1e-9',
    '0.000000001',
  ],
  dictionary: ['Ki', 'Mi', 'Ei', 'n', 'u', 'm', 'k', 'E', 'e-', 'e+', '.', '0000', '99999', '-'],
  bytesMax: 256,
  stretchedBytesMax: 64 * 1024,
  run(input) {
    const text = textOf(input);
    const parsed = parseQuantity(text);
    const canonical = canonicalQuantity(text);
    if (!parsed.ok || canonical === undefined || !FIVE.ok) return;
    holds(canonicalQuantity(canonical) === canonical, 'the canonical text is its own');
    holds(compareQuantities(parsed.quantity, parsed.quantity) === 0, 'a quantity equals itself');
    const more = addQuantities(parsed.quantity, FIVE.quantity);
    holds(compareQuantities(more, parsed.quantity) >= 0, 'more is not less');
    holds(more.text.length <= text.length * 2 + DIGITS_MAX, 'a sum is no longer than sums may be');
  },
};

const times: FuzzTarget = {
  seeds: [
    '2026-01-02T03:04:05Z',
    '2026-02-29T23:59:60.123456789+01:00',
    '0001-01-01T00:00:00Z',
    '1h2m3.5s',
    '-1.5h',
    '100ms',
    '1µs',
    '9223372036s',
    '24:00:00',
  ],
  dictionary: [
    'T',
    'Z',
    '+00:00',
    '-23:59',
    '.000000001',
    'ns',
    'us',
    'ms',
    'h',
    'm',
    's',
    '0000',
    '9999',
  ],
  bytesMax: 128,
  stretchedBytesMax: 64 * 1024,
  run(input) {
    const text = textOf(input);
    for (const precision of ['seconds', 'microseconds'] as const) {
      const canonical = canonicalTime(text, precision);
      // What a zone has led out of the years of four digits Go writes, and does not read.
      if (typeof canonical !== 'string' || !/^\d{4}-/.test(canonical)) continue;
      holds(parseTime(canonical, precision).ok, 'a time that was written is read');
      const again = canonicalTime(canonical, precision);
      // A part of a second behind the zero time is cut off, and what is left is none.
      holds(again === canonical || again === null, 'and is its own');
    }
    const duration = parseGoDuration(text);
    if (!duration.ok || !Number.isSafeInteger(duration.ms)) return;
    const again = parseGoDuration(formatGoDuration(duration.ms));
    holds(again.ok && again.ms === duration.ms, 'a duration comes back');
  },
};

const FORMATS = [
  'bsonobjectid', 'uri', 'email', 'hostname', 'ipv4', 'ipv6', 'cidr', 'mac', 'uuid', 'uuid3', 'uuid4', 'uuid5',
  'isbn', 'isbn10', 'isbn13', 'creditcard', 'ssn', 'hexcolor', 'rgbcolor', 'byte', 'password', 'date', 'duration',
  'datetime', 'date-time', 'k8s-short-name', 'k8s-long-name',
]; // prettier-ignore

/** Every format that a schema may ask for, names, and addresses. */
const formats: FuzzTarget = {
  seeds: [
    '10.0.0.1',
    'fe80::1%eth0',
    '::ffff:1.2.3.4',
    '10.0.0.0/8',
    'a.b-c.example.com',
    'user@example.com',
    'https://u:p@h:1/p?q#f',
    '00:11:22:aa:bb:cc',
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    '978-3-16-148410-0',
    'rgb(1,2,3)',
    '#aabbcc',
    'example.com/name',
    'aGVsbG8=',
    '2026-01-02',
  ],
  dictionary: ['::', '.', '/', '%25', '@', ':', '-', '[', ']', 'xn--', '255', 'ffff'],
  bytesMax: 512,
  stretchedBytesMax: 64 * 1024,
  run(input) {
    const text = textOf(input);
    for (const format of FORMATS) formatCheck(format)?.(text);
    for (const problemsOf of [
      dns1123LabelProblems,
      dns1123SubdomainProblems,
      labelValueProblems,
      qualifiedNameProblems,
    ])
      problemsOf(text);
    nameIsDns1035Label(text, true);
    const address = parseAddress(text);
    if (address instanceof NoAddress) return;
    const again = parseAddress(formatAddress(address));
    holds(
      !(again instanceof NoAddress) && Buffer.from(again).equals(address),
      'an address comes back',
    );
  },
};

const document = frozen({ ...POD, list: [[1, [2]], { a: { b: [3] } }] });

const jsonPath: FuzzTarget = {
  seeds: [
    '.spec.containers[0].name',
    '.metadata.labels["app"]',
    '..name',
    '.spec.containers[?(@.name=="main")].image',
    '.list[*][0:2:1]',
    '.metadata.annotations.example\\.com/note',
    "['a','b']",
    '.list[-1:]',
  ],
  dictionary: [
    '..',
    '[*]',
    '[?(@',
    ')]',
    '==',
    '&&',
    '[0:',
    ':-1]',
    "['",
    '"]',
    '{range',
    '{end}',
    '@.',
    '$',
    '\\',
  ],
  bytesMax: 512,
  run(input) {
    const find = compileJsonPath(textOf(input));
    for (const value of find?.(document) ?? []) printedValue(value);
  },
};

const regularExpression: FuzzTarget = {
  seeds: [
    seedOfParts('^[a-z]([-a-z0-9]*[a-z0-9])?$', 'abc-def'),
    seedOfParts('(a+)+$', 'aaaaaaaaaaaaaaaa!'),
    seedOfParts('\\p{Greek}{2,5}|(?i:x)', 'αβγ'),
    seedOfParts('(?:(?:a?){10}){10}', 'aaa'),
    seedOfParts('\\', ''),
  ],
  dictionary: [
    '(?:',
    '(?i)',
    '{1000}',
    '{0,1000}',
    '[^',
    '\\pL',
    '\\b',
    '|',
    '*',
    '+?',
    '$',
    '\\x{10ffff}',
    '[[:alpha:]]',
    '(?P<n>',
  ],
  bytesMax: 256,
  run(input) {
    const [pattern = '', text = ''] = partsOf(input, 2);
    const compiled = compileRegularExpression(pattern);
    if (compiled.ok)
      holds(
        compiled.expression.test(text) === compiled.expression.test(text),
        'the same answer twice',
      );
    else holds(compiled.message !== '', 'a refusal says why');
  },
};

export const targets: Readonly<Record<string, FuzzTarget>> = {
  quantity,
  times,
  formats,
  'json-path': jsonPath,
  'regular-expression': regularExpression,
};
