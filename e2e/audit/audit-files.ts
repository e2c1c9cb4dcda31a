/** What a server with an audit is given and leaves: its policy, its webhook's kubeconfig, its log. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

import { type JsonObject, parseJson, textAt } from '../support/json.ts';

export interface AuditFiles {
  readonly folder: string;
  readonly logPath: string;
  /** Writes the file and gives its path. */
  write(name: string, text: string): string;
  /** All events that the log has by now. */
  events(): JsonObject[];
  /** Those of one request. */
  eventsOf(auditID: string): JsonObject[];
}

/** Call it at the top of a file: the folder is removed behind the last test. */
export function auditFiles(): AuditFiles {
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-audit-'));
  const logPath = join(folder, 'log', 'audit.log');
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const events = (): JsonObject[] => (existsSync(logPath) ? eventsIn(logPath) : []);
  return {
    folder,
    logPath,
    write(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    events,
    eventsOf: (auditID) => events().filter((event) => textAt(event, 'auditID') === auditID),
  };
}

export function eventsIn(path: string): JsonObject[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // The last line ends in a line break, so nothing stands behind it.
  return lines.slice(0, -1).map((line) => parseJson(line) as JsonObject); // The server's own.
}

export const stagesOf = (events: readonly JsonObject[]): string[] =>
  events.map((event) => textAt(event, 'stage'));
