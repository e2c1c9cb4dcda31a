/**
 * Reads the file of `--tracing-config-file`, and starts what sends spans. OpenTelemetry is loaded
 * only here, for it is several times as large as all that a start needs else.
 *
 * In Kubernetes: TracingOptions, apiserver/pkg/server/options, and ValidateTracingConfiguration,
 * component-base/tracing/api/v1.
 */
import { readFile } from 'node:fs/promises';
import { formatJson } from '../../../api/json/json-text.ts';
import type { RequestTracer } from '../../../actors/tracing/request-tracer.ts';
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import {
  type FieldError,
  formatFieldErrors,
  invalidValue,
} from '../../../api/field/field-errors.ts';
import { parseYaml } from '../../negotiation/yaml-codec.ts';
import type { Collector } from '../../tracing/collector.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import type { TracingSettings } from '../../flags/sections/lifecycle-settings.ts';

export interface ServerTracing {
  /** undefined: nothing is traced. */
  readonly tracer: RequestTracer | undefined;
  /** Sends what is gathered. */
  flush(): Promise<void>;
}

export interface TracingConfiguration {
  readonly collector: Collector;
  readonly samplingRatePerMillion: number;
}

const GROUP = 'apiserver.config.k8s.io';
const VERSIONS: ReadonlySet<string> = new Set([
  `${GROUP}/v1`,
  `${GROUP}/v1beta1`,
  `${GROUP}/v1alpha1`,
]);
const KIND = 'TracingConfiguration';
const FIELDS: ReadonlySet<string> = new Set([
  'kind',
  'apiVersion',
  'endpoint',
  'samplingRatePerMillion',
]);
/** Where collectors listen for OTLP over gRPC. */
const ENDPOINT = 'localhost:4317';
const TRACES_PATH = '/v1/traces';
const MILLION = 1_000_000;

/** @throws StartupError when the file is no good. */
export async function startTracing({
  tracingConfigFile: file,
}: TracingSettings): Promise<ServerTracing> {
  if (file === undefined) return { tracer: undefined, flush: () => Promise.resolve() };
  const configuration = readTracingConfiguration(await contentOf(file));
  const { otlpTracer } = await import('../../tracing/otlp-tracer.ts');
  const tracer = otlpTracer({
    ...configuration,
    instance: systemRandom.uuid(),
    clock: systemClock,
  });
  return { tracer, flush: () => tracer.shutdown() };
}

async function contentOf(file: string): Promise<JsonValue> {
  const reading = 'failed to read tracing config: unable to';
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    const why = `${reading} read tracing configuration from ${JSON.stringify(file)}`;
    throw new StartupError(`${why}: ${systemProblem(cause)}`, { cause });
  }
  try {
    return parseYaml(bytes);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartupError(`${reading} decode tracing configuration data: ${why}`, { cause });
  }
}

/** @throws StartupError */
export function readTracingConfiguration(content: JsonValue): TracingConfiguration {
  const value = isJsonObject(content) ? content : {};
  const problem = decodingProblem(value);
  if (problem !== undefined) {
    const reading = 'failed to read tracing config: unable to decode tracing configuration data';
    throw new StartupError(`${reading}: ${problem}`);
  }
  const endpoint = stringAt(value, 'endpoint') || ENDPOINT;
  const samplingRatePerMillion = Number(value['samplingRatePerMillion'] ?? 0);
  const collector = collectorAt(endpoint);
  const errors: FieldError[] = samplingErrors(samplingRatePerMillion);
  if (typeof collector === 'string') errors.push(invalidValue('endpoint', endpoint, collector));
  if (errors.length > 0 || typeof collector === 'string') {
    const why = formatFieldErrors(errors);
    throw new StartupError(`failed to validate tracing configuration: ${why}`);
  }
  return { collector, samplingRatePerMillion };
}

function decodingProblem(value: JsonObject): string | undefined {
  const kind = stringAt(value, 'kind');
  const version = stringAt(value, 'apiVersion');
  if (kind === '') return `Object 'Kind' is missing in '${formatJson(value)}'`;
  if (version === '') return `Object 'apiVersion' is missing in '${formatJson(value)}'`;
  if (kind !== KIND || !VERSIONS.has(version)) {
    return `no kind "${kind}" is registered for version "${version}"`;
  }
  const unknown = Object.keys(value).filter((key) => !FIELDS.has(key));
  if (unknown.length > 0) {
    const fields = unknown.map((key) => `unknown field ${JSON.stringify(key)}`);
    return `strict decoding error: ${fields.join(', ')}`;
  }
  const { endpoint = '', samplingRatePerMillion = 0 } = value;
  if (typeof endpoint !== 'string') return 'endpoint must be a string';
  const isRate = Number.isInteger(samplingRatePerMillion);
  return isRate ? undefined : 'samplingRatePerMillion must be a whole number';
}

function samplingErrors(rate: number): FieldError[] {
  const field = 'samplingRatePerMillion';
  if (rate < 0) return [invalidValue(field, rate, 'sampling rate must be positive')];
  if (rate <= MILLION) return [];
  const why = 'sampling rate per million must be less than or equal to one million';
  return [invalidValue(field, rate, why)];
}

/** Upstream's endpoints are those of gRPC; URLs of HTTP are ours. @returns a text: what is wrong. */
function collectorAt(endpoint: string): Collector | string {
  const url = URL.parse(endpoint.includes('//') ? endpoint : `dns://${endpoint}`);
  if (url === null) return 'must be HOST:PORT or a URL';
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      if (url.pathname === '/') url.pathname = TRACES_PATH;
      return { protocol: 'http', url: url.href };
    case 'dns:':
    case 'unix:':
    case 'unix-abstract:':
      return { protocol: 'grpc', target: endpoint };
    default:
      return (
        `unsupported scheme: ${url.protocol.slice(0, -1)}.  Options are none, dns, unix, or ` +
        'unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md'
      );
  }
}
