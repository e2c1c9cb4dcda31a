/**
 * YAML bodies, read and written as upstream does: what a plain scalar means is decided by Go's
 * rules (yaml-scalar.ts), not by those of the `yaml` package, which only takes the text apart.
 * The package is loaded with the first body, because loading it takes longer than most starts.
 *
 * In Kubernetes: sigs.k8s.io/yaml.
 */
import { createRequire } from 'node:module';
import type {
  Alias,
  Composer,
  CST,
  Document,
  LineCounter,
  Node,
  Scalar,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import { allOf, type Parts } from '../../api/json/json-parts.ts';
import { setOwn } from '../../api/json/own-property.ts';
import { areSorted, sortedKeys } from '../../api/json/typed-json-keys.ts';
import { isInt64 } from '../../api/json/go-numbers.ts';
import { keepLiteral, keepLiteralsOf } from '../../api/json/json-reader.ts';
import { formatJson } from '../../api/json/json-text.ts';
import { isNumber, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { formatGoFloat32 } from './go-float.ts';
import { YamlEmitter } from './yaml-emitter.ts';
import { YamlError } from './yaml-error.ts';
import { ClosedDocument, FirstDocument } from './yaml-first-document.ts';
import { YamlRepeats } from './yaml-repeats.ts';
import { integerOf, readScalar, uint64Digits } from './yaml-scalar-nodes.ts';

type YamlPackage = typeof import('yaml');

let loadedPackage: YamlPackage | undefined;

function yamlPackage(): YamlPackage {
  loadedPackage ??= createRequire(import.meta.url)('yaml') as YamlPackage;
  return loadedPackage;
}

const CONTROL_CHARACTER = /[\0-\b\v\f\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

/**
 * The first document as JSON. Of a key that stands twice the last value counts.
 * @throws YamlError when it cannot be read.
 */
export function parseYaml(bytes: Uint8Array): JsonValue {
  return readYaml(bytes, false).value;
}

export interface YamlBody {
  readonly value: JsonValue;
  /** What Go says of keys that stand in a mapping twice; '' where there are none. */
  readonly problem: string;
}

/**
 * The first document, with its keys in Go's order.
 * @param strict whether to look for keys that stand in a mapping twice.
 * @throws YamlError when it cannot be read.
 */
export function readYaml(bytes: Uint8Array, strict: boolean): YamlBody {
  return allOf(readYamlInParts(bytes, strict));
}

/** As {@link readYaml}, with a rest wherever others may have their turn. */
export function* readYamlInParts(bytes: Uint8Array, strict: boolean): Parts<YamlBody> {
  const yaml = yamlPackage();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  if (CONTROL_CHARACTER.test(text)) {
    throw new YamlError('yaml: control characters are not allowed');
  }
  const lines = new yaml.LineCounter();
  const document = yield* firstDocument(yaml, text, lines);
  if (document === undefined) return { value: null, problem: '' };
  yield;
  const repeats = strict ? new YamlRepeats(lines) : undefined;
  const value = new YamlReader(yaml, text, repeats).read(document.contents);
  return { value, problem: repeats?.problem() ?? '' };
}

/** What is nested deeper than this is refused, long before the stack would end. */
const DEPTH_MAX = 500;
const TOO_DEEP = 'yaml: exceeded max depth';
/**
 * Words, marks and line breaks in one body. The package takes 2 to 5 microseconds for each, and
 * no other client is served meanwhile; the largest definitions in use have a third of this.
 */
const LEXEMES_MAX = 200_000;
const TOO_LONG = 'yaml: the document has too many parts, send it as JSON';

/** So many of them are taken apart at a time. */
export const PART_LEXEMES = 8_192;

function* firstDocument(
  yaml: YamlPackage,
  text: string,
  lines: LineCounter,
): Parts<Document | undefined> {
  const composer = new yaml.Composer({
    schema: 'failsafe',
    version: '1.1',
    merge: false,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  endAtFirstError(composer, lines);
  for (const token of tokensOf(yaml, text, lines)) {
    // To put a document together is a part of its own.
    if (token === undefined || token.type === 'document') yield;
    if (token === undefined) continue;
    for (const document of composer.next(token)) return document;
  }
  for (const document of composer.end(true, text.length)) return document;
  return undefined;
}

/** The package would collect them all, and a text can have a million. */
function endAtFirstError(composer: Composer, lines: LineCounter): void {
  const onError = (source: ErrorSource, _code: string, message: string, isWarning = false) => {
    if (isWarning) return;
    // The package catches what is thrown within a collection, and comes again with its message.
    if (message.startsWith('yaml: ')) throw new YamlError(message);
    const { line } = lines.linePos(positionOf(source));
    const why = message.charAt(0).toLowerCase() + message.slice(1);
    throw new YamlError(`yaml: line ${String(line)}: ${why}`);
  };
  // Private only to the declarations of the package: its own parts are handed this property.
  Reflect.set(composer, 'onError', onError);
}

/** Where an error begins: a position, a range, or a token that has one. */
type ErrorSource = number | readonly [number, number] | { readonly offset: number };

function positionOf(source: ErrorSource): number {
  if (typeof source === 'number') return source;
  return 'offset' in source ? source.offset : source[0];
}

/**
 * The package takes the text apart without recursion, but puts it together with it. Running out
 * of stack there cannot always be caught, so depth is counted before.
 *
 * Gives undefined where others may have their turn.
 */
function* tokensOf(
  yaml: YamlPackage,
  text: string,
  lines: LineCounter,
): Generator<CST.Token | undefined> {
  const parser = new yaml.Parser(lines.addNewLine);
  lines.addNewLine(0);
  const first = new FirstDocument(lines);
  const closed = new ClosedDocument();
  let lexemes = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    if (closed.isOver(lexeme)) break;
    for (const token of parser.next(lexeme)) {
      if (first.isOver(token)) return;
      yield token;
    }
    if (parser.stack.length > DEPTH_MAX) throw new YamlError(TOO_DEEP);
    lexemes += 1;
    if (lexemes > LEXEMES_MAX) throw new YamlError(TOO_LONG);
    if (lexemes % PART_LEXEMES === 0) yield undefined;
  }
  for (const token of parser.end()) {
    if (first.isOver(token)) return;
    yield token;
  }
}

/**
 * A document as Go writes it, ending with a line break.
 * @throws YamlError when the value is nested too deep.
 */
export function formatYaml(value: JsonValue): string {
  return allOf(formatYamlInParts(value));
}

/** The same of a large value, in parts. */
export function formatYamlInParts(value: JsonValue): Parts<string> {
  return new YamlEmitter().emitDocument(value);
}

const TOO_MANY_ALIASES = 'yaml: document contains excessive aliasing';
/** Characters that aliases may repeat: more than fits into any object. */
const ALIAS_CHARACTERS_MAX = 8 * 1024 * 1024;
/** Aliases may not be the bulk of a document: that is how small texts become huge values. */
const READ_COUNT_LOW = 400_000;
const READ_COUNT_HIGH = 4_000_000;

function aliasShareMax(readCount: number): number {
  if (readCount <= READ_COUNT_LOW) return 0.99;
  if (readCount >= READ_COUNT_HIGH) return 0.1;
  return 0.99 - (0.89 * (readCount - READ_COUNT_LOW)) / (READ_COUNT_HIGH - READ_COUNT_LOW);
}

class YamlReader {
  readonly #yaml: YamlPackage;
  /** Nodes by anchor; the package's own search would go through the document each time. */
  readonly #anchors = new Map<string, Node>();
  readonly #text: string;
  readonly #repeats: YamlRepeats | undefined;
  readonly #openAliases = new Set<Node>();
  /** Of the value that was read last: the digits of a number that only a uint64 holds. */
  #digits: string | undefined;
  #depth = 0;
  #readCount = 0;
  #readByAlias = 0;
  #charactersByAlias = 0;

  constructor(yaml: YamlPackage, text: string, repeats: YamlRepeats | undefined) {
    this.#yaml = yaml;
    this.#text = text;
    this.#repeats = repeats;
  }

  read(node: unknown): JsonValue {
    this.#count();
    if (this.#yaml.isAlias(node)) return this.#readAlias(node);
    this.#remember(node);
    if (this.#yaml.isScalar(node)) {
      this.#countCharacters(node);
      const scalar = readScalar(node, this.#text);
      this.#digits = uint64Digits(node, scalar);
      return scalar;
    }
    // Aliases nest deeper than the text does.
    if (++this.#depth > DEPTH_MAX) throw new YamlError(TOO_DEEP);
    let value: JsonValue = null;
    if (this.#yaml.isMap(node)) value = inGoOrder(this.#readMap(node, {}));
    else if (this.#yaml.isSeq(node)) value = this.#readList(node);
    this.#depth--;
    this.#digits = undefined;
    return value;
  }

  #count(): void {
    this.#readCount++;
    if (this.#openAliases.size === 0) return;
    this.#readByAlias++;
    if (this.#readByAlias <= 100 || this.#readCount <= 1000) return;
    if (this.#readByAlias / this.#readCount > aliasShareMax(this.#readCount)) {
      throw new YamlError(TOO_MANY_ALIASES);
    }
  }

  #countCharacters({ value }: Scalar): void {
    if (this.#openAliases.size === 0 || typeof value !== 'string') return;
    this.#charactersByAlias += value.length;
    if (this.#charactersByAlias > ALIAS_CHARACTERS_MAX) throw new YamlError(TOO_MANY_ALIASES);
  }

  #remember(node: unknown): void {
    if (!this.#yaml.isCollection(node) && !this.#yaml.isScalar(node)) return;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
  }

  #readAlias(alias: Alias): JsonValue {
    const target = this.#enter(alias);
    const value = this.read(target);
    this.#openAliases.delete(target);
    return value;
  }

  #enter(alias: Alias): Node {
    const target = this.#anchors.get(alias.source);
    if (target === undefined) {
      throw new YamlError(`yaml: unknown anchor '${alias.source}' referenced`);
    }
    if (this.#openAliases.has(target)) {
      throw new YamlError(`yaml: anchor '${alias.source}' value contains itself`);
    }
    this.#openAliases.add(target);
    return target;
  }

  #readList(list: YAMLSeq): JsonValue[] {
    const values: JsonValue[] = [];
    for (const item of list.items) {
      values.push(this.read(item));
      this.#keepDigits(values, String(values.length - 1));
    }
    return values;
  }

  /** Go makes JSON of it with all digits, which what keeps JSON as it is keeps, too. */
  #keepDigits(container: object, key: string): void {
    if (this.#digits !== undefined) keepLiteral(container, key, this.#digits);
  }

  #readMap(map: YAMLMap, into: JsonObject): JsonObject {
    for (const { key, value } of map.items) {
      if (isMergeKey(this.#yaml, key)) {
        this.#merge(value, into);
        continue;
      }
      const read = this.read(key);
      const name = this.#keyText(key, read);
      setOwn(into, name, this.read(value));
      this.#keepDigits(into, name);
      this.#repeats?.meet(into, read, offsetOf(value) ?? offsetOf(key) ?? 0);
    }
    return into;
  }

  /** `<<`: the keys of other maps, of several in a list the first one's above all. */
  #merge(source: unknown, into: JsonObject): void {
    this.#count();
    this.#remember(source);
    if (this.#yaml.isMap(source)) {
      this.#readMap(source, into);
    } else if (this.#yaml.isAlias(source)) {
      const target = this.#enter(source);
      if (!this.#yaml.isMap(target)) throw wantedMap();
      this.#readMap(target, into);
      this.#openAliases.delete(target);
    } else if (this.#yaml.isSeq(source)) {
      for (const one of source.items.toReversed()) {
        if (this.#yaml.isSeq(one) || this.#yaml.isScalar(one)) throw wantedMap();
        this.#merge(one, into);
      }
    } else {
      throw wantedMap();
    }
  }

  #keyText(node: unknown, key: JsonValue): string {
    if (typeof key === 'string') return key;
    if (typeof key === 'boolean') return String(key);
    if (!isNumber(key)) throw new YamlError(`unsupported map key: ${formatJson(key)}`);
    const whole = this.#yaml.isScalar(node) ? integerOf(node) : undefined;
    if (whole === undefined) return formatGoFloat32(Number(key));
    if (isInt64(whole)) return String(whole);
    throw new YamlError(`unsupported map key of type: uint64, key: 0x${whole.toString(16)}`);
  }
}

function offsetOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  const { range } = node;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}

/** Go makes JSON of it, with sorted keys, before it looks at the types. */
function inGoOrder(object: JsonObject): JsonObject {
  if (areSorted(Object.keys(object))) return object;
  const result: JsonObject = {};
  for (const key of sortedKeys(object)) setOwn(result, key, object[key] ?? null);
  keepLiteralsOf(object, result);
  return result;
}

function wantedMap(): YamlError {
  return new YamlError('yaml: map merge requires map or sequence of maps as the value');
}

function isMergeKey(yaml: YamlPackage, key: unknown): boolean {
  return yaml.isScalar(key) && key.type === 'PLAIN' && key.value === '<<' && key.tag === undefined;
}
