/** For tests of the audit: one that keeps its events where the test can look at them. */
import type { JsonObject } from '../../api/json/json.ts';
import type { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { testClock, testFaults } from '../request/given.fixture.ts';
import { Audit } from './audit.ts';
import { auditEventJson } from './audit-event.ts';
import { compileAuditPolicy, type AuditRule } from './audit-policy.ts';
import { auditCounts, type AuditCounts } from './audit-sink.ts';
import type { ResponseJson } from './audit-trail.ts';

export interface GivenAudit {
  readonly audit: Audit;
  readonly clock: ManualClock;
  readonly counts: AuditCounts;
  /** What was written down, in order. */
  readonly events: readonly JsonObject[];
}

export interface AuditOptions {
  readonly rules: readonly Partial<AuditRule>[];
  /** What the sink answers; unless said, that all was kept. */
  readonly kept?: () => boolean | Promise<boolean>;
  readonly responseJson?: ResponseJson;
}

export function givenAudit({ rules, kept, responseJson }: AuditOptions): GivenAudit {
  const clock = testClock();
  const counts = auditCounts();
  const events: JsonObject[] = [];
  const audit = new Audit({
    decide: compileAuditPolicy({
      rules: rules.map((rule) => ({ ...EVERYTHING, ...rule })),
      omitStages: [],
      omitManagedFields: false,
    }),
    clock,
    counts,
    faults: testFaults(),
    responseJson: responseJson ?? (() => undefined),
    sink: {
      process(batch) {
        for (const event of batch) events.push(JSON.parse(auditEventJson(event)) as JsonObject);
        return kept?.() ?? true;
      },
    },
  });
  return { audit, clock, counts, events };
}

const EVERYTHING: AuditRule = {
  level: 'Metadata',
  users: [],
  userGroups: [],
  verbs: [],
  resources: [],
  namespaces: [],
  nonResourceURLs: [],
  omitStages: [],
  omitManagedFields: undefined,
};
