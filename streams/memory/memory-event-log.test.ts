import { eventLogContract } from '../event-log.contract.ts';
import { MemoryEventLog } from './memory-event-log.ts';

eventLogContract('MemoryEventLog', () => Promise.resolve({ log: new MemoryEventLog() }));
