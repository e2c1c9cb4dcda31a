/** Why a request over HTTP/2 has no answer, or not all of it, and what the server has seen of the request. */
import { CODE } from '../frames.ts';

/**
 * Of a request: `unseen`, the server has not acted on it and will not; `unknown`, its connection ended, and the server
 * may have acted on it; `told`, the server or the client ended it.
 */
export type RequestFate = 'unseen' | 'unknown' | 'told';

export class StreamError extends Error {
  override readonly name = 'StreamError';
  readonly fate: RequestFate;

  constructor(message: string, fate: RequestFate) {
    super(message);
    this.fate = fate;
  }
}

/** As Go calls them. */
const NAMES: readonly string[] = [
  ...['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT'],
  ...['STREAM_CLOSED', 'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR'],
  ...['CONNECT_ERROR', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'],
];

/** `CANCEL` for 8. */
export function codeName(code: number): string {
  return NAMES[code] ?? `unknown error code 0x${code.toString(16)}`;
}

/** The server has reset the stream. */
export function resetByServer(stream: number, code: number): StreamError {
  const why = `stream error: stream ID ${String(stream)}; ${codeName(code)}; received from peer`;
  return new StreamError(why, code === CODE.refusedStream ? 'unseen' : 'told');
}

/** This end has reset it, for what the server said there. */
export function resetForFault(stream: number, code: number): StreamError {
  return new StreamError(`stream error: stream ID ${String(stream)}; ${codeName(code)}`, 'told');
}
