/**
 * JSON that Go keeps as it was sent, RawExtension, on every way in and out: what a server gives back as the
 * `data` of a ControllerRevision and of a device of a ResourceClaim. Keys stand in order, and each once:
 * of both a server may think otherwise.
 */
import { wireClient, type Wire, type WireAnswer, type WireRequest } from './wire.ts';

/** By what was done, the status and the data of each answer. */
export type RawAnswers = Record<string, readonly string[]>;

const NUMBERS =
  '{"a":1.0,"b":1e3,"c":-0,"d":1.50,"e":1E+2,"f":0.1e-7,"g":123456789012345678901234567890,' +
  '"h":-0.0,"i":18446744073709551616,"j":[1.0,[2.50,{"k":0.1234567890123456789}]],"l":-1e-0}';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const revision = (name: string, data: string): string =>
  `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"${name}"},` +
  `"data":${data},"revision":1}`;

const claim = (name: string): string =>
  `{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"${name}"},"spec":` +
  '{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"d"}}],"config":[{"opaque":' +
  `{"driver":"x.io","parameters":{"data":${NUMBERS}}}}]}}}`;

const allocation =
  '[{"op":"add","path":"/status","value":{"allocation":{"devices":{"results":[{"request":"r",' +
  '"driver":"x.io","pool":"p","device":"e"}]}},"devices":[{"driver":"x.io","pool":"p",' +
  `"device":"e","data":${NUMBERS}}]}}]`;

type Step = (name: string) => WireRequest;

const sent = (method: string, path: string, contentType: string, body: string): WireRequest => ({
  method,
  path,
  headers: { 'content-type': contentType, accept: 'application/json' },
  body,
});

const post =
  (data: string): Step =>
  (name) =>
    sent('POST', REVISIONS, 'application/json', revision(name, data));
const put =
  (data: string): Step =>
  (name) =>
    sent('PUT', `${REVISIONS}/${name}`, 'application/json', revision(name, data));
const get =
  (accept: string, path = REVISIONS): Step =>
  (name) => ({ method: 'GET', path: `${path}/${name}`, headers: { accept } });
const patch =
  (type: string, body: string, path = REVISIONS, below = ''): Step =>
  (name) =>
    sent('PATCH', `${path}/${name}${below}`, `application/${type}`, body.replaceAll('NAME', name));
const yaml: Step = (name) =>
  sent(
    'POST',
    REVISIONS,
    'application/yaml',
    `kind: ControllerRevision\napiVersion: apps/v1\nmetadata: {name: ${name}}\nrevision: 1\ndata:\n` +
      '  a: 1.0\n  b: 1e3\n  c: -0\n  d: 1.50\n  e: 18446744073709551615\n' +
      '  g: 123456789012345678901234567890\n  h: 1e20\n  i: 1e21\n  j: 1e-7\n',
  );
const yamlData: Step = get('application/yaml');

const STORIES: Readonly<Record<string, readonly Step[]>> = {
  'created, read in three forms, and replaced by itself': [
    post(NUMBERS),
    get('application/json'),
    yamlData,
    get(PROTOBUF),
    put(NUMBERS),
  ],
  'another spelling is another value': [post('{"a":1.0}'), put('{"a":1}'), put('{"a":1.00}')],
  'patched elsewhere': [
    post(NUMBERS),
    patch('merge-patch+json', '{"revision":2}'),
    patch('json-patch+json', '[{"op":"replace","path":"/revision","value":3}]'),
  ],
  'patched by what it is': [
    post('{"a":1.0}'),
    patch('merge-patch+json', '{"data":{"a":1.0}}'),
    patch('merge-patch+json', '{"data":{"a":1}}'),
    patch('json-patch+json', '[{"op":"test","path":"/data/a","value":1.0}]'),
    patch('json-patch+json', '[{"op":"add","path":"/data/a","value":1.0}]'),
    patch('json-patch+json', '[{"op":"add","path":"/data/a","value":1e0}]'),
  ],
  'made by an apply': [
    patch('apply-patch+yaml', revision('NAME', NUMBERS), REVISIONS, '?fieldManager=x'),
    get('application/json'),
  ],
  'made of YAML': [yaml, get('application/json'), yamlData],
  'parameters and data of a claim': [
    (name) => sent('POST', CLAIMS, 'application/json', claim(name)),
    patch('json-patch+json', allocation, CLAIMS, '/status'),
    patch('merge-patch+json', '{"metadata":{"labels":{"a":"b"}}}', CLAIMS),
    patch(
      'json-patch+json',
      '[{"op":"replace","path":"/status/devices/0/data/a","value":2.0}]',
      CLAIMS,
      '/status',
    ),
    get('application/json', CLAIMS),
    get(PROTOBUF, CLAIMS),
  ],
};

/** @param wire of a server on which none of this has been asked. */
export async function rawAnswers(wire: Wire): Promise<RawAnswers> {
  const client = wireClient(wire);
  const answers: Record<string, string[]> = {};
  try {
    for (const [index, [story, steps]] of Object.entries(STORIES).entries()) {
      const told: string[] = [];
      for (const step of steps) told.push(shown(await client.send(step(`raw-${String(index)}`))));
      answers[story] = told;
    }
  } finally {
    client.close();
  }
  return answers;
}

/** In JSON and protobuf the same text; in YAML lines. */
const DATA = /\{"a":[-+.:,\w"[\]{}]*\}/g;
const YAML_DATA = /\ndata:\n((?: .*\n)+)/;

function shown({ status, body }: WireAnswer): string {
  const text = body.toString('latin1');
  if (status >= 300) return String(status);
  const data = YAML_DATA.exec(text)?.[1] ?? text.match(DATA)?.join(' ');
  return `${String(status)} ${data ?? 'without data'}`;
}
