/**
 * From the Accept header to the form of the answer.
 *
 * Clients send few different headers and send them with every request, so each is read once.
 *
 * In Kubernetes: NegotiateMediaTypeOptions, apiserver/pkg/endpoints/handlers/negotiation.
 */
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import type {
  AcceptedMedia,
  Acceptance,
  IncomingHeaders,
} from '../../actors/request/request-line.ts';

/** One of the things that a client takes, as it wrote it. */
export interface AcceptClause {
  /** In lower case, without parameters: `application/json`. */
  readonly type: string;
  /** Those that some answer depends on; a client may send thousands of others. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Between 0 and 1. */
  readonly quality: number;
}

/** A clause that can be met. */
interface Form extends Omit<AcceptedMedia, 'pretty' | 'includeObject'> {
  /** Whether it asks for the version of a server's own API, which a Status has none of. */
  readonly hasServerVersion: boolean;
  /** Whether it asks to be indented. */
  readonly isPretty: boolean;
}

/** The best form for each that there is to be given; see {@link Acceptance}. */
type Forms = Readonly<Record<keyof Acceptance, Form | undefined>>;

const KNOWN_HEADERS_MAX = 1_000;
const CBOR_TYPE = 'application/cbor';

/** No client library sends a longer one, and strangers may send as many as they like. */
const KNOWN_LENGTH_MAX = 500;

const TYPES: ReadonlyMap<string, AcceptedMedia['type']> = new Map([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['application/vnd.kubernetes.protobuf', 'protobuf'],
  ['application/*', 'json'],
  ['*/*', 'json'],
]);

/** Those that there are. */
type Types = Pick<ReadonlySet<string>, 'has'>;

/** The forms of a server, and the headers that it has read. */
interface ServedTypes {
  readonly types: ReadonlyMap<string, AcceptedMedia['type']>;
  readonly known: BoundedMap<string, Forms>;
}

const PLAIN: ServedTypes = { types: TYPES, known: new BoundedMap(KNOWN_HEADERS_MAX) };
const WITH_CBOR: ServedTypes = {
  types: new Map([...TYPES, [CBOR_TYPE, 'cbor']]),
  known: new BoundedMap(KNOWN_HEADERS_MAX),
};

const TRANSFORMS: ReadonlySet<string> = new Set([
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
]);

/**
 * What can be given to the client, for each sort of thing that is given.
 *
 * @param hasCbor whether CBOR is among the forms that there are.
 */
export function acceptanceOf(headers: IncomingHeaders, query: string, hasCbor = false): Acceptance {
  const forms = formsOf(String(headers['accept'] ?? ''), hasCbor ? WITH_CBOR : PLAIN);
  const pretty = isPretty(headers, query);
  const included = query === '' ? undefined : queryValue(query, 'includeObject');
  if (!pretty && included === undefined) return inPlain(forms);
  return acceptance(forms, pretty, includeObjectOf(included));
}

const plainForms = new WeakMap<Forms, Acceptance>();

function inPlain(forms: Forms): Acceptance {
  let accepted = plainForms.get(forms);
  if (accepted === undefined) {
    accepted = acceptance(forms, false, 'Metadata');
    plainForms.set(forms, accepted);
  }
  return accepted;
}

function acceptance(
  forms: Forms,
  pretty: boolean,
  includeObject: AcceptedMedia['includeObject'],
): Acceptance {
  const media = (form: Form | undefined): AcceptedMedia | undefined => {
    if (form === undefined) return undefined;
    const { isPretty, hasServerVersion: _, ...rest } = form;
    return { ...rest, pretty: form.type === 'json' && (pretty || isPretty), includeObject };
  };
  const { any, custom, untabled, status } = forms;
  return {
    any: media(any),
    custom: media(custom),
    untabled: media(untabled),
    status: media(status),
  };
}

/** Browsers and command-line tools get indented JSON without asking for it. */
function isPretty(headers: IncomingHeaders, query: string): boolean {
  const asked = query === '' ? undefined : queryValue(query, 'pretty');
  if (asked !== undefined && asked !== '') return /^(1|t|true)$/i.test(asked);
  const agent = String(headers['user-agent'] ?? '');
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}

function includeObjectOf(asked: string | undefined): AcceptedMedia['includeObject'] {
  if (asked === undefined || asked === '') return 'Metadata';
  const isKnown = asked === 'None' || asked === 'Metadata' || asked === 'Object';
  return isKnown ? asked : { unknown: asked };
}

