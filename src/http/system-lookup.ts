/** The system's own lookup of a name, in a process that its parent can kill: `lookup.ts` says why. */
import { promises } from 'node:dns'

/** An address a line; nothing when there is none. */
export async function systemLookup(name: string): Promise<string> {
  const found = await promises.lookup(name, { all: true }).catch(() => [])
  return found.map(({ address }) => `${address}\n`).join('')
}
