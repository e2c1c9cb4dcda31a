/** Amounts of resources (`100m`, `1.5Gi`) as plain numbers, to be added and compared. */
import type { JsonValue } from '../../json/json.ts';
import { parseQuantity } from '../../meta/quantity.ts';

const NANO_EXPONENT = -9;
/** Beyond this many digits an amount is only known to be larger than any other. */
const DIGITS_MAX = 400;

/** Whole nanos; 0 when there is no amount, or none that can be read. */
export function nanosOf(amount: JsonValue | undefined): bigint {
  if (typeof amount !== 'string' && typeof amount !== 'number') return 0n;
  const parsed = parseQuantity(String(amount));
  if (!parsed.ok) return 0n;
  const { unscaled, exponent } = parsed.quantity;
  return unscaled * 10n ** BigInt(Math.min(exponent - NANO_EXPONENT, DIGITS_MAX));
}
