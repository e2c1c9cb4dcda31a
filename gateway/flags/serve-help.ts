/**
 * How `everwatch serve --help` shows its flags: under headings, each with what it says beneath
 * it. There are more than a hundred, with long names, so columns would leave the texts no room.
 */
import type { Help } from 'commander';
import { ADMISSION_SETTINGS } from './sections/admission-settings.ts';
import { AUDIT_SETTINGS } from './sections/audit-settings.ts';
import { AUTHENTICATION_SETTINGS } from './sections/authentication-settings.ts';
import { AUTHORIZATION_SETTINGS } from './sections/authorization-settings.ts';
import { EGRESS_SETTINGS } from './sections/egress-settings.ts';
import { ENCRYPTION_SETTINGS } from './sections/encryption-settings.ts';
import { FAIRNESS_SETTINGS } from './sections/fairness-settings.ts';
import { KAFKA_SETTINGS } from './sections/kafka-settings.ts';
import { AGGREGATION_SETTINGS } from './sections/aggregation-settings.ts';
import { KUBELET_SETTINGS } from './sections/kubelet-settings.ts';
import { LIFECYCLE_SETTINGS } from './sections/lifecycle-settings.ts';
import { LISTENING_SETTINGS } from './sections/listening-settings.ts';
import { LOGGING_SETTINGS } from './sections/logging-settings.ts';
import { METRICS_SETTINGS } from './sections/metrics-settings.ts';
import { REQUEST_SETTINGS } from './sections/request-settings.ts';
import { RETENTION_SETTINGS } from './sections/retention-settings.ts';
import { SERVICE_SETTINGS } from './sections/service-settings.ts';
import type { Setting } from './setting.ts';
import { TAKEN_FLAGS } from './taken-flags.ts';
import { TLS_SETTINGS } from './sections/tls-settings.ts';
import { TOKEN_WEBHOOK_SETTINGS } from './sections/token-webhook-settings.ts';
import { TRACING_SETTINGS } from './sections/tracing-settings.ts';

type Table = Readonly<Record<string, Pick<Setting, 'flag'>>>;

/** In the order in which they are shown. A flag is shown under the first that has it. */
const AREAS: readonly (readonly [heading: string, flags: readonly string[]])[] = [
  ['Begin here', ['data-dir', 'bind-address', 'secure-port', 'log', 'config']],
  [
    'Connections',
    [
      ...flagsOf(TLS_SETTINGS),
      ...flagsOf(LISTENING_SETTINGS, REQUEST_SETTINGS),
      ...['http2-max-streams-per-connection', 'goaway-chance'],
      ...flagsOf(EGRESS_SETTINGS),
    ],
  ],
  [
    'Authentication',
    [
      ...['anonymous-auth', 'client-ca-file', 'token-auth-file'],
      ...flagsOf(AUTHENTICATION_SETTINGS, TOKEN_WEBHOOK_SETTINGS),
    ],
  ],
  ['Authorization', flagsOf(AUTHORIZATION_SETTINGS)],
  ['Admission', flagsOf(ADMISSION_SETTINGS)],
  [
    'Audit and tracing',
    [...flagsOf(AUDIT_SETTINGS, TRACING_SETTINGS), 'audit-webhook-batch-initial-backoff'],
  ],
  ['Nodes', flagsOf(KUBELET_SETTINGS)],
  ['Aggregated API servers', flagsOf(AGGREGATION_SETTINGS)],
  ['Priority and fairness', flagsOf(FAIRNESS_SETTINGS)],
  ['Services', flagsOf(SERVICE_SETTINGS)],
  ['Encryption at rest', flagsOf(ENCRYPTION_SETTINGS)],
  ['What is served, and what runs beside it', ['runtime-config', 'feature-gates', 'controllers']],
  ['Starting and stopping', [...flagsOf(LIFECYCLE_SETTINGS), 'version']],
  ['What the server says', flagsOf(LOGGING_SETTINGS, METRICS_SETTINGS)],
  ['The past', [...flagsOf(RETENTION_SETTINGS), 'read-only']],
  [
    'Several servers on Kafka',
    [
      ...['key-file', 'read-consistency', 'snapshot-every', 'snapshot-dir'],
      ...flagsOf(KAFKA_SETTINGS),
    ],
  ],
  ['Taken from kube-apiserver, without effect', [...TAKEN_FLAGS]],
];

/** What stands under no heading of its own stands under this one, at the end. */
const ELSE = 'More';

const INDENT = '        ';
const USUAL_WIDTH = 80;

function flagsOf(...tables: readonly Table[]): string[] {
  return tables.flatMap((table) => Object.values(table).map(({ flag }) => flag));
}

/** @param flag without dashes. */
export function headingOf(flag: string): string {
  return AREAS.find(([, flags]) => flags.includes(flag))?.[0] ?? ELSE;
}

/** @returns the settings in the order in which they are shown. */
export function asShown<One extends Pick<Setting, 'flag'>>(settings: readonly One[]): One[] {
  const order = [...new Set(AREAS.flatMap(([, flags]) => flags))];
  const placeOf = ({ flag }: One) => (order.includes(flag) ? order.indexOf(flag) : order.length);
  return [...settings].sort((a, b) => placeOf(a) - placeOf(b));
}

/** In place of commander's two columns. */
export function formatFlag(term: string, _width: number, text: string, help: Help): string {
  const width = Math.max(40, (help.helpWidth ?? USUAL_WIDTH) - INDENT.length);
  return `  ${term}\n${help.boxWrap(text, width).replaceAll(/^/gm, INDENT)}`;
}
