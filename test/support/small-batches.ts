/** `BATCHES_OF=2` before a command of a test: requests of fewer ids than svc sends. */
import { fileURLToPath } from 'node:url'
import { operation as deleting } from '../../src/commands/contacts/delete.ts'
import { operation as adding } from '../../src/commands/lists/add-contacts.ts'

const usual = 100
/** Commands of this process that run now and have small batches. */
let running = 0

function setSize(size: number): void {
  deleting.idsPerRequest = size
  adding.idsPerRequest = size
}

type Variables = Readonly<Record<string, string | undefined>>

/** Runs a command in this process. Commands that run at the same time have batches of one size. */
export async function withBatches(
  { BATCHES_OF: size }: Variables,
  run: () => Promise<number>,
): Promise<number> {
  if (size === undefined) return run()
  running += 1
  setSize(Number(size))
  try {
    return await run()
  } finally {
    running -= 1
    if (running === 0) setSize(usual)
  }
}

const preloaded = fileURLToPath(new URL('../../tools/harness/small-batches.cjs', import.meta.url))

/** The environment with which the built program does the same. */
export const batchesIn = (env: Variables): Variables =>
  env['BATCHES_OF'] === undefined ? env : { ...env, NODE_OPTIONS: `--require ${preloaded}` }
