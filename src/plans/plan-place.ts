/** Plan files and the signatures beside them, as they lie on disk. */
import { createReadStream, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileError } from '../errno.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { WholeFile } from '../output/whole-file.ts'
import { mostPlanBytes, PlanFile } from './plan-file.ts'
import { longestSignature } from './ssh-keygen.ts'

const mostSignatures = 64

export type PlanOnDisk = Awaited<ReturnType<typeof readPlan>>

/**
 * A plan, and the signatures beside it and those that are named, each once. Throws exit 2 for a file that cannot be read, exit 6
 * for a damaged plan.
 */
export async function readPlan(path: string, approvals: readonly string[] = []) {
  const plan = PlanFile.parse(await readBounded(path, mostPlanBytes, 'the plan'), path)
  const name = basename(path)
  const beside = readdirSync(dirname(path) || '.').filter(
    (each) => each.startsWith(`${name}.`) && isSignature(each.slice(name.length)),
  )
  const paths = [...beside.toSorted().map((each) => join(dirname(path), each)), ...approvals]
  if (paths.length > mostSignatures) throw usageError(`"${path}" has more than ${mostSignatures} signatures`)
  const signatures: { path: string; text: string }[] = []
  for (const each of paths) {
    const text = (await readBounded(each, longestSignature, 'the signature')).toString('latin1')
    if (!signatures.some((other) => other.text === text)) signatures.push({ path: each, text })
  }
  return { path, plan, signatures }
}

const isSignature = (ending: string): boolean => /^\.[0-9a-f]{16}\.sig$/.test(ending)

/** Where the signature of a key is: next to the plan. */
export const signaturePath = (plan: string, key: string): string => `${plan}.${key.slice(0, 16)}.sig`

async function readBounded(path: string, most: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of createReadStream(path, { end: most })) {
      chunks.push(chunk as Buffer)
      length += (chunk as Buffer).length
    }
  } catch (error) {
    throw fileError('usage', `${what} "${path}" cannot be read`, error)
  }
  if (length > most) throw usageError(`${what} "${path}" is too large`)
  return Buffer.concat(chunks)
}

/** A new file, whole or not at all. Throws exit 2 when there is one. */
export async function writeWhole(host: Host, path: string, bytes: Uint8Array, what: string): Promise<void> {
  const file = await WholeFile.open(host, path, what)
  try {
    await file.write(bytes)
    await file.place()
  } finally {
    await file.discard()
  }
}
