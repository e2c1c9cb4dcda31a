import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../process/system-clock.ts';
import { debugToolsRoute } from '../routes/debug.ts';
import { DebugSocket } from './debug-socket.ts';

let directory: string;
let path: string;
let socket: DebugSocket;
const levels: number[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'everwatch-debug-'));
  path = join(directory, 'socket');
  const setVerbosity = (level: number) => void levels.push(level);
  socket = new DebugSocket({
    clock: systemClock,
    route: debugToolsRoute({ clock: systemClock, profiling: true, setVerbosity }),
    failed: (error) => {
      throw error;
    },
  });
});

afterEach(async () => {
  await socket.close();
  rmSync(directory, { recursive: true });
});

interface Heard {
  readonly code: number | undefined;
  readonly text: string;
}

function asked(url: string, method = 'GET', body = ''): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: path, path: url, method }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => {
        resolve({ code: answer.statusCode, text });
      });
    });
    sent.on('error', reject).end(body);
  });
}

describe('the socket for debugging', () => {
  it('gives profiles and changes the level of the log, and nothing else', async () => {
    await socket.listen(path);
    expect((await asked('/debug/pprof/')).text).toContain('profile?seconds=30');
    const profile = await asked('/debug/pprof/profile?seconds=0.01');
    expect(profile.code).toBe(200);
    expect(JSON.parse(profile.text)).toHaveProperty('nodes');
    expect(await asked('/debug/flags/v', 'PUT', '5')).toEqual({
      code: 200,
      text: 'successfully set klog.logging.verbosity to 5\n',
    });
    expect(levels).toEqual([5]);
    for (const url of ['/api/v1/secrets', '/flagz', '/']) {
      expect(await asked(url)).toEqual({ code: 404, text: '404 page not found\n' });
    }
  });

  it('can be opened by its owner alone, and leaves new files as they were', async () => {
    const modeOf = (file: string): number => statSync(join(directory, file)).mode & 0o777;
    writeFileSync(join(directory, 'before'), '');
    await socket.listen(path);
    writeFileSync(join(directory, 'after'), '');
    expect(modeOf('socket')).toBe(0o600);
    expect(modeOf('after')).toBe(modeOf('before'));
  });

  it('takes the place of one that a crash has left', async () => {
    const left = createServer().listen(path);
    await new Promise((resolve) => left.once('listening', resolve));
    await socket.listen(path);
    expect((await asked('/debug/pprof/')).code).toBe(200);
    left.close();
  });

  it('takes the place of nothing else', async () => {
    writeFileSync(path, 'precious');
    await expect(socket.listen(path)).rejects.toThrow('something lies there that is no socket');
  });

  it('is gone when it is closed', async () => {
    await socket.listen(path);
    await socket.close();
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });
});
