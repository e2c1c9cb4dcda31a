/**
 * Where objects are read by a key in quotes, which compiles however it is spelled. Built-in kinds have
 * declared types, so `stringAt` and its like are for what has none; the places where that comes in
 * are listed here with what it is. See docs/decisions/0062-kinds-have-declared-types.md.
 */
import ts from 'typescript';
import { isTestSide, type House, type Source, type Violations } from './house.ts';

const DOOR = 'api/json/json.ts';

const READERS: ReadonlySet<string> = new Set([
  ...['objectAt', 'stringAt', 'numberAt', 'int32At', 'listAt', 'textsAt', 'itemsAt'],
]);

/** Files, and folders with all that is below them: what is read there. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['actors/admission/matching/patched-object.ts', 'what a policy made of any kind'],
  ['actors/admission/plugins/certificates.ts', 'a kind that a definition may serve'],
  ['actors/admission/plugins/pods/', 'the configuration of plug-ins, and a webhook'],
  ['actors/admission/plugins/quota/', 'the configuration of plug-ins'],
  ['actors/admission/pod-security/configuration.ts', 'the configuration of the plug-in'],
  ['actors/admission/policies/', 'parameters of any kind'],
  ['actors/admission/webhooks/', 'answers of webhooks, and their configuration'],
  ['actors/aggregation/', 'documents of other servers'],
  ['actors/audit/', 'objects of any kind, and the policy file'],
  ['actors/authentication/', 'claims of tokens, answers of webhooks, configuration'],
  ['actors/authorization/', 'answers of webhooks, configuration'],
  ['actors/controllers/namespaces/content-elsewhere.ts', 'documents of other servers'],
  ['actors/controllers/services/server-presence.ts', 'a record of our own, which is no kind'],
  ['actors/controllers/snapshot-taker.ts', 'a record of our own, which is no kind'],
  ['actors/peers/', 'documents of other servers'],
  ['actors/registry/objects/read-candidate.ts', 'bodies before they are decoded'],
  ['actors/request/webhook-review.ts', 'answers of webhooks'],
  ['api/cel/schema/', 'schemas of definitions'],
  [
    'api/kinds/apiextensions/customresourcedefinitions/internal-form.ts',
    'values as errors show them',
  ],
  ['api/kinds/apps/settled-form.ts', 'revisions that are kept as JSON'],
  ['api/kinds/core/nodes/validation.ts', 'JSON in an annotation'],
  ['api/kinds/core/persistentvolumes/validation.ts', 'values of any field'],
  ['api/kinds/custom/', 'custom resources, answers of conversion webhooks'],
  ['api/kinds/rules/value-validation.ts', 'readers that are made of these'],
  ['api/kinds/scale.ts', 'each kind that can be scaled'],
  ['api/managed-fields/', 'objects of any kind'],
  ['api/structural-schema/', 'schemas of definitions'],
  ['gateway/commands/', 'answers of another server, and its log'],
  ['gateway/configuration/', 'files that are judged field by field'],
  ['gateway/negotiation/', 'objects of any kind'],
  ['gateway/node-streams/', 'statuses that nodes tell'],
  ['gateway/recorder/', 'objects of another cluster'],
  ['gateway/remote-cluster/', 'objects of another cluster'],
  ['gateway/responses/', 'objects of any kind'],
  ['gateway/server/front/tracing.ts', 'a configuration file'],
  ['projections/discovery/', 'documents of other servers'],
  ['projections/objects/', 'objects of any kind'],
  ['projections/openapi/', 'schemas'],
  ['projections/past/', 'objects of any kind, and lines of another log'],
]);

/** Files that read by key and lie in no such place, and places whose files read none. */
export function keyedReads(house: House): Violations {
  const reading = new Map<string, boolean>();
  const problems = house.sources.flatMap((source) => {
    const { path } = source;
    const place = [...PLACES.keys()].find((one) => path === one || isBelow(path, one));
    const reads = readsByKey(source);
    if (place !== undefined) reading.set(place, reads || reading.get(place) === true);
    else if (reads) return [`${path}: reads by key; a built-in kind has a type`];
    return [];
  });
  const unused = [...reading].flatMap(([place, isUsed]) => (isUsed ? [] : [place]));
  return [...problems, ...unused.map((place) => `keyed-reads.ts: nothing is read in ${place}`)];
}

function isBelow(path: string, place: string): boolean {
  return place.endsWith('/') && path.startsWith(place);
}

function readsByKey({ path, imports, nodes }: Source): boolean {
  if (path === DOOR || isTestSide(path) || /^(?:tools|bench)\//.test(path)) return false;
  return imports.some(({ target }) => target === DOOR) && nodes.some(isRead);
}

function isRead(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return false;
  return READERS.has(node.expression.text);
}
