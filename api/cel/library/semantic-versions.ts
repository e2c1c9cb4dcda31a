/**
 * Semantic versions: `semver('1.2.3').isLessThan(semver('1.10.0'))`.
 *
 * In Kubernetes: apiserver/pkg/cel/library/semverlib.go, and github.com/blang/semver.
 */
import { parseUint64, wholeNumber } from '../../json/go-numbers.ts';
import { compareGoStrings, goQuote } from '../../json/go-format.ts';
import { BOOL, INT, STRING } from '../cel-type.ts';
import { declare, method, overload, type Implementation, type Library } from '../declarations.ts';
import { CelError, CelOpaque, intOf, NO_SUCH_OVERLOAD, type CelValue } from '../value.ts';
import { SEMVER_TYPE } from './opaque-values.ts';

class CelSemver extends CelOpaque {
  override readonly type = SEMVER_TYPE;
  /** Major, minor, patch. */
  readonly numbers: readonly bigint[];
  readonly preRelease: readonly (bigint | string)[];

  constructor(numbers: readonly bigint[], preRelease: readonly (bigint | string)[]) {
    super();
    this.numbers = numbers;
    this.preRelease = preRelease;
  }

  override equals(other: CelValue): boolean {
    return other instanceof CelSemver && compare(this, other) === 0;
  }
}

function compare(one: CelSemver, other: CelSemver): number {
  for (const [index, number] of one.numbers.entries()) {
    const theirs = other.numbers[index] ?? 0n;
    if (number !== theirs) return number < theirs ? -1 : 1;
  }
  return comparePreReleases(one.preRelease, other.preRelease);
}

/** A version without one is greater. */
function comparePreReleases(
  one: readonly (bigint | string)[],
  other: readonly (bigint | string)[],
): number {
  if (one.length === 0 || other.length === 0) return Math.sign(other.length - one.length);
  for (const [index, part] of one.entries()) {
    const theirs = other[index];
    if (theirs === undefined) return 1;
    const order = compareParts(part, theirs);
    if (order !== 0) return order;
  }
  return one.length === other.length ? 0 : -1;
}

function compareParts(one: bigint | string, other: bigint | string): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return Math.sign(compareGoStrings(one, other));
  }
  if (typeof one === typeof other) return one === other ? 0 : one < other ? -1 : 1;
  return typeof one === 'bigint' ? -1 : 1;
}

function parseVersion(text: string): CelSemver | CelError {
  if (text === '') return new CelError('Version string empty');
  const [major, minor, ...rest] = text.split('.');
  if (major === undefined || minor === undefined || rest.length === 0) {
    return new CelError('No Major.Minor.Patch elements found');
  }
  const [, patch = '', pre, build] =
    /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest.join('.')) ?? [];
  const numbers: bigint[] = [];
  for (const [name, number] of [
    ['Major', major],
    ['Minor', minor],
    ['Patch', patch],
  ] as const) {
    const problem = numberProblem(name, number);
    if (problem !== undefined) return new CelError(problem);
    numbers.push(wholeNumber(number) ?? 0n);
  }
  const preRelease = pre === undefined ? [] : parsePreRelease(pre);
  if (preRelease instanceof CelError) return preRelease;
  const problem = build === undefined ? undefined : buildProblem(build);
  return problem === undefined ? new CelSemver(numbers, preRelease) : new CelError(problem);
}

function numberProblem(name: string, number: string): string | undefined {
  if (!/^\d+$/.test(number)) {
    return `Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(number)}`;
  }
  if (number.length > 1 && number.startsWith('0')) {
    return `${name} number must not contain leading zeroes ${goQuote(number)}`;
  }
  return rangeProblem(number);
}

function rangeProblem(digits: string): string | undefined {
  const number = parseUint64(digits);
  return typeof number === 'string'
    ? `strconv.ParseUint: parsing ${goQuote(digits)}: ${number}`
    : undefined;
}

