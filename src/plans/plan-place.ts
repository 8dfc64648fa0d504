/** Plan files and the signatures beside them, as they lie on disk. */
import { say, svcWords } from '../message.ts'
import { basename, dirname, join, resolve } from 'node:path'
import type { BulkTools } from '../bulk/tools.ts'
import { fileError } from '../errno.ts'
import { systemCode, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'
import { mostPlanBytes, PlanFile } from './plan-file.ts'
import { readRegular } from '../disk/files.ts'
import { longestSignature } from './ssh-keygen.ts'

const mostSignatures = 64

type DiskHost = Pick<Host, 'disk'>

export type PlanOnDisk = ReturnType<typeof readPlan>

/**
 * A plan, and the signatures beside it and those that are named, each once. Throws exit 2 for a file that cannot be read, exit 6
 * for a damaged plan.
 */
export function readPlan(host: DiskHost, path: string, approvals: readonly string[] = []) {
  const plan = PlanFile.parse(readNamed(host, path, mostPlanBytes, 'the plan'), path)
  const name = basename(path)
  const all = host.disk.readdirSync(dirname(path)).filter((each) => each.endsWith('.sig'))
  const beside = all.filter(
    (each) => each.startsWith(`${name}.`) && isSignature(each.slice(name.length)),
  )
  if (beside.length + approvals.length > mostSignatures) {
    throw usageError(`"${path}" has more than ${mostSignatures} signatures`)
  }
  const signatures: { path: string; text: string }[] = []
  const tooLarge: string[] = []
  const add = (place: string, bytes: Buffer | undefined): void => {
    const text = bytes?.toString('latin1')
    if (text !== undefined && !signatures.some((other) => other.text === text)) {
      signatures.push({ path: place, text })
    }
  }
  for (const each of beside.toSorted()) {
    const place = join(dirname(path), each)
    const { kind, bytes } = look(host, place, longestSignature, 'the signature')
    if (kind === 'too large') tooLarge.push(place)
    add(place, bytes)
  }
  for (const each of approvals) add(each, readNamed(host, each, longestSignature, 'the signature'))
  const named = new Set(approvals.map((each) => resolve(each)))
  // A file that is called like the signature of a plan belongs to another plan.
  const others = all.filter(
    (each) => !isSignature(each.slice(-ending)) && !named.has(resolve(dirname(path), each)),
  )
  return {
    path,
    plan,
    signatures,
    others: others.map((each) => join(dirname(path), each)),
    /** Files that are called like its signatures, and are too large to be one. */
    tooLarge,
  }
}

/** Files beside a plan that may be signatures of it and were not read: for their names, or for their size. */
export function tellOthers(
  { note }: Pick<BulkTools, 'note'>,
  { path, others, tooLarge }: PlanOnDisk,
): void {
  for (const each of tooLarge) note(`not read, because it is too large for a signature: "${each}"`)
  if (others.length === 0) return
  const approvals = others.map((each) => ` --approval ${shellWord(each)}`).join('')
  note(
    say`not read, because of the name: ${others.map((each) => `"${each}"`).join(', ')}; to apply the plan with what they sign:\n  ${svcWords(`plans apply ${shellWord(path)}${approvals}`)}`,
  )
}

const ending = '.0123456789abcdef.sig'.length

const isSignature = (ending: string): boolean => /^\.[0-9a-f]{16}\.sig$/.test(ending)

/** Where the signature of a key is: next to the plan. */
export const signaturePath = (plan: string, key: string): string =>
  `${plan}.${key.slice(0, 16)}.sig`

/** A file beside a plan; undefined where there is no regular file. Throws exit 2, also for a file of more than `most` bytes. */
export function readBeside(
  host: DiskHost,
  path: string,
  most: number,
  what: string,
): Buffer | undefined {
  const { kind, bytes } = look(host, path, most, what)
  if (kind === 'too large') throw usageError(`${what} "${path}" is too large`)
  return bytes
}

interface Look {
  /** `none`: no regular file, such as a pipe, socket or device, which is never waited for. */
  readonly kind: 'none' | 'too large' | 'read'
  readonly bytes?: Buffer
}

/** Throws exit 2 for a file that cannot be read. */
function look(host: DiskHost, path: string, most: number, what: string): Look {
  try {
    const { stats, bytes } = readRegular(host, path, most)
    if (bytes !== undefined) return { kind: 'read', bytes }
    return { kind: stats.isFile() ? 'too large' : 'none' }
  } catch (error) {
    // A link to nothing, a socket.
    if (['ENOENT', 'ENXIO'].includes(systemCode(error) ?? '')) return { kind: 'none' }
    throw fileError('usage', `${what} "${path}" cannot be read`, error)
  }
}

/** A file that was named. Throws exit 2 for anything but a regular file. */
function readNamed(host: DiskHost, path: string, most: number, what: string): Buffer {
  const bytes = readBeside(host, path, most, what)
  if (bytes !== undefined) return bytes
  const isThere = host.disk.existsSync(path)
  throw usageError(
    `${what} "${path}" ${isThere ? 'is no regular file' : 'cannot be read: there is no such file or folder'}`,
  )
}
