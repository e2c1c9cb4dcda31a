/**
 * Every decoder that bytes from outside reach, by name, and the file that has its target. A target
 * is looked up by its name in `targets` of `targets/<family>.ts`.
 */
export interface TargetPlace {
  readonly name: string;
  readonly family: string;
}

const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  bodies: ['json', 'json-strict', 'yaml', 'yaml-emitter', 'protobuf', 'protobuf-bodies', 'cbor'],
  requests: [
    'request-info', 'query-options', 'delete-options', 'label-selector', 'field-selector',
    'continue-token', 'negotiation', 'headers', 'tokens',
  ], // prettier-ignore
  records: [
    'log-frame', 'torn-log-frame', 'kafka-batches', 'kafka-headers', 'sealed-value', 'sealed-keys',
    'archive-lines', 'archive-end', 'snapshot-manifest',
  ], // prettier-ignore
  objects: [
    'json-patch', 'merge-patch', 'strategic-merge-patch', 'fields-v1', 'apply', 'kinds',
    'webhook-answers',
  ], // prettier-ignore
  values: ['quantity', 'times', 'formats', 'json-path', 'regular-expression'],
  expressions: ['cel', 'definitions'],
  configurations: ['configurations', 'line-files', 'configuration-files'],
  credentials: ['pem-keys', 'certificates', 'certificate-requests', 'id-tokens'],
  archives: ['archives', 'snapshot-chunks'],
  plugins: ['plugin-messages'],
  websocket: ['websocket-frames'],
};

export const TARGET_PLACES: readonly TargetPlace[] = Object.entries(FAMILIES).flatMap(
  ([family, names]) => names.map((name) => ({ name, family })),
);