function parsePreRelease(text: string): (bigint | string)[] | CelError {
  const parts: (bigint | string)[] = [];
  for (const part of text.split('.')) {
    if (part === '') return new CelError('Prerelease is empty');
    if (!/^[0-9A-Za-z-]+$/.test(part)) {
      return new CelError(`Invalid character(s) found in prerelease ${goQuote(part)}`);
    }
    const isNumber = /^\d+$/.test(part);
    if (isNumber && part.length > 1 && part.startsWith('0')) {
      const what = 'Numeric PreRelease version must not contain leading zeroes';
      return new CelError(`${what} ${goQuote(part)}`);
    }
    const problem = isNumber ? rangeProblem(part) : undefined;
    if (problem !== undefined) return new CelError(problem);
    parts.push(isNumber ? (wholeNumber(part) ?? 0n) : part);
  }
  return parts;
}

function buildProblem(text: string): string | undefined {
  for (const part of text.split('.')) {
    if (part === '') return 'Build meta data is empty';
    if (!/^[0-9A-Za-z-]+$/.test(part)) {
      return `Invalid character(s) found in build meta data ${goQuote(part)}`;
    }
  }
  return undefined;
}

/** With a `v` in front, zeros in front of numbers, or numbers missing. */
function normalizeVersion(text: string): CelSemver | CelError {
  const [first = '', second, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [first];
  if (second !== undefined) parts.push(second);
  if (rest.length > 0) parts.push(rest.join('.'));
  const trimmed = parts.map((part) => (part.length > 1 ? withoutZeros(part) : part));
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? '')) {
    return new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (trimmed.length < 3) trimmed.push('0');
  return parseVersion(trimmed.join('.'));
}

function withoutZeros(part: string): string {
  const trimmed = part.replace(/^0+/, '');
  return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
}

function read(text: CelValue, normalizes: CelValue): CelSemver | CelError {
  if (typeof text !== 'string') return NO_SUCH_OVERLOAD;
  return normalizes === true ? normalizeVersion(text) : parseVersion(text);
}

const parse: Implementation = (text, normalizes) => read(text, normalizes);

const isSemver: Implementation = (text, normalizes) =>
  typeof text === 'string' ? read(text, normalizes) instanceof CelSemver : NO_SUCH_OVERLOAD;

function number(index: number): Implementation {
  return (version) =>
    version instanceof CelSemver ? intOf(version.numbers[index] ?? 0n) : NO_SUCH_OVERLOAD;
}

function ofTwo(run: (order: number) => CelValue): Implementation {
  return (one, other) =>
    one instanceof CelSemver && other instanceof CelSemver
      ? run(compare(one, other))
      : NO_SUCH_OVERLOAD;
}

const S = SEMVER_TYPE;

export const SEMANTIC_VERSIONS: Library = [
  declare(
    'semver',
    overload('string_to_semver', [STRING], S, parse),
    overload('string_bool_to_semver', [STRING, BOOL], S, parse),
  ),
  declare(
    'isSemver',
    overload('is_semver_string', [STRING], BOOL, isSemver),
    overload('is_semver_string_bool', [STRING, BOOL], BOOL, isSemver),
  ),
  declare(
    'isGreaterThan',
    method(
      'semver_is_greater_than',
      [S, S],
      BOOL,
      ofTwo((order) => order > 0),
    ),
  ),
  declare(
    'isLessThan',
    method(
      'semver_is_less_than',
      [S, S],
      BOOL,
      ofTwo((order) => order < 0),
    ),
  ),
  declare(
    'compareTo',
    method(
      'semver_compare_to',
      [S, S],
      INT,
      ofTwo((order) => order),
    ),
  ),
  declare('major', method('semver_major', [S], INT, number(0))),
  declare('minor', method('semver_minor', [S], INT, number(1))),
  declare('patch', method('semver_patch', [S], INT, number(2))),
];
