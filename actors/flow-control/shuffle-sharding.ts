/**
 * Deals each flow its hand of queues. Flows that share one queue rarely share all of their hand, so
 * a flow that fills its own queues leaves most others some that are free.
 *
 * In Kubernetes: Dealer, apiserver/pkg/util/shufflesharding.
 */
import { createHash } from 'node:crypto';

/** A hash must have a few bits more than are dealt, or the last cards come unevenly. */
const HASH_BITS_MAX = 60;
const DECK_MAX = 2 ** 26;

/** What is wrong with dealing so many cards of so many; undefined: nothing. */
export function dealingProblem(deckSize: number, handSize: number): string | undefined {
  const sizes = `deckSize ${String(deckSize)}`;
  const hand = `handSize ${String(handSize)}`;
  if (deckSize <= 0 || handSize <= 0) return `${sizes} or ${hand} is not positive`;
  if (handSize > deckSize) return `${hand} is greater than ${sizes}`;
  if (deckSize > DECK_MAX) return `${sizes} is impractically large`;
  if (Math.ceil(Math.log2(deckSize) * handSize) <= HASH_BITS_MAX) return undefined;
  return `required entropy bits of ${sizes} and ${hand} is greater than ${String(HASH_BITS_MAX)}`;
}

/** By what a flow is dealt: 64 bits. */
export function flowHash(flowSchema: string, distinguisher: string): bigint {
  const digest = createHash('sha256').update(flowSchema).update('\0').update(distinguisher);
  return digest.digest().readBigUInt64LE();
}

/** Different cards, each from 0 and below `deckSize`. */
export function dealHand(hash: bigint, deckSize: number, handSize: number): readonly number[] {
  const hand: number[] = [];
  const remainders: number[] = [];
  let rest = hash;
  for (let dealt = 0; dealt < handSize; dealt += 1) {
    const left = BigInt(deckSize - dealt);
    remainders.push(Number(rest % left));
    rest /= left;
  }
  for (const [dealt, remainder] of remainders.entries()) {
    let card = remainder;
    // The remainder counts among the cards that are left: each one taken before it is passed over.
    for (let before = dealt - 1; before >= 0; before -= 1) {
      if (card >= (remainders[before] ?? 0)) card += 1;
    }
    hand.push(card);
  }
  return hand;
}
