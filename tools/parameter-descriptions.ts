/**
 * Collects the descriptions of request parameters from the `@param` comments of the devDependency
 * @kubernetes/client-node, under the names of the option types whose fields they are.
 *
 * The client's generator writes HTML entities and a space in the place of each line break. Paragraphs
 * and indented lists keep their runs of spaces, so their line breaks are restored from these.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { jsonFieldsOf } from '../api/scheme/type-facts.ts';
import {
  CREATE_OPTIONS,
  DELETE_OPTIONS,
  LIST_OPTIONS,
  PATCH_OPTIONS,
  UNTYPED,
} from '../projections/openapi/parameters.ts';

const CORE = 'io.k8s.api.core.v1';

/** One method that takes these options; the comments of the others are equal. */
const SOURCES: Readonly<Record<string, string>> = {
  [LIST_OPTIONS]: 'listNamespacedConfigMap',
  [CREATE_OPTIONS]: 'createNamespacedConfigMap',
  [PATCH_OPTIONS]: 'patchNamespacedConfigMap',
  [DELETE_OPTIONS]: 'deleteNamespacedConfigMap',
  [`${CORE}.PodAttachOptions`]: 'connectGetNamespacedPodAttach',
  [`${CORE}.PodExecOptions`]: 'connectGetNamespacedPodExec',
  [`${CORE}.PodPortForwardOptions`]: 'connectGetNamespacedPodPortforward',
  [`${CORE}.PodProxyOptions`]: 'connectGetNamespacedPodProxy',
  [`${CORE}.NodeProxyOptions`]: 'connectGetNodeProxy',
  [`${CORE}.ServiceProxyOptions`]: 'connectGetNamespacedServiceProxy',
  [`${CORE}.PodLogOptions`]: 'readNamespacedPodLog',
};
/** Has every parameter in a path that is a field of no option type. */
const PATH_SOURCE = 'connectGetNamespacedPodProxyWithPath';
const ENTITIES: Readonly<Record<string, string>> = { quot: '"', lt: '<', gt: '>', amp: '&' };

/** By the name of the option type, then by the name of the parameter. */
export function parameterDescriptions(): Record<string, Record<string, string>> {
  const require = createRequire(import.meta.url);
  const folder = join(dirname(require.resolve('@kubernetes/client-node')), 'gen', 'apis');
  const source = readFileSync(join(folder, 'CoreV1Api.d.ts'), 'utf8');
  const found: Record<string, Record<string, string>> = {};
  for (const [typeId, method] of Object.entries(SOURCES)) {
    const fields = jsonFieldsOf(typeId).map(({ name }) => name);
    found[typeId] = parametersOf(source, method, fields);
  }
  found[UNTYPED] = {
    ...parametersOf(source, PATH_SOURCE, ['namespace', 'path']),
    ...parametersOf(source, 'listNamespacedConfigMap', ['pretty']),
  };
  return found;
}

/**
 * @param source a file of declarations, each behind its comment
 * @param names of the parameters that are wanted
 */
export function parametersOf(
  source: string,
  method: string,
  names: readonly string[],
): Record<string, string> {
  const end = source.indexOf(` ${method}(`);
  if (end < 0) throw new Error(`@kubernetes/client-node has no method ${method}`);
  const comment = source.slice(source.lastIndexOf('/**', end), end);
  const said: Record<string, string> = {};
  // A name that TypeScript keeps for itself stands behind a line: `_continue`.
  for (const [, name = '', text = ''] of comment.matchAll(/ @param _?(\w+) (.+)/g)) {
    if (names.includes(name)) said[name] = restored(text);
  }
  return said;
}

/** The text as it was before the client's generator made one line of HTML of it. */
function restored(text: string): string {
  return text
    .replaceAll(/\\(?=&)/g, '')
    .replaceAll(/&#x([0-9A-F]+);/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/&(quot|lt|gt|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/ {3}(?=\S)/g, '\n  ')
    .replaceAll(/(?<=\.) {2}(?=\S)/g, '\n\n')
    .replaceAll(/(?<=\.) (?=- `)/g, '\n')
    .trim();
}
