/**
 * Which form of a document an Accept header asks for. Upstream's rule is a simple one: the first
 * clause, by quality and then by how exact it is, that names a form it has.
 *
 * In Kubernetes: the handlers of kube-openapi, and goautoneg.
 */
export type OpenApiForm = 'json' | 'protobuf';

/** What is served to clients that accept anything. */
export const OPENAPI_JSON = 'application/json';
/** What answers are marked with, whichever of the two protobuf names was asked for. */
export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** The protobuf form of OpenAPI v3, which kubectl asks for. */
export const OPENAPI_V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

const V2_FORMS: ReadonlyMap<string, OpenApiForm> = new Map<string, OpenApiForm>([
  ['json', 'json'],
  ['com.github.proto-openapi.spec.v2@v1.0+protobuf', 'protobuf'],
  ['com.github.proto-openapi.spec.v2.v1.0+protobuf', 'protobuf'],
]);
const V3_FORMS: ReadonlyMap<string, OpenApiForm> = new Map<string, OpenApiForm>([
  ['json', 'json'],
  ['com.github.proto-openapi.spec.v3@v1.0+protobuf', 'protobuf'],
  ['com.github.proto-openapi.spec.v3.v1.0+protobuf', 'protobuf'],
]);

/** @param accept the header's value; '' when there is none; undefined answers mean 406 */
export function chooseOpenApiV2Form(accept: string): OpenApiForm | undefined {
  return choose(accept, V2_FORMS);
}

/** The form for an Accept header; undefined when it accepts none that is served. */
export function chooseOpenApiV3Form(accept: string): OpenApiForm | undefined {
  return choose(accept, V3_FORMS);
}

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
}

function choose(accept: string, forms: ReadonlyMap<string, OpenApiForm>): OpenApiForm | undefined {
  const clauses = (accept === '' ? '*/*' : accept).split(',').map(parseClause).sort(byPreference);
  for (const { type, subtype } of clauses) {
    if (type !== 'application' && type !== '*') continue;
    const form = subtype === '*' ? 'json' : forms.get(subtype);
    if (form !== undefined) return form;
  }
  return undefined;
}

function parseClause(text: string): Clause {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim());
  const slash = range.indexOf('/');
  const type = slash < 0 ? range : range.slice(0, slash);
  const given = parameters.find((one) => one.startsWith('q='))?.slice('q='.length);
  const quality = Number(given ?? 1);
  return {
    type,
    subtype: slash < 0 ? '*' : range.slice(slash + 1),
    quality: Number.isNaN(quality) ? 1 : quality,
  };
}

function byPreference(left: Clause, right: Clause): number {
  return right.quality - left.quality || wildcards(left) - wildcards(right);
}

function wildcards({ type, subtype }: Clause): number {
  return Number(type === '*') * 2 + Number(subtype === '*');
}
