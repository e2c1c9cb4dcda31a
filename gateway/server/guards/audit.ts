/** Puts together what is written down of requests: the policy, and where its events go. */
import { readFile } from 'node:fs/promises';
import { Audit } from '../../../actors/audit/audit.ts';
import { compileAuditPolicy, type AuditPolicy } from '../../../actors/audit/audit-policy.ts';
import { readAuditPolicy } from '../../../actors/audit/audit-policy-reading.ts';
import { auditCounts } from '../../../actors/audit/audit-sink.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import type { JsonValue } from '../../../api/json/json.ts';
import {
  ignoringFailures,
  LostEvents,
  unionOf,
  type AuditBackend,
} from '../../audit/audit-backend.ts';
import { measureAudit } from '../../audit/audit-figures.ts';
import { auditedAnswers } from '../../audit/audited-answer.ts';
import { BatchingBackend, truncatingBackend } from '../../audit/batching-backend.ts';
import { LogBackend } from '../../audit/log-backend.ts';
import { RotatingFile, streamWriter, type LineWriter } from '../../audit/rotating-file.ts';
import { webhookBackend, webhookPost } from '../../audit/webhook-backend.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { parseYaml } from '../../negotiation/yaml-codec.ts';
import { flowOf, type AuditFlow, type AuditSettings } from '../../flags/sections/audit-settings.ts';
import type { EgressSettings } from '../../flags/sections/kubelet-settings.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { webhookAccess } from '../../configuration/kubeconfig-access.ts';

export interface AuditNeeds {
  readonly logger: Logger;
  readonly faults: Faults;
  readonly metrics: Metrics;
}

export interface ServerAudit {
  /** undefined: nothing is audited. */
  readonly audit: Audit | undefined;
  /** Brings what was gathered to where it belongs. */
  flush(): Promise<void>;
}

const NO_AUDIT: ServerAudit = { audit: undefined, flush: () => Promise.resolve() };
const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

/** @throws StartupError when the policy or the webhook's file is no good, or the log cannot be opened. */
export async function startAudit(
  options: AuditSettings & EgressSettings,
  needs: AuditNeeds,
): Promise<ServerAudit> {
  const { auditPolicyFile: file } = options;
  if (file === undefined) {
    tellIdleBackends(options, needs.logger);
    return NO_AUDIT;
  }
  const policy = await readPolicy(file, needs.logger);
  const lost = new LostEvents(needs.logger);
  const backends = [logOf(options, lost), await webhookOf(options, lost)];
  const used = backends.filter((backend) => backend !== undefined);
  if (used.length === 0) return NO_AUDIT;
  const sink = unionOf(used);
  const counts = auditCounts();
  measureAudit(needs.metrics, counts, lost);
  const audit = new Audit({
    decide: compileAuditPolicy(policy),
    sink,
    counts,
    clock: systemClock,
    faults: needs.faults,
    responseJson: auditedAnswers(systemClock),
  });
  return { audit, flush: () => sink.shutdown() };
}

/** Without a policy nothing is recorded, wherever it should go. */
function tellIdleBackends(options: AuditSettings, logger: Logger): void {
  const idle = [
    ...(options.auditLogPath === undefined ? [] : ['log']),
    ...(options.auditWebhookConfigFile === undefined ? [] : ['webhook']),
  ];
  for (const backend of idle) {
    const why = `no events will be recorded for ${backend} backend`;
    logger.info({}, `No audit policy file provided, ${why}`);
  }
}

async function readPolicy(file: string, logger: Logger): Promise<AuditPolicy> {
  const refuse = (why: string, cause?: unknown): never => {
    throw new StartupError(`loading audit policy file: ${why}`, { cause });
  };
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    return refuse(`failed to read file path ${JSON.stringify(file)}: ${systemProblem(error)}`);
  }
  let value: JsonValue;
  try {
    value = parseYaml(bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refuse(`failed decoding: ${why}: from file ${file}`, error);
  }
  const read = readAuditPolicy(value);
  if (!read.ok) return refuse(`${read.message}: from file ${file}`);
  const { policy, warnings } = read;
  if (warnings.length > 0) logger.warn({ file, warnings }, 'the audit policy has unknown fields');
  return policy;
}

function logOf(options: AuditSettings, lost: LostEvents): AuditBackend | undefined {
  const { auditLogPath: path, auditLogFormat: format } = options;
  if (path === undefined) return undefined;
  const backend = new LogBackend({ writer: writerTo(path, options), format, lost });
  return flowing(backend, flowOf(options, 'log'), lost);
}

function writerTo(path: string, options: AuditSettings): LineWriter {
  if (path === '-') return streamWriter(process.stdout);
  try {
    return new RotatingFile(
      {
        path,
        bytesMax: options.auditLogMaxsize * MEGABYTE,
        backupsMax: options.auditLogMaxbackup,
        ageMaxMs: options.auditLogMaxage * DAY_MS,
        compresses: options.auditLogCompress,
      },
      systemClock,
    );
  } catch (error) {
    throw new StartupError(`cannot open --audit-log-path ${path}: ${systemProblem(error)}`, {
      cause: error,
    });
  }
}

async function webhookOf(
  options: AuditSettings & EgressSettings,
  lost: LostEvents,
): Promise<AuditBackend | undefined> {
  const { auditWebhookConfigFile: file, auditWebhookInitialBackoffMs: initialBackoffMs } = options;
  if (file === undefined) return undefined;
  const to = await webhookAccess(file);
  const access = { ...to, proxy: options.egressSelectorConfigFile?.controlPlane };
  const backend = webhookBackend({
    post: webhookPost(access, systemClock),
    initialBackoffMs,
    clock: systemClock,
    random: systemRandom,
    lost,
  });
  return flowing(backend, flowOf(options, 'webhook'), lost);
}

/** Truncated first, then gathered, and then kept; or kept at once. */
function flowing(backend: AuditBackend, flow: AuditFlow, lost: LostEvents): AuditBackend {
  const moded = inMode(backend, flow, lost);
  if (!flow.truncateEnabled) return moded;
  const { truncateMaxEventSize: eventBytesMax, truncateMaxBatchSize: batchBytesMax } = flow;
  return truncatingBackend(moded, { eventBytesMax, batchBytesMax }, lost);
}

function inMode(backend: AuditBackend, flow: AuditFlow, lost: LostEvents): AuditBackend {
  if (flow.mode === 'blocking-strict') return backend;
  if (flow.mode === 'blocking') return ignoringFailures(backend);
  const { batchThrottleQps: perSecond, batchThrottleBurst: burst } = flow;
  return new BatchingBackend(
    {
      bufferSize: flow.batchBufferSize,
      batchSizeMax: flow.batchMaxSize,
      batchWaitMaxMs: flow.batchMaxWaitMs,
      throttle: flow.batchThrottleEnable ? { perSecond, burst } : undefined,
    },
    { backend, clock: systemClock, lost },
  );
}
