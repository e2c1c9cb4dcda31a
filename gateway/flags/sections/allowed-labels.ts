/**
 * The file of `--allow-metric-labels-manifest`, and which keys it and the flag may have.
 *
 * In Kubernetes: component-base/metrics/api/v1/config.go.
 */
import { normalize } from 'node:path';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { isNumber, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { compareGoStrings, goJson } from '../../../api/json/go-format.ts';
import type { AllowedLabels } from '../../metrics/label-allow-list.ts';
import { parseYaml } from '../../negotiation/yaml-codec.ts';
import { YamlError } from '../../negotiation/yaml-error.ts';
import type { ReadTextFile } from '../config-file.ts';
import { quoted } from '../flag-values.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';

const FAMILY = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*';
const KEY = new RegExp(`^${FAMILY},${LABEL}$`);
const FIELD = 'metrics.allowListMappingManifest';
/** Longer scalars are cut in the errors of Go's YAML. */
const SHOWN_MAX = 10;

/** @throws StartupError */
export function labelsInManifest(path: string, readFile: ReadTextFile): AllowedLabels {
  const failed = (why: string): StartupError =>
    new StartupError(`${FIELD}: Invalid value: ${quoted(path)}: ${why}`);
  let labels: AllowedLabels;
  try {
    labels = labelsIn(readFile(path));
  } catch (error) {
    if (error instanceof YamlError) {
      throw failed(`failed to parse allow list manifest: ${error.message}`);
    }
    throw failed(`failed to read allow list manifest: ${readProblem(path, error)}`);
  }
  const problem = keysProblem(labels, FIELD);
  if (problem === undefined) return labels;
  throw failed(`invalid allow list mapping in manifest: [${problem}]`);
}

/** Why a key is none; undefined: all are. */
export function keysProblem(labels: AllowedLabels, field: string): string | undefined {
  if ([...labels.keys()].every((key) => KEY.test(key))) return undefined;
  return (
    `${field}: Invalid value: ${goJson(asObject(labels))}: must have keys with format ` +
    `\`metricName,labelName\` where metricName matches ${quoted(FAMILY)} and labelName matches ` +
    quoted(LABEL)
  );
}

/** Sorted, as Go writes a map. */
export function asObject(labels: AllowedLabels): JsonObject {
  return Object.fromEntries([...labels].sort(([one], [other]) => compareGoStrings(one, other)));
}

function readProblem(path: string, error: unknown): string {
  const isFolder = error instanceof Error && 'code' in error && error.code === 'EISDIR';
  if (isFolder) return `read ${path}: is a directory`;
  return `open ${normalize(path)}: ${systemProblem(error)}`;
}

/** What yaml.v2 makes of it: scalars are taken as they are written. @throws YamlError */
function labelsIn(text: string): AllowedLabels {
  const value = parseYaml(Buffer.from(text));
  const lines = new LineCounter();
  const document = parseDocument(text, {
    ...{ schema: 'failsafe', version: '1.1', uniqueKeys: false, lineCounter: lines },
  });
  if (value === null) return new Map();
  const { contents } = document;
  if (!isMap(contents)) throw unmarshalError([`line 1: ${notInto(value, 'map[string]string')}`]);
  const problems: string[] = [];
  const scalar = (node: unknown): string => {
    const found = scalarOf(node, document);
    if (typeof found === 'string') return found;
    problems.push(`line ${String(lines.linePos(found.at).line)}: ${notInto(found.of, 'string')}`);
    return '';
  };
  const pairs = contents.items.map(({ key, value: of }) => [scalar(key), scalar(of)] as const);
  if (problems.length > 0) throw unmarshalError(problems);
  return new Map(pairs);
}

const NULL = /^(?:~|null|Null|NULL|)$/;

function scalarOf(
  node: unknown,
  document: Document,
): string | { readonly at: number; readonly of: JsonValue } {
  const found = isAlias(node) ? node.resolve(document) : node;
  if (isScalar(found)) {
    const text = String(found.value);
    return found.type === 'PLAIN' && NULL.test(text) ? '' : text;
  }
  const [at = 0] = (isSeq(found) || isMap(found) ? found.range : undefined) ?? [];
  return isSeq(found) || isMap(found) ? { at, of: isSeq(found) ? [] : {} } : '';
}

function unmarshalError(problems: readonly string[]): YamlError {
  return new YamlError(`yaml: unmarshal errors:\n  ${problems.join('\n  ')}`);
}

function notInto(value: JsonValue, type: string): string {
  if (Array.isArray(value)) return `cannot unmarshal !!seq into ${type}`;
  if (typeof value === 'object') return `cannot unmarshal !!map into ${type}`;
  const text = String(value);
  const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX - 3)}...` : text;
  return `cannot unmarshal !!${tagOf(value)} \`${shown}\` into ${type}`;
}

function tagOf(value: JsonValue): string {
  if (isNumber(value)) return Number.isInteger(Number(value)) ? 'int' : 'float';
  return typeof value === 'boolean' ? 'bool' : 'str';
}
