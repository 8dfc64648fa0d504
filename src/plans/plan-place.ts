/**
 * Plan files and the signatures beside them, as they lie on disk: `plan.json` has `plan.json.<16 digits of the key>.sig` beside it. `plans show`,
 * `plans approve` and `plans apply` read them here; `write-plan.ts` asks where a signature goes, `people-file.ts` reads the names beside a plan.
 *
 * A signature is whatever file has that name, or was named with `--approval`; whether it counts is decided where it is checked. Pipes, sockets and
 * devices are never waited for.
 */
import { say, svcWords } from '../message.ts'
import { basename, dirname, join, resolve } from 'node:path'
import type { BulkTools } from '../bulk/tools.ts'
import { fileError } from '../errno.ts'
import { systemCode, usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { shellWord } from '../words.ts'
import { mostPlanBytes, PlanFile } from './plan-file.ts'
import { readRegular } from '../disk/trust.ts'
import { longestSignature } from './ssh-keygen.ts'

const mostSignatures = 64

type DiskHost = Pick<Host, 'disk'>

export type PlanOnDisk = ReturnType<typeof readPlan>

/**
 * A plan, and the signatures beside it and those that are named, each once. Throws exit 2 for a file that cannot be read, exit 6
 * for a damaged plan.
 */
export function readPlan(host: DiskHost, path: string, approvals: readonly string[] = []) {
  const planBytes = readNamed(host, path, mostPlanBytes, 'the plan')
  const plan = PlanFile.parse(planBytes, path)
  const folder = dirname(path)
  const name = basename(path)
  const entries = host.disk.readdirSync(folder)
  const files = entries.filter((file) => file.endsWith('.sig'))
  const beside = files.filter((file) => {
    if (!file.startsWith(`${name}.`)) return false
    const rest = file.slice(name.length)
    return isSignature(rest)
  })
  if (beside.length + approvals.length > mostSignatures) {
    throw usageError(`"${path}" has more than ${mostSignatures} signatures`)
  }
  const signatures: { path: string; text: string }[] = []
  const tooLarge: string[] = []
  const add = (place: string, bytes: Buffer | undefined): void => {
    const text = bytes?.toString('latin1')
    if (text === undefined) return
    const isThere = signatures.some((other) => other.text === text)
    if (!isThere) signatures.push({ path: place, text })
  }
  for (const file of beside.toSorted()) {
    const place = join(folder, file)
    const { kind, bytes } = look(host, place, longestSignature, 'the signature')
    if (kind === 'too large') tooLarge.push(place)
    add(place, bytes)
  }
  const named = new Set<string>()
  for (const approval of approvals) {
    const bytes = readNamed(host, approval, longestSignature, 'the signature')
    add(approval, bytes)
    named.add(resolve(approval))
  }
  const others: string[] = []
  for (const file of files) {
    // A file that is called like the signature of a plan belongs to another plan.
    const isOfPlan = isSignature(file.slice(-ending))
    const isNamed = named.has(resolve(folder, file))
    if (!isOfPlan && !isNamed) others.push(join(folder, file))
  }
  return {
    path,
    plan,
    signatures,
    others,
    /** Files that are called like its signatures, and are too large to be one. */
    tooLarge,
  }
}

/** Files beside a plan that may be signatures of it and were not read: for their names, or for their size. */
export function noteUnreadSignatures(
  { note }: Pick<BulkTools, 'note'>,
  { path, others, tooLarge }: PlanOnDisk,
): void {
  for (const file of tooLarge) {
    note(`not read, because it is too large for a signature: "${file}"`)
  }
  if (others.length === 0) return
  const quoted = others.map((file) => `"${file}"`)
  const names = quoted.join(', ')
  const words = ['plans', 'apply', shellWord(path)]
  for (const file of others) words.push('--approval', shellWord(file))
  const command = svcWords(words.join(' '))
  note(
    say`not read, because of the name: ${names}; to apply the plan with what they sign:\n  ${command}`,
  )
}

/** Characters of a signature's name behind the name of its plan. */
const ending = '.0123456789abcdef.sig'.length

const signatureEnding = /^\.[0-9a-f]{16}\.sig$/

const isSignature = (ending: string): boolean => signatureEnding.test(ending)

/** Where the signature of a key is: next to the plan. */
export function signaturePath(plan: string, key: string): string {
  const digits = key.slice(0, 16)
  return `${plan}.${digits}.sig`
}

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

/** A file as it was found on disk. */
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
    const code = systemCode(error)
    // A link to nothing, a socket.
    if (code === 'ENOENT' || code === 'ENXIO') return { kind: 'none' }
    throw fileError('usage', `${what} "${path}" cannot be read`, error)
  }
}

/** A file that was named. Throws exit 2 for anything but a regular file. */
function readNamed(host: DiskHost, path: string, most: number, what: string): Buffer {
  const bytes = readBeside(host, path, most, what)
  if (bytes !== undefined) return bytes
  const isThere = host.disk.existsSync(path)
  const problem = isThere ? 'is no regular file' : 'cannot be read: there is no such file or folder'
  throw usageError(`${what} "${path}" ${problem}`)
}
