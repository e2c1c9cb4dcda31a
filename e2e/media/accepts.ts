/** What clients say that they accept: as real ones send it, and what only an attacker would. */
const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const CBOR = 'application/cbor';

const as = (kind: string, version = 'v1'): string => `;as=${kind};g=meta.k8s.io;v=${version}`;
const PARTIAL = 'PartialObjectMetadata';
const PARTIALS = 'PartialObjectMetadataList';

/** Of objects; `undefined`: there is no such header. */
export const OBJECT_ACCEPTS: readonly (string | undefined)[] = [
  undefined,
  '',
  '*/*',
  'application/*',
  JSON_TYPE,
  YAML,
  PROTOBUF,
  // client-go, for objects that it has types of, and the namespace controller for all others.
  `${PROTOBUF},${JSON_TYPE}`,
  `${JSON_TYPE},${PROTOBUF}`,
  `${JSON_TYPE};q=0.5, ${YAML};q=0.9`,
  `${PROTOBUF};q=0.1,${YAML}`,
  `${PROTOBUF};q=0,${JSON_TYPE}`,
  `${JSON_TYPE};q=0`,
  `${JSON_TYPE};q=x, ${YAML};q=0.5`,
  `*/*;q=0.1,${PROTOBUF}`,
  CBOR,
  `${CBOR},${JSON_TYPE};q=0.9`,
  'text/html',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  `${JSON_TYPE};charset=utf-8`,
  `${JSON_TYPE};pretty=1`,
  `${JSON_TYPE};stream=watch`,
  `${PROTOBUF};stream=watch`,
  `${JSON_TYPE};stream=other`,
  `${JSON_TYPE};sv=v1`,
  `${JSON_TYPE};sv=v2`,
  // The metadata client of client-go, for one and for many.
  `${PROTOBUF}${as(PARTIAL)},${JSON_TYPE}${as(PARTIAL)},${JSON_TYPE}`,
  `${PROTOBUF}${as(PARTIALS)},${JSON_TYPE}${as(PARTIALS)},${JSON_TYPE}`,
  `${JSON_TYPE}${as(PARTIAL)}`,
  `${JSON_TYPE}${as(PARTIALS)}`,
  `${PROTOBUF}${as(PARTIAL)}`,
  `${PROTOBUF}${as(PARTIALS)}`,
  `${YAML}${as(PARTIAL)}`,
  `${JSON_TYPE}${as(PARTIAL, 'v1beta1')}`,
  `${JSON_TYPE}${as(PARTIALS, 'v1beta1')}`,
  `${PROTOBUF}${as(PARTIAL, 'v1beta1')}`,
  `${PROTOBUF}${as(PARTIALS, 'v1beta1')}`,
  `${JSON_TYPE}${as(PARTIAL, 'v2')}`,
  `${JSON_TYPE}${as(PARTIAL, 'v2')},${JSON_TYPE}`,
  // kubectl get
  `${JSON_TYPE}${as('Table')},${JSON_TYPE}${as('Table', 'v1beta1')},${JSON_TYPE}`,
  `${JSON_TYPE}${as('Table')}`,
  `${JSON_TYPE}${as('Table', 'v1beta1')}`,
  `${JSON_TYPE}${as('Table', 'v2')}`,
  `${YAML}${as('Table')}`,
  `${PROTOBUF}${as('Table')}`,
  `${PROTOBUF}${as('Table')},${JSON_TYPE}`,
  `*/*${as('Table')}`,
  `${JSON_TYPE}${as('Chair')}`,
  `${JSON_TYPE};g=meta.k8s.io;v=v1`,
];

const discovery = (type: string, version: string): string =>
  `${type};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

/** Of the documents about the API. */
export const DISCOVERY_ACCEPTS: readonly (string | undefined)[] = [
  undefined,
  '*/*',
  JSON_TYPE,
  YAML,
  PROTOBUF,
  `${PROTOBUF},${JSON_TYPE}`,
  CBOR,
  'text/html',
  // client-go
  `${discovery(JSON_TYPE, 'v2')},${discovery(JSON_TYPE, 'v2beta1')},${JSON_TYPE}`,
  `${discovery(PROTOBUF, 'v2')},${JSON_TYPE}`,
  discovery(JSON_TYPE, 'v2'),
  discovery(JSON_TYPE, 'v2beta1'),
  discovery(PROTOBUF, 'v2'),
  discovery(PROTOBUF, 'v2beta1'),
  discovery(YAML, 'v2'),
  discovery(JSON_TYPE, 'v3'),
  `${discovery(JSON_TYPE, 'v2')};profile=nopeer`,
  `${discovery(PROTOBUF, 'v2')};profile=nopeer`,
  `${JSON_TYPE}${as('Table')}`,
  `${JSON_TYPE}${as(PARTIAL)}`,
];

/** Of bodies. */
export const CONTENT_TYPES: readonly (string | undefined)[] = [
  undefined,
  '',
  JSON_TYPE,
  `${JSON_TYPE}; charset=utf-8`,
  'Application/JSON',
  YAML,
  PROTOBUF,
  CBOR,
  'text/plain',
  '*/*',
  'application/*',
  'application/x-www-form-urlencoded',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
  `${JSON_TYPE}, ${YAML}`,
  ';',
];
