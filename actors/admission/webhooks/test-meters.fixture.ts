/** For tests: what was counted, as it was told. */
import type { AdmissionMeters } from './admission-meters.ts';

export interface TestMeters extends AdmissionMeters {
  /** `asked a.example.com 200`, in order. */
  readonly told: string[];
}

export function testMeters(): TestMeters {
  const told: string[] = [];
  return {
    told,
    asked: ({ name }, code, isRejected) =>
      void told.push(`asked ${name} ${String(code)}${isRejected ? ' rejected' : ''}`),
    rejected: ({ name }, cause, code) =>
      void told.push(`rejected ${name} ${cause} ${String(code)}`),
    failedOpen: ({ name }) => void told.push(`failed open ${name}`),
    excluded: ({ name }) => void told.push(`excluded ${name}`),
  };
}
