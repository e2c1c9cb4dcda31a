/**
 * Asks a server whose gate CBORServingAndStorage is on everything that can be said in CBOR: answers of each verb,
 * bodies, applied configurations, documents and refusals.
 */
import { writeCbor } from '../../api/cbor/cbor-writer.ts';
import { parseJson } from '../support/json.ts';
import { Conversation, type Facts, furnishAll } from './conversation.ts';
import { BODY_SCENES, DOCUMENTS, SCENES, type Scene } from './scenes.ts';
import { wireClient, type Wire, type WireRequest } from './wire.ts';

/** With it a server knows CBOR. */
export const CBOR_GATE = '--feature-gates=CBORServingAndStorage=true';

const CBOR = 'application/cbor';
const SEQUENCE = 'application/cbor-seq';
const META = 'g=meta.k8s.io;v=v1';
const DISCOVERY = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Of answers. */
const ACCEPTS: readonly string[] = [
  CBOR,
  `${CBOR},application/json;q=0.9`,
  `application/json,${CBOR};q=0.9`,
  `text/html,${CBOR}`,
  `${CBOR};as=PartialObjectMetadata;${META}`,
  `${CBOR};as=PartialObjectMetadataList;${META}`,
  `${CBOR};as=Table;${META}`,
  `${CBOR};stream=watch`,
  SEQUENCE,
  `${SEQUENCE},${CBOR}`,
  'text/html',
];
const DOCUMENT_ACCEPTS: readonly string[] = [
  CBOR,
  `${CBOR},application/json;q=0.9`,
  `${CBOR},application/yaml;q=0.9`,
  `${CBOR};${DISCOVERY}`,
  'text/html',
];
/** Of bodies, which are CBOR. */
const CONTENT_TYPES: readonly string[] = [
  CBOR,
  `${CBOR};charset=utf-8`,
  'Application/CBOR',
  SEQUENCE,
  'application/apply-patch+cbor',
  'application/json',
  'text/plain',
];
/** Of configurations, which are CBOR. */
const APPLIED: readonly string[] = ['application/apply-patch+cbor'];
const PAGES: readonly string[] = ['Statusz', 'Flagz'];
const PAGE_ACCEPTS: readonly string[] = [
  ...PAGES.map((kind) => `${CBOR};as=${kind};v=v1beta1;g=config.k8s.io`),
  CBOR,
  'text/html',
];

/** What was said under each number of an answer. */
export function cborHeadersOf(question: string): readonly string[] {
  const [kind = ''] = question.split(' ', 1);
  if (kind === 'accept:') return ACCEPTS;
  if (kind === 'document') return DOCUMENT_ACCEPTS;
  if (kind === 'page') return PAGE_ACCEPTS;
  return question.includes('CBOR applied') ? APPLIED : CONTENT_TYPES;
}

/** What the server says to it. */
export async function cborConversation(wire: Wire): Promise<Facts> {
  const client = wireClient(wire);
  try {
    await furnishAll(client);
    const asking = new Conversation(client);
    for (const scene of SCENES) await asking.scene(scene, 'accept', ACCEPTS);
    for (const scene of BODY_SCENES.map(inCbor)) {
      await asking.scene(scene, 'content-type', CONTENT_TYPES);
    }
    for (const scene of SCENES.filter(({ verb }) => verb === 'apply').map(inCbor)) {
      await asking.scene({ ...scene, verb: 'CBOR applied' }, 'content-type', APPLIED);
    }
    for (const path of DOCUMENTS) {
      await asking.reads(`document ${path}`, { path }, 'accept', DOCUMENT_ACCEPTS);
    }
    for (const page of PAGES) {
      const path = `/${page.toLowerCase()}`;
      await asking.reads(`page ${path}`, { path }, 'accept', PAGE_ACCEPTS);
    }
    return asking.facts;
  } finally {
    client.close();
  }
}

/** The same with its body in CBOR. */
function inCbor(scene: Scene): Scene {
  return { ...scene, ask: (name) => bodyInCbor(scene.ask(name)) };
}

function bodyInCbor(asked: WireRequest): WireRequest {
  return typeof asked.body === 'string'
    ? { ...asked, body: writeCbor(parseJson(asked.body)) }
    : asked;
}
