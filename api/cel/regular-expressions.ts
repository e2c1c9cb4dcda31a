/**
 * Regular expressions as Go has them: matched in time that grows with the text and with nothing
 * else, whatever the pattern.
 *
 * In Kubernetes: Go's regexp; the functions are in cel-go's standard library and in
 * apiserver/pkg/cel/library/regex.go.
 */
import { BoundedMap } from '../meta/bounded-map.ts';
import { RE2JS } from 're2js';
import { ValueList } from './containers.ts';
import type { Implementation } from './declarations.ts';
import { CelError, isInt, NO_SUCH_OVERLOAD, type CelValue } from './value.ts';

const COMPILED_MAX = 1000;
/** Patterns may come from objects, so their size is what counts. */
const COMPILED_BYTES_MAX = 1 << 25;
/** What an instruction of a program takes, about. */
const INSTRUCTION_BYTES = 200;
const compiled = new BoundedMap<string, RE2JS | CelError>(COMPILED_MAX, {
  bytesMax: COMPILED_BYTES_MAX,
  bytesOf: (pattern, made) =>
    2 * pattern.length +
    (made instanceof CelError ? 2 * made.message.length : INSTRUCTION_BYTES * made.programSize()),
});

/** The compiled `pattern`, or the error that Go has for it. */
export function compilePattern(pattern: string): RE2JS | CelError {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compileAnew(pattern);
  compiled.set(pattern, made);
  return made;
}

function compileAnew(pattern: string): RE2JS | CelError {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return new CelError(error.message);
  }
}

/** `text.matches(pattern)`: whether the pattern is found anywhere in the text. */
export const matches: Implementation = (text, pattern) => {
  if (typeof text !== 'string' || typeof pattern !== 'string') return NO_SUCH_OVERLOAD;
  const regex = compilePattern(pattern);
  return regex instanceof CelError ? regex : regex.matcher(text).find();
};

/** `text.find(pattern)`: the first match, `''` if there is none. */
export const find: Implementation = (text, pattern) => {
  if (typeof text !== 'string' || typeof pattern !== 'string') return NO_SUCH_OVERLOAD;
  const regex = compilePattern(pattern);
  return regex instanceof CelError ? illegal(regex) : firstMatch(regex, text);
};

function firstMatch(regex: RE2JS, text: string): string {
  const matcher = regex.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** `text.findAll(pattern)`: all matches, in order. */
export const findAll: Implementation = (text, pattern) =>
  findSome(text, pattern, Number.POSITIVE_INFINITY);

/** `text.findAll(pattern, limit)`: the first `limit` matches; all of them for a negative limit. */
export const findAllLimited: Implementation = (text, pattern, limit) => {
  if (!isInt(limit)) return NO_SUCH_OVERLOAD;
  return findSome(text, pattern, limit < 0 ? Number.POSITIVE_INFINITY : Number(limit));
};

function findSome(text: CelValue, pattern: CelValue, countMax: number): CelValue {
  if (typeof text !== 'string' || typeof pattern !== 'string') return NO_SUCH_OVERLOAD;
  const regex = compilePattern(pattern);
  return regex instanceof CelError ? illegal(regex) : allMatches(regex, text, countMax);
}

function allMatches(regex: RE2JS, text: string, countMax: number): CelValue {
  const matcher = regex.matcher(text);
  const found: string[] = [];
  while (found.length < countMax && matcher.find()) found.push(matcher.group() ?? '');
  return new ValueList(found);
}

function illegal(error: CelError): CelError {
  return new CelError(`Illegal regex: ${error.message}`);
}

/** `matches`, `find` or `findAll` with its pattern compiled beforehand. */
export function compileConstantPattern(name: string, pattern: string): Implementation | CelError {
  const regex = compilePattern(pattern);
  if (regex instanceof CelError) return regex;
  const ofText = (run: (text: string, third: CelValue) => CelValue): Implementation => {
    return (text, _pattern, third) =>
      typeof text === 'string' ? run(text, third) : NO_SUCH_OVERLOAD;
  };
  if (name === 'matches') return ofText((text) => regex.matcher(text).find());
  if (name === 'find') return ofText((text) => firstMatch(regex, text));
  return ofText((text, limit) => {
    const isLimited = isInt(limit) && limit >= 0;
    return allMatches(regex, text, isLimited ? Number(limit) : Number.POSITIVE_INFINITY);
  });
}
