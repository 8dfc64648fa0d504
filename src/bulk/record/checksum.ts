/** SHA-256, in hexadecimal, of ids and pairs. */
import { createHash } from 'node:crypto'
import type { IdTable } from '../../input/id-table.ts'
import { keyOf, type Pair } from '../../input/pairs.ts'

export function sha256(pieces: Iterable<Uint8Array | string>): string {
  const sum = createHash('sha256')
  for (const piece of pieces) sum.update(piece)
  return sum.digest('hex')
}

/** Checksum of ids as a set: no matter their order, letter case and duplicates. */
export function setSha256(ids: IdTable): string {
  return sha256(ids.encodeSet())
}

/** The same of pairs. */
export function pairsSetSha256(pairs: readonly Pair[]): string {
  return sha256([...new Set(pairs.map(keyOf))].sort().map((key) => `${key}\n`))
}
