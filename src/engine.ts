/** Settings of V8, each measured. A code cache's name has them: none is set (version "0") while caches are made. */
import { setFlagsFromString } from 'node:v8'

/** Later versions do without. */
function isNode20(nodeVersion: string): boolean {
  return nodeVersion.startsWith('20.')
}

/**
 * Lines, batches and pages come and go, and V8 answers that by letting the space for young objects grow to 16 MB and more:
 * a long command would use a fifth more memory than a short one, for nothing and in the same time.
 */
export function keepYoungSpaceSmall(nodeVersion: string): void {
  if (isNode20(nodeVersion)) setFlagsFromString('--semi-space-growth-factor=1')
}

/** The optimizing compile of undici's parser keeps a process alive some 50 ms longer; baseline code is as fast here. */
export function keepParserSimple(nodeVersion: string): void {
  if (isNode20(nodeVersion)) setFlagsFromString('--liftoff-only')
}

/** Hundreds of clients produce much garbage a second: V8 would let 156 MB pile up within seconds, 90 with this. */
export function keepHeapSmall(nodeVersion: string): void {
  if (nodeVersion !== '0') setFlagsFromString('--optimize-for-size')
}
