/**
 * From the Accept header to the form of the answer.
 *
 * Clients send few different headers and send them with every request, so each is read once.
 *
 * In Kubernetes: NegotiateMediaTypeOptions, apiserver/pkg/endpoints/handlers/negotiation.
 */
import { queryValue } from '../../api/meta/url-query.ts';
import type { AcceptedMedia, IncomingHeaders } from '../../actors/request.ts';

/** One of the things that a client takes, as it wrote it. */
export interface AcceptClause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

type Form = Omit<AcceptedMedia, 'pretty' | 'includeObject'>;

const KNOWN_HEADERS_MAX = 1_000;
const known = new Map<string, Form | undefined>();

const TYPES: ReadonlyMap<string, AcceptedMedia['type']> = new Map([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['application/vnd.kubernetes.protobuf', 'protobuf'],
  ['application/*', 'json'],
  ['*/*', 'json'],
]);

const TRANSFORMS: ReadonlySet<string> = new Set([
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
]);

/** @returns undefined when nothing that the client accepts can be given. */
export function acceptedMedia(headers: IncomingHeaders, query: string): AcceptedMedia | undefined {
  const form = formOf(String(headers['accept'] ?? ''));
  if (form === undefined) return undefined;
  const pretty = form.type === 'json' && isPretty(headers, query);
  if (form.transform !== 'Table' && !pretty) return inPlain(form);
  return { ...form, pretty, includeObject: includeObjectOf(query) };
}

const plainForms = new WeakMap<Form, AcceptedMedia>();

function inPlain(form: Form): AcceptedMedia {
  let media = plainForms.get(form);
  if (media === undefined) {
    media = { ...form, pretty: false, includeObject: 'Metadata' };
    plainForms.set(form, media);
  }
  return media;
}

/** Browsers and command-line tools get indented JSON without asking for it. */
function isPretty(headers: IncomingHeaders, query: string): boolean {
  const asked = query === '' ? undefined : queryValue(query, 'pretty');
  if (asked !== undefined && asked !== '') return /^(1|t|true)$/i.test(asked);
  const agent = String(headers['user-agent'] ?? '');
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}

function includeObjectOf(query: string): AcceptedMedia['includeObject'] {
  const asked = query === '' ? undefined : queryValue(query, 'includeObject');
  return asked === 'None' || asked === 'Object' ? asked : 'Metadata';
}

const JSON_FORM: Form = { type: 'json', transform: 'none' };

function formOf(accept: string): Form | undefined {
  if (accept === '') return JSON_FORM;
  if (known.has(accept)) return known.get(accept);
  if (known.size >= KNOWN_HEADERS_MAX) known.clear();
  const form = acceptClauses(accept)
    .map(formOfClause)
    .find((one) => one !== undefined);
  known.set(accept, form);
  return form;
}

/** What a client takes, what it likes best first. */
export function acceptClauses(accept: string): AcceptClause[] {
  return sorted(accept.split(',').map(parseClause));
}

/** By insertion, because upstream's rule is no order: a wildcard gives way to what is named. */
function sorted(clauses: readonly AcceptClause[]): AcceptClause[] {
  const result: AcceptClause[] = [];
  for (const clause of clauses) {
    let at = result.length;
    while (at > 0 && goesBefore(clause, result[at - 1])) at -= 1;
    result.splice(at, 0, clause);
  }
  return result;
}

/** In Kubernetes: acceptSlice.Less of munnerz/goautoneg. */
function goesBefore(one: AcceptClause, other: AcceptClause | undefined): boolean {
  if (other === undefined || one.quality > other.quality) return true;
  if (other.type.startsWith('*/') && !one.type.startsWith('*/')) return true;
  return other.type.endsWith('/*') && !one.type.endsWith('/*');
}

function formOfClause({ type, parameters }: AcceptClause): Form | undefined {
  const wire = TYPES.get(type);
  if (wire === undefined) return undefined;
  const as = parameters.get('as');
  if (as === undefined) {
    const isTransformed = parameters.has('g') || parameters.has('v');
    return isTransformed ? undefined : { type: wire, transform: 'none' };
  }
  if (!TRANSFORMS.has(as) || parameters.get('g') !== 'meta.k8s.io') return undefined;
  if (as === 'Table' && wire === 'protobuf') return undefined;
  const version = parameters.get('v');
  if (as === 'Table' && version === 'v1beta1') {
    return { type: wire, transform: as, tableVersion: version };
  }
  if (version !== 'v1') return undefined;
  return { type: wire, transform: as as Form['transform'] }; // One of the set above.
}

function parseClause(text: string): AcceptClause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf('=');
    // What has no value is passed over.
    if (equals < 0 || equals === part.length - 1) continue;
    const name = part.slice(0, equals).trim().toLowerCase();
    parameters.set(name, unquoted(part.slice(equals + 1).trim()));
  }
  const quality = Number(parameters.get('q') ?? '1');
  const named = type === '*' ? '*/*' : type.toLowerCase();
  return { type: named, parameters, quality: Number.isNaN(quality) ? 0 : quality };
}

function unquoted(text: string): string {
  return text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
