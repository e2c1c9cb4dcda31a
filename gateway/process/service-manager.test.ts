import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tellReady } from './service-manager.ts';

const SOCKET = '@everwatch $(touch gone)';

let directory: string;
const warnings: string[] = [];
const logger = { warn: (_facts: object, text: string) => void warnings.push(text) };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'everwatch-notify-'));
  warnings.length = 0;
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Stands where systemd's own would, and writes down what it was told. */
function givenProgram(script: string): string {
  const file = join(directory, 'systemd-notify');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return `${directory}:${process.env['PATH'] ?? ''}`;
}

describe('telling systemd', () => {
  it('calls its own program with the socket, and with nothing else of the environment', async () => {
    const told = join(directory, 'told');
    const PATH = givenProgram(`echo "$@" > ${told}; env >> ${told}`);
    await tellReady({ NOTIFY_SOCKET: SOCKET, PATH, SECRET: 'hunter2' }, logger);
    const text = readFileSync(told, 'utf8');
    expect(text).toMatch(/^--ready\n/);
    expect(text).toContain(`NOTIFY_SOCKET=${SOCKET}\n`);
    expect(text).not.toContain('hunter2');
    expect(warnings).toEqual([]);
  });

  it('says once that it cannot, where there is no such program or it fails', async () => {
    await tellReady({ NOTIFY_SOCKET: SOCKET, PATH: directory }, logger);
    await tellReady({ NOTIFY_SOCKET: SOCKET, PATH: givenProgram('exit 3') }, logger);
    const sentence = 'systemd was not told that the server is ready: systemd-notify failed';
    expect(warnings).toEqual([sentence, sentence]);
  });

  it('does nothing where nobody waits', async () => {
    const told = join(directory, 'told');
    const PATH = givenProgram(`echo "$@" > ${told}`);
    await tellReady({ PATH }, logger);
    await tellReady({ NOTIFY_SOCKET: '', PATH }, logger);
    expect(() => readFileSync(told)).toThrow();
  });
});