const JSON_FORM: Form = {
  type: 'json',
  transform: 'none',
  isPretty: false,
  hasServerVersion: false,
};
const JSON_FORMS: Forms = {
  any: JSON_FORM,
  custom: JSON_FORM,
  untabled: JSON_FORM,
  status: JSON_FORM,
};

function formsOf(accept: string, { types, known }: ServedTypes): Forms {
  if (accept === '') return JSON_FORMS;
  let forms = known.peek(accept);
  if (forms === undefined) {
    const clauses = acceptClauses(accept, types);
    forms = bestOf(clauses.flatMap((clause) => formOfClause(clause, types) ?? []));
    if (accept.length <= KNOWN_LENGTH_MAX) known.set(accept, forms);
  }
  return forms;
}

/**
 * In Kubernetes: AllowsMediaTypeTransform and AllowsServerVersion of RequestScope, of objects, and of
 * DefaultEndpointRestrictions, of everything else.
 */
function bestOf(forms: readonly Form[]): Forms {
  return {
    any: forms[0],
    custom: forms.find(({ type, transform }) => type !== 'protobuf' || transform !== 'none'),
    untabled: forms.find(({ transform }) => transform !== 'Table'),
    status: forms.find((one) => one.transform === 'none' && !one.hasServerVersion),
  };
}

/** So many clauses Go sorts by insertion too. */
const SORTED_MAX = 12;
/** Of known types with other parameters than a weight; no client sends a tenth of them. */
const DETAILED_MAX = 256;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const ASTERISK = 0x2a;

/**
 * What a client takes, what it likes best first. Of more clauses than any client sends only those
 * of known types are read, of each type without details the most wanted, and what is named goes before what
 * is not, and then the more wanted: what Go makes of a long list that has no order depends on how its sorting
 * goes about it. A list of hundreds with details is met by nothing: this is before authentication.
 */
export function acceptClauses(accept: string, types: Types = TYPES): AcceptClause[] {
  if (isShort(accept)) return sorted(accept.split(',').map(parseClause));
  const known = new KnownClauses();
  readClauses(accept, types, known);
  return known
    .all()
    .sort((one, other) => widthOf(one) - widthOf(other) || other.quality - one.quality);
}

function isShort(accept: string): boolean {
  let comma = -1;
  for (let clauses = 1; clauses <= SORTED_MAX; clauses += 1) {
    comma = accept.indexOf(',', comma + 1);
    if (comma < 0) return true;
  }
  return false;
}

/** Character by character: there may be tens of thousands that are empty. */
function readClauses(accept: string, types: Types, known: KnownClauses): void {
  let from = 0;
  let typeEnd = -1;
  const end = accept.length;
  for (let at = 0; at <= end; at += 1) {
    const code = at < end ? accept.charCodeAt(at) : COMMA;
    if (code === SEMICOLON && typeEnd < 0) typeEnd = at;
    if (code !== COMMA) continue;
    if (at > from) {
      readClause(accept, { from, typeEnd: typeEnd < 0 ? at : typeEnd, to: at }, types, known);
      if (known.areTooMany) return;
    }
    from = at + 1;
    typeEnd = -1;
  }
}

function readClause(
  accept: string,
  { from, typeEnd, to }: { from: number; typeEnd: number; to: number },
  types: Types,
  known: KnownClauses,
): void {
  if (!mayBeType(accept, from, typeEnd)) return;
  const type = typeNamed(accept.slice(from, typeEnd));
  if (!types.has(type) || (typeEnd === to && known.hasBest(type))) return;
  known.add(clauseOf(type, accept.slice(from, to)));
}

/** Those that can be the best of their kind. */
class KnownClauses {
  readonly #clauses: AcceptClause[] = [];
  readonly #plain = new Map<string, AcceptClause>();
  #detailed = 0;

  get areTooMany(): boolean {
    return this.#detailed > DETAILED_MAX;
  }

