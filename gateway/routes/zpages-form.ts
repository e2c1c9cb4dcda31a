/**
 * In which form `/statusz` and `/flagz` are wanted: text for people, which is what everybody gets who
 * names nothing else; or, for programs that name kind and version, JSON or YAML.
 *
 * In Kubernetes: apiserver/pkg/server/statusz/negotiate, and the same of flagz.
 */
import type { DocumentAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { acceptClauses, type AcceptClause } from '../negotiation/accept.ts';
import { formatYaml } from '../negotiation/yaml-codec.ts';

export type ZPageForm =
  { readonly type: 'text' } | { readonly type: 'json' | 'yaml'; readonly version: string };

/** What the list of a refusal says. */
export const ZPAGE_TYPES = ['application/json', 'application/yaml', 'text/plain'];

const GROUP = 'config.k8s.io';
const VERSIONS: ReadonlySet<string | undefined> = new Set(['v1beta1', 'v1alpha1']);
/** Whoever asks for it is warned. */
const OUTDATED = 'v1alpha1';
const STRUCTURED: ReadonlyMap<string, 'json' | 'yaml'> = new Map([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['application/*', 'json'],
  ['*/*', 'json'],
]);
const TEXT: ReadonlySet<string> = new Set(['text/plain', 'text/*', '*/*']);

const TYPES: ReadonlySet<string> = new Set([...STRUCTURED.keys(), ...TEXT]);

/** @returns undefined when nothing that the client accepts can be given. */
export function zPageForm(
  { headers }: Pick<AuthenticatedRequest, 'headers'>,
  kind: string,
): ZPageForm | undefined {
  const accept = String(headers['accept'] ?? '').trim();
  if (accept === '') return { type: 'text' };
  for (const clause of acceptClauses(accept, TYPES)) {
    const form = formOf(clause, kind);
    if (form !== undefined) return form;
  }
  return undefined;
}

function formOf({ type, parameters }: AcceptClause, kind: string): ZPageForm | undefined {
  const [as, group, version] = ['as', 'g', 'v'].map((name) => parameters.get(name));
  const isPlain = as === undefined && group === undefined && version === undefined;
  if (isPlain) return TEXT.has(type) ? { type: 'text' } : undefined;
  const structured = STRUCTURED.get(type);
  const isKnown = as === kind && group === GROUP && VERSIONS.has(version);
  if (structured === undefined || !isKnown || version === undefined) return undefined;
  return { type: structured, version };
}

/** @param content what stands beneath kind, version and name. */
export function structuredZPage(
  request: AuthenticatedRequest,
  form: Exclude<ZPageForm, { type: 'text' }>,
  { kind, content }: { readonly kind: string; readonly content: JsonObject },
): DocumentAnswer {
  const { type, version } = form;
  if (version === OUTDATED) {
    const page = kind.toLowerCase();
    request.responseHeaders['Warning'] =
      `299 - "This version of the ${page} endpoint is deprecated. Please use a newer version."`;
  }
  const apiVersion = `${GROUP}/${version}`;
  const value = { kind, apiVersion, metadata: { name: 'apiserver' }, ...content };
  const text = type === 'json' ? JSON.stringify(value, undefined, 2) : formatYaml(value);
  const headers = {
    'Content-Type': `application/${type};g=${GROUP};v=${version};as=${kind}`,
  };
  return { kind: 'Document', code: 200, headers, body: Buffer.from(text) };
}
