/**
 * Requests of fewer ids than svc sends, so that a few ids are many batches: `batches-of=2` anywhere in a command line of a test. svc itself
 * has no word for it: it is taken out of the line before svc sees it.
 */
import { fileURLToPath } from 'node:url'
import { operation as deleting } from '../src/commands/contacts/delete.ts'
import { operation as adding } from '../src/commands/lists/add-contacts.ts'

const usual = 100
/** Commands of this process that run now and have small batches. */
let running = 0

function setMost(most: number): void {
  deleting.most = most
  adding.most = most
}

const isOfBatches = (word: string): boolean => word.startsWith('batches-of=')

const sizeOf = (words: readonly string[]): number | undefined => {
  const word = words.find(isOfBatches)
  return word === undefined ? undefined : Number(word.split('=')[1])
}

/** Runs a command in this process. Commands that run at the same time have batches of one size. */
export async function withBatches(
  words: readonly string[],
  run: (words: readonly string[]) => Promise<number>,
) {
  const size = sizeOf(words)
  if (size === undefined) return run(words)
  running += 1
  setMost(size)
  try {
    return await run(words.filter((word) => !isOfBatches(word)))
  } finally {
    running -= 1
    if (running === 0) setMost(usual)
  }
}

const preloaded = fileURLToPath(new URL('../tools/harness/small-batches.cjs', import.meta.url))

type Environment = Readonly<Record<string, string | undefined>>

/** The same for a shell line that starts the built program: without the word, and the environment that has its meaning. */
export function batchesOfLine(
  line: string,
  env: Environment = {},
): { line: string; env: Environment } {
  const words = line.split(' ')
  const size = sizeOf(words)
  if (size === undefined) return { line, env }
  const own = { NODE_OPTIONS: `--require ${preloaded}`, BATCHES_OF: String(size) }
  return { line: words.filter((word) => !isOfBatches(word)).join(' '), env: { ...env, ...own } }
}