  /** Whether one more of the type, without parameters, would change nothing. */
  hasBest(type: string): boolean {
    return (this.#plain.get(type)?.quality ?? 0) >= 1;
  }

  add(clause: AcceptClause): void {
    if (isPlain(clause)) {
      const best = this.#plain.get(clause.type);
      if (best !== undefined && best.quality >= clause.quality) return;
      this.#plain.set(clause.type, clause);
    } else this.#detailed += 1;
    this.#clauses.push(clause);
  }

  /** In the order in which they stand. */
  all(): AcceptClause[] {
    if (this.areTooMany) return [];
    return this.#clauses.filter((one) => !isPlain(one) || this.#plain.get(one.type) === one);
  }
}

function isPlain({ parameters }: AcceptClause): boolean {
  return parameters.size === 0 || (parameters.size === 1 && parameters.has('q'));
}

/** Nothing shorter is one, but for the asterisk. */
const TYPE_LENGTH_MIN = 3;

function mayBeType(text: string, from: number, end: number): boolean {
  if (end - from >= TYPE_LENGTH_MIN) return true;
  return text.charCodeAt(from) === ASTERISK || text.charCodeAt(end - 1) === ASTERISK;
}

function widthOf({ type }: AcceptClause): number {
  return type === '*/*' ? 2 : type.endsWith('/*') ? 1 : 0;
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

/** The media type that meets a clause, whatever its parameters say; undefined: there is none. */
export function wireOf({ type }: AcceptClause): AcceptedMedia['type'] | undefined {
  return TYPES.get(type);
}

function formOfClause(
  { type, parameters }: AcceptClause,
  types: ServedTypes['types'],
): Form | undefined {
  const wire = types.get(type);
  if (wire === undefined || !isServed(wire, parameters)) return undefined;
  const form = {
    type: wire,
    isPretty: parameters.get('pretty') === '1',
    hasServerVersion: parameters.has('sv'),
  };
  const as = parameters.get('as');
  if (as === undefined) {
    const isTransformed = parameters.has('g') || parameters.has('v');
    return isTransformed ? undefined : { ...form, transform: 'none' };
  }
  if (!TRANSFORMS.has(as) || parameters.get('g') !== 'meta.k8s.io') return undefined;
  if (as === 'Table' && (wire === 'protobuf' || wire === 'cbor')) return undefined;
  const version = parameters.get('v');
  const transform = as as Form['transform']; // One of the set above.
  if (version === 'v1beta1') return { ...form, transform, metaVersion: version };
  return version === 'v1' ? { ...form, transform } : undefined;
}

/** Whether there are such streams, and such a version of the server's own API. */
function isServed(wire: Form['type'], parameters: ReadonlyMap<string, string>): boolean {
  const stream = parameters.get('stream');
  if (stream !== undefined && (stream !== 'watch' || wire === 'yaml')) return false;
  const version = parameters.get('sv');
  return version === undefined || version === 'v1';
}

function typeOf(text: string): string {
  const end = text.indexOf(';');
  return typeNamed(end < 0 ? text : text.slice(0, end));
}

function typeNamed(text: string): string {
  const type = text.trim();
  return type === '*' ? '*/*' : type.toLowerCase();
}

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

function parseClause(text: string): AcceptClause {
  return clauseOf(typeOf(text), text);
}

function clauseOf(type: string, text: string): AcceptClause {
  if (!text.includes(';')) return { type, parameters: NO_PARAMETERS, quality: 1 };
  const parameters = parametersOf(text);
  const quality = Number(parameters.get('q') ?? '1');
  return { type, parameters, quality: Number.isNaN(quality) ? 0 : quality };
}

const PARAMETERS: ReadonlySet<string> = new Set([
  ...['as', 'g', 'v', 'sv', 'stream', 'pretty', 'profile', 'q'],
]);

/** From the end, as of a name that is said twice the last value counts. */
function parametersOf(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const first = text.indexOf(';');
  let [end, equals] = [text.length, -1];
  for (let at = text.length - 1; at >= first; at -= 1) {
    const code = text.charCodeAt(at);
    if (code === EQUALS) equals = at;
    if (code !== SEMICOLON) continue;
    if (equals >= 0) keepParameter(parameters, text, { from: at + 1, equals, end });
    [end, equals] = [at, -1];
  }
  return parameters;
}

function keepParameter(
  parameters: Map<string, string>,
  text: string,
  { from, equals, end }: { from: number; equals: number; end: number },
): void {
  const name = text.slice(from, equals).trim().toLowerCase();
  if (!PARAMETERS.has(name) || parameters.has(name)) return;
  const value = text.slice(equals + 1, end).trim();
  // What has no value is passed over.
  if (value !== '') parameters.set(name, unquoted(value));
}

function unquoted(text: string): string {
  return text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
