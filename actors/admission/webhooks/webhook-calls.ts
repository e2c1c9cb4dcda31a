/**
 * Calls webhooks, each through a circuit of its own: one that swallows what is sent to it does not
 * keep the requests of others, nor more than so many of its own.
 */
import { BoundedMap } from '../../../api/meta/bounded-map.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import type {
  WebhookAnswer,
  WebhookCall,
  WebhookClient,
  WebhookTarget,
} from '../../../api/kinds/custom/webhook-client.ts';
import { webhookCircuit, type WebhookCircuit } from './webhook-circuit.machine.ts';

export interface WebhookCallsParts {
  readonly client: WebhookClient;
  readonly clock: Clock;
}

/** More calls of one webhook than this do not wait beside one another. */
const WAITING_MAX = 1_024;
/** Circuits of webhooks that are not configured any more are let go of. */
const CIRCUITS_MAX = 1_024;

interface Line {
  readonly circuit: WebhookCircuit;
  waiting: number;
  /** Why the last call was not answered. */
  problem: string;
}

export class WebhookCalls {
  readonly #parts: WebhookCallsParts;
  readonly #lines = new BoundedMap<string, Line>(CIRCUITS_MAX);

  constructor(parts: WebhookCallsParts) {
    this.#parts = parts;
  }

  async post(target: WebhookTarget, body: Buffer, call: WebhookCall): Promise<WebhookAnswer> {
    const line = this.#lineTo(target);
    if (line.waiting >= WAITING_MAX) {
      return { ok: false, message: 'too many calls of this webhook are waiting for an answer' };
    }
    if (!line.circuit.admits()) return { ok: false, message: line.problem };
    line.waiting += 1;
    const answer = await this.#parts.client.post(target, body, call);
    line.waiting -= 1;
    const wasAnswered = answer.ok || answer.failure !== 'unanswered';
    if (!wasAnswered) line.problem = answer.message;
    line.circuit.ended(wasAnswered);
    return answer;
  }

  #lineTo(target: WebhookTarget): Line {
    const key = JSON.stringify([target.url, target.service]);
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    const line = { circuit: webhookCircuit(this.#parts.clock), waiting: 0, problem: '' };
    this.#lines.set(key, line);
    return line;
  }
}
