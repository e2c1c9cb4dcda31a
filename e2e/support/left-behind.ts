/**
 * Before each test file, by vitest: programs that the file leaves running end behind its last test. Files share
 * a worker, so they would go on beside the next file of it.
 */
import { afterAll } from 'vitest';
import { killAll } from './command.ts';

// Such hooks run from last to first, and this is the first of its file.
afterAll(killAll);
