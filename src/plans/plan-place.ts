/** Plan files and the signatures beside them, as they lie on disk. */
import { constants, createReadStream, readdirSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { BulkTools } from '../bulk/tools.ts'
import { fileError } from '../errno.ts'
import { systemCode, usageError, type SvcError } from '../errors.ts'
import { shellWord } from '../words.ts'
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
  const all = readdirSync(dirname(path)).filter((each) => each.endsWith('.sig'))
  const beside = all.filter((each) => each.startsWith(`${name}.`) && isSignature(each.slice(name.length)))
  if (beside.length + approvals.length > mostSignatures)
    throw usageError(`"${path}" has more than ${mostSignatures} signatures`)
  const signatures: { path: string; text: string }[] = []
  const add = (place: string, bytes: Buffer | undefined): void => {
    const text = bytes?.toString('latin1')
    if (text !== undefined && !signatures.some((other) => other.text === text)) signatures.push({ path: place, text })
  }
  for (const each of beside.toSorted()) {
    const place = join(dirname(path), each)
    add(place, await readBeside(place, longestSignature, 'the signature'))
  }
  for (const each of approvals) add(each, await readBounded(each, longestSignature, 'the signature'))
  const named = new Set(approvals.map((each) => resolve(each)))
  // What is called like the signature of a plan is another one's.
  const others = all.filter((each) => !isSignature(each.slice(-ending)) && !named.has(resolve(dirname(path), each)))
  return { path, plan, signatures, others: others.map((each) => join(dirname(path), each)) }
}

/** Files beside a plan that may be signatures of it, under names that are not looked for. */
export function tellOthers({ note }: Pick<BulkTools, 'note'>, { path, others }: PlanOnDisk): void {
  if (others.length === 0) return
  const approvals = others.map((each) => ` --approval ${shellWord(each)}`).join('')
  note(`not read, because of the name: ${others.map((each) => `"${each}"`).join(', ')}; to apply the plan with what they sign:
  svc plans apply ${shellWord(path)}${approvals}`)
}

const ending = '.0123456789abcdef.sig'.length

const isSignature = (ending: string): boolean => /^\.[0-9a-f]{16}\.sig$/.test(ending)

/** Where the signature of a key is: next to the plan. */
export const signaturePath = (plan: string, key: string): string => `${plan}.${key.slice(0, 16)}.sig`

/** A file beside a plan; undefined where there is no regular file: a pipe, socket or device is never waited for. */
export async function readBeside(path: string, most: number, what: string): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    // A link to nothing, a socket.
    if (!['ENOENT', 'ENXIO'].includes(systemCode(error) ?? '')) throw unreadable(what, path, error)
    return undefined
  })
  try {
    return (await file?.stat())?.isFile() === true ? await readBounded(path, most, what, file) : undefined
  } finally {
    await file?.close()
  }
}

/** At most so many bytes of a file, which may be a pipe that was named. Throws exit 2. */
async function readBounded(path: string, most: number, what: string, opened?: FileHandle): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    const how = { end: most, autoClose: opened === undefined }
    for await (const chunk of opened?.createReadStream(how) ?? createReadStream(path, how)) {
      chunks.push(chunk as Buffer)
      length += (chunk as Buffer).length
    }
  } catch (error) {
    throw unreadable(what, path, error)
  }
  if (length > most) throw usageError(`${what} "${path}" is too large`)
  return Buffer.concat(chunks)
}

const unreadable = (what: string, path: string, error: unknown): SvcError =>
  fileError('usage', `${what} "${path}" cannot be read`, error)
